"""A process with a pretended GPU."""

import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pretend_gpu
import pytest


@pytest.fixture(scope="module")
def on_gpu(request: pytest.FixtureRequest) -> Iterator[Callable[..., Any]]:
    """Call a function in a process with a pretended GPU."""
    if shutil.which("g++") is None:
        pytest.skip("the pretended GPU needs g++")
    library = pretend_gpu.built(request.config.cache.mkdir("pretend_gpu"))
    spawn = get_context("spawn")
    with ProcessPoolExecutor(1, spawn, pretend_gpu.begin, (library,)) as process:
        yield lambda function, *args: process.submit(function, *args).result()
