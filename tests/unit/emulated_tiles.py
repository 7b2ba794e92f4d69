"""Fixtures that choose how layers multiply: in tiles on every processor with AVX512-BF16."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from deepmt.kernels import compiled, fast_linear, tiled_linear

INSTRUCTIONS = Path(__file__).with_suffix(".h")


def build_with(flags: Sequence[str], folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Build the operations with other options, in a folder of their own."""
    monkeypatch.setenv("XDG_CACHE_HOME", folder)
    monkeypatch.setattr(compiled, "FLAGS", flags)
    monkeypatch.setattr(compiled, "library", cache(compiled.library.__wrapped__))


@pytest.fixture(scope="session")
def build_folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Operations with emulated tiles are built once for all tests."""
    return str(tmp_path_factory.mktemp("operations"))


@pytest.fixture
def tiles(monkeypatch: pytest.MonkeyPatch, build_folder: str) -> None:
    """Multiply in the processor's tiles, or in emulated ones."""
    if not tiled_linear.tiles_are_given():
        emulated = "-D__AMX_BF16__", "-include", str(INSTRUCTIONS)
        build_with((*compiled.FLAGS, *emulated), build_folder, monkeypatch)
        if not hasattr(compiled.library("bfloat16"), "linear"):
            pytest.skip("this processor has no AVX512-BF16, or there is no g++")
    monkeypatch.setattr(tiled_linear, "tiles_are_given", lambda: True)


@pytest.fixture
def torch_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Multiply small matrices by torch's default."""
    monkeypatch.setattr(tiled_linear, "tiles_are_given", lambda: False)


@pytest.fixture
def onednn(torch_alone: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Multiply by oneDNN, however small the matrices."""
    monkeypatch.setattr(fast_linear, "MIN_MULTIPLICATIONS", 0)
