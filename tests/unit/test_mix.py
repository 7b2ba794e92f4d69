"""Sums of layers, whole and block by block."""

import pytest
import torch

from deepmt.model.mix import BLOCK, combine


@pytest.mark.parametrize("columns", [1, BLOCK - 1, BLOCK, 3 * BLOCK, 2 * BLOCK + 7])
@pytest.mark.parametrize("rows", [1, 5])
def test_blocks_make_the_same_sum(rows: int, columns: int) -> None:
    draw = torch.Generator().manual_seed(rows)
    weights = torch.randn(rows, dtype=torch.double, generator=draw)
    layers = torch.randn(rows, columns, dtype=torch.double, generator=draw)
    expected = sum(w * row for w, row in zip(weights, layers, strict=True))
    torch.testing.assert_close(combine(weights, layers), expected)


def test_autocast_does_not_round_the_sum() -> None:
    layers = torch.randn(3, 2 * BLOCK + 5, generator=torch.Generator().manual_seed(1))
    weights = torch.tensor([0.2, 0.3, 0.5])
    with torch.autocast("cpu", torch.bfloat16):
        rounded = combine(weights, layers)
    torch.testing.assert_close(rounded, combine(weights, layers), rtol=0, atol=0)
