"""Fixtures that choose how layers multiply: in tiles on every processor with AVX512-BF16."""

from functools import cache
from pathlib import Path

import pytest

from deepmt.kernels import compiled, fast_linear, tiled_linear

INSTRUCTIONS = Path(__file__).with_suffix(".h")


@pytest.fixture(scope="session")
def build_folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Operations with emulated tiles are built once for all tests."""
    return str(tmp_path_factory.mktemp("operations"))


@pytest.fixture
def tiles(monkeypatch: pytest.MonkeyPatch, build_folder: str) -> None:
    """Multiply in the processor's tiles, or in emulated ones."""
    if not tiled_linear.tiles_are_given():
        emulated = "-D__AMX_BF16__", "-include", str(INSTRUCTIONS)
        monkeypatch.setenv("XDG_CACHE_HOME", build_folder)
        monkeypatch.setattr(compiled, "FLAGS", (*compiled.FLAGS, *emulated))
        monkeypatch.setattr(compiled, "library", cache(compiled.library.__wrapped__))
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
