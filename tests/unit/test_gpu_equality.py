"""`make check-gpu` finds a wrong gradient, which no loss of the first update shows."""

from typing import Any

import pytest
from torch import Tensor

from bench.check_gpu import LONG, Check
from deepmt.train.update import Updater


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_the_check_fails_with_a_wrong_gradient(
    precision: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure = dict(Check("cpu").equality())[f"post {precision}"]
    assert measure()["passed"]
    right = Updater.gradient

    def wrong(updater: Updater, *args: Any) -> tuple[Tensor, Tensor]:
        found = right(updater, *args)
        updater.flat.gradient.mul_(-3)
        return found

    monkeypatch.setattr(Updater, "gradient", wrong)  # what is expected was computed before
    found = measure()
    assert found["first_loss_error"] < 1e-3
    assert found["gradient_error"] == pytest.approx(4, rel=0.01)
    assert found["gradient_cosine"] == pytest.approx(-1, abs=0.01)
    assert not found["passed"]


def test_the_first_gradient_is_that_of_long_sentences() -> None:
    first, *others = Check("cpu").batches(LONG)
    assert first.longest == LONG > max(batch.longest for batch in others)
    assert (first.target == 0).any()
