"""What trainings log can be read by TensorBoard, which no training knows of."""

import pytest

from commands import status
from deepmt.machines.tensorboard_logs import numbers


def test_every_number_of_an_update_is_a_point_of_its_series() -> None:
    events = [
        {"event": "start", "attempt": 1, "time": 1.0, "updates": 9},
        {"event": "training", "attempt": 1, "time": 2.0, "update": 3, "loss": 4.5},
        {"event": "dev", "attempt": 1, "time": 2.5, "update": 3, "ppl": float("inf")},
        {"event": "gradients", "attempt": 1, "time": 3.0, "update": 4, "encoder": [0.1, 0.2]},
        {"event": "milestone", "attempt": 1, "time": 4.0, "update": 5, "ppl": {"mean": 8.0}},
    ]
    assert list(numbers(events)) == [
        ("training/loss", 4.5, 3, 2.0),
        ("gradients/encoder/1", 0.1, 4, 3.0),
        ("gradients/encoder/2", 0.2, 4, 3.0),
        ("milestone/ppl/mean", 8.0, 5, 4.0),
    ]


def test_without_tensorboard_its_package_is_named(tmp_path) -> None:
    try:
        import tensorboard  # noqa: F401
    except ImportError:
        with pytest.raises(ValueError, match="--tensorboard needs a package"):
            status.main(tensorboard=tmp_path / "logs")
