"""What a part of a model costs on its way forward, for one batch."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

from deepmt.config.spec import Spec

Counted = TypeVar("Counted")


@dataclass(frozen=True, kw_only=True)
class Shape:
    """A batch as the model sees it: B sentences, S and T positions with padding."""

    sentences: float
    source: float
    target: float
    predictions: float
    """Real target positions: only these are projected to the vocabulary."""
    hypotheses: int = 1
    """Target rows a sentence: the beam when decoding."""

    @property
    def source_rows(self) -> float:
        """B S."""
        return self.sentences * self.source

    @property
    def target_rows(self) -> float:
        """B T, times the beam."""
        return self.sentences * self.hypotheses * self.target


@dataclass(frozen=True)
class Work:
    """Adds up over parts; `work * 6` is six parts alike."""

    parameters: int = 0
    """Trained ones, each matrix once."""
    products: float = 0.0
    """Multiplications (each with its addition) of matrix products: 2 FLOPs."""
    values: float = 0.0
    """Numbers kept for the way back."""
    calls: float = 0.0
    """Operations handed to torch, roughly: what costs time however small the batch is."""

    def __add__(self, other: "Work") -> "Work":
        return Work(
            self.parameters + other.parameters,
            self.products + other.products,
            self.values + other.values,
            self.calls + other.calls,
        )

    def __mul__(self, times: int) -> "Work":
        return Work(
            self.parameters * times, self.products * times, self.values * times, self.calls * times
        )


def linear(rows: float, inputs: int, outputs: int, *, bias: bool = True) -> Work:
    """x W + b: [rows, inputs] -> [rows, outputs]; its input is kept."""
    size = inputs * outputs
    return Work(size + outputs * bias, rows * size, rows * inputs, 1)


def vectors(rows: float, width: int, *, parameters: int = 0, calls: float = 1) -> Work:
    """Anything that is no product: [rows, width] values are kept."""
    return Work(parameters, 0, rows * width, calls)


def chosen(spec: Spec, key: str, counted: Mapping[str, Counted]) -> Counted:
    """What is counted for a choice of the method, by its name.

    Raises:
        ValueError: spec.py has a name for which nothing is counted.
    """
    name = getattr(spec.method, key).name
    if name not in counted:
        raise ValueError(
            f"method.{key}={name} has no cost yet: add it beside {', '.join(counted)} in"
            " workflow_scripts/deepmt/estimate/flops.py or parts.py"
        )
    return counted[name]
