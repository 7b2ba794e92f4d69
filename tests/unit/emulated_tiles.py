"""Fixtures that choose how layers multiply."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest
import torch

from deepmt.kernels import compiled, tiled_linear

INSTRUCTIONS = Path(__file__).with_suffix(".h")
UNITS = ("vectors", "amx")
"""What multiplies tiles of bfloat16 numbers."""


def build_with(flags: Sequence[str], folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Build the operations with other options, in a folder of their own."""
    monkeypatch.setenv("XDG_CACHE_HOME", folder)
    monkeypatch.setattr(compiled, "FLAGS", flags)
    for name in ("attempt", "has_tiles"):
        monkeypatch.setattr(compiled, name, cache(getattr(compiled, name).__wrapped__))


@pytest.fixture(scope="session")
def build_folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Operations with other options are built once for all tests."""
    return str(tmp_path_factory.mktemp("operations"))


@pytest.fixture(params=["float32", *UNITS])
def multiplied(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, build_folder: str
) -> torch.dtype:
    """Multiply float32 or bfloat16 numbers in tiles, or, if a test asks, by torch."""
    if request.param == "torch":
        monkeypatch.setattr(compiled, "has_tiles", lambda: False)
    else:
        multiply_tiles_by(request.param, build_folder, monkeypatch)
    return torch.float32 if request.param == "float32" else torch.bfloat16


def multiply_tiles_by(unit: str, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Multiply by vectors or by AMX, which is emulated if the processor lacks it."""
    has_amx = torch.cpu._is_amx_tile_supported()
    if unit == "vectors" and has_amx:
        build_with((*compiled.FLAGS, "-U__AMX_BF16__"), folder, monkeypatch)
    elif unit == "amx" and not has_amx:
        emulated = "-D__AMX_BF16__", "-include", str(INSTRUCTIONS)
        build_with((*compiled.FLAGS, *emulated), folder, monkeypatch)
    if not compiled.has_tiles():
        pytest.skip("this processor has no AVX512-BF16, or there is no g++")
    monkeypatch.setattr(compiled, "mkl_is_slow", lambda: True)
    monkeypatch.setattr(tiled_linear, "MIN_MULTIPLICATIONS", 0)
