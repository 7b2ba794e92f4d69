"""Choose the learning rate of every system by one protocol (docs/protocol.md)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass as plain_dataclass
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field
from pydantic.dataclasses import dataclass

from deepmt.base.errors import UserError
from deepmt.base.printable import printable
from deepmt.settings.csv_lines import read_lines
from deepmt.settings.spec import Spec
from deepmt.settings.strict import (
    STRICT,
    Count,
    CountOrNone,
    Distinct,
    Few,
    FewOrNone,
    Name,
    Perplexity,
    Positive,
    Some,
)

SEED = 1
"""Seed of every trial; the system that is chosen trains with the others, too."""
STAGES = 4
OUTCOME = r"^(finished|(diverged|stalled|collapsed) at update \d+)$"
Stage = Annotated[int, Field(ge=1, le=STAGES)]


@plain_dataclass(frozen=True, order=True)
class Trial:
    """Represent one training of a system with a learning rate and a warm-up."""

    lr: float
    warmup: int
    share: float = 1.0
    """Share of the scale's updates."""

    def spec(self, spec: Spec) -> Spec:
        """Return the spec of this trial of a system.

        A short trial is judged at its end alone: at half of it, the warm-up may not be over. It has
        no milestones either.
        """
        updates = round(spec.training.updates * self.share)
        settings: dict[str, Any] = {"lr": self.lr, "warmup": self.warmup, "updates": updates}
        if self.share < 1:
            settings |= {"divergence_patience": 1.0, "milestones": ()}
        return replace(spec, training=replace(spec.training, **settings))


@dataclass(frozen=True, kw_only=True, config=STRICT)
class TunedSystem:
    """Define the grid of one system: every rate with every warm-up."""

    warmups: Some[Count]
    rates: tuple[Positive, ...] = ()
    """Of this system alone, in place of those for all."""
    finalists: FewOrNone = 0
    """Likewise."""


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Tuning:
    """Define which trials a system has; the perplexity on dev decides."""

    systems: dict[Name, TunedSystem]
    """By their name in papers/unified.yaml."""
    groups: Distinct[str] = ()
    """Groups of its rows: their other systems are tuned as well, with `warmups`."""
    warmups: Distinct[Count] = ()
    rates: Some[Positive]
    share: Annotated[float, Field(gt=0, lt=1)]
    """Share of the updates that the first trials have."""
    finalists: Few
    """Trials that are repeated with all updates."""
    longer_warmup: CountOrNone = 0
    """Warm-up of the last trials, which is too long for the first ones; 0 = no such trials."""

    def __post_init__(self) -> None:
        """Raise UserError if the systems of groups have no grid."""
        if bool(self.groups) != bool(self.warmups):
            raise UserError("`groups` and `warmups` need each other")

    def grid(self, system: str) -> TunedSystem:
        """Return the system's own grid, or that of all groups."""
        return self.systems.get(system) or TunedSystem(warmups=self.warmups)

    def stages(self, system: str, dev: Mapping[Trial, float]) -> Iterator[list[Trial]]:
        """Yield the trials of each stage; `dev` has the perplexities of all stages before.

        All rates and warm-ups with a share of the updates; half the lowest or twice the highest
        rate if that is best; the best with all updates; the best of these with a longer warm-up, at
        its rate and at half of it.
        """
        own = self.grid(system)
        rates = own.rates or self.rates
        trials = [Trial(lr, warmup, self.share) for lr, warmup in product(rates, own.warmups)]
        yield trials
        best = min(trials, key=dev.__getitem__)
        beyond = {min(rates): best.lr / 2, max(rates): best.lr * 2}
        more = [replace(best, lr=beyond[best.lr])] if best.lr in beyond else []
        yield more
        ranked = sorted([*trials, *more], key=dev.__getitem__)
        kept = ranked[: own.finalists or self.finalists]
        finalists = [replace(trial, share=1.0) for trial in kept]
        yield finalists
        best = min(finalists, key=dev.__getitem__)
        # By inverse_sqrt, half the rate with four times the warm-up ends in the same rates.
        longer = (best.lr / 2, best.lr) if self.longer_warmup else ()
        yield [Trial(lr, self.longer_warmup) for lr in longer]

    def possible(self, system: str) -> list[Trial]:
        """Return every trial that a system may need."""
        own = self.grid(system)
        grid = own.rates or self.rates
        rates = (min(grid) / 2, *grid, max(grid) * 2)
        longer = {lr * factor for lr in rates for factor in (0.5, 1.0) if self.longer_warmup}
        return [
            *(Trial(*trial) for trial in product(rates, own.warmups, (self.share, 1.0))),
            *(Trial(lr, self.longer_warmup) for lr in sorted(longer)),
        ]


@plain_dataclass(frozen=True, kw_only=True)
class TrialResult:
    """Represent one trial with its evidence, as a line of rates.csv."""

    system: Name
    stage: Stage
    lr: Positive
    warmup: Count
    share: Annotated[float, Field(gt=0, le=1)]
    outcome: Annotated[str, Field(pattern=OUTCOME)]
    dev_perplexity: Perplexity
    run: Name
    hardware: Annotated[str, AfterValidator(printable)]
    commit: Annotated[str, AfterValidator(printable)]
    chosen: Literal["", "yes"] = ""

    @property
    def trial(self) -> Trial:
        """Return what was tried."""
        return Trial(self.lr, self.warmup, self.share)


def read_perplexities(path: Path | str) -> dict[Trial, float]:
    """Return the perplexities of trials that `tune.py` ranked."""
    return {line.trial: line.dev_perplexity for line in read_lines(TrialResult, Path(path))}
