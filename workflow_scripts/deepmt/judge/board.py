"""Compare every system with the baseline and with the first, over seeds as blocks."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from deepmt.judge.contrast import Contrast, contrast, sentence_error
from deepmt.judge.corrections import largest_range, largest_t, moderated
from deepmt.judge.interval import Error, together
from deepmt.judge.quality import TrainedSystem
from deepmt.study.measures import PPL


@dataclass(frozen=True)
class Board:
    """Represent the log perplexities of systems as an effect of the system plus one of the seed.

    All systems of a seed see the same batches. Spreads are those of what is left, moved towards
    the one that all systems have in common.
    """

    systems: Sequence[TrainedSystem]

    @cached_property
    def logs(self) -> dict[tuple[int, int], float]:
        """Return log perplexities over all test sets by number of the system and by seed."""
        return {
            (number, seed): one.value(PPL, seed)
            for number, one in enumerate(self.systems)
            for seed in one.seeds
        }

    @cached_property
    def _fitted(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the effects of the systems, and what the effects leave of each seed."""
        places = [(number, self.systems[number].block(seed)) for number, seed in self.logs]
        blocks = sorted({block for _, block in places})
        design = np.zeros((len(places), len(self.systems) + len(blocks)))
        for row, (number, block) in enumerate(places):
            design[row, [number, len(self.systems) + blocks.index(block)]] = 1
        # The blocks' effects have a sum of 0; systems without a common block share none.
        closed = np.vstack([design, np.r_[np.zeros(len(self.systems)), np.ones(len(blocks))]])
        values = np.array([*self.logs.values()])
        effects = np.linalg.lstsq(closed, np.r_[values, 0.0], rcond=None)[0]
        return effects[: len(self.systems)], values - design @ effects

    @cached_property
    def log_perplexities(self) -> list[float]:
        """Return the log perplexity of each system, as if it had all seeds."""
        return [float(value) for value in self._fitted[0]]

    @cached_property
    def errors(self) -> list[Error]:
        """Return the standard error of each system's log perplexity."""
        systems = len(self.systems)
        away: dict[int, list[float]] = {number: [] for number in range(systems)}
        for (number, _), left in zip(self.logs, self._fitted[1], strict=True):
            away[number].append(float(left))
        # The seeds' effects take the share of one system.
        rest = systems / (systems - 1) if systems > 1 else 1.0
        spreads = [
            (math.sqrt(rest * math.fsum(x * x for x in own) / (len(own) - 1)), len(own) - 1)
            if len(own) > 1
            else (0.0, 0)
            for own in away.values()
        ]
        return [
            replace(error, size=error.size / math.sqrt(len(own)))
            for error, own in zip(moderated(spreads), away.values(), strict=True)
        ]

    def against(self, control: int, factor: "Factor") -> dict[int, Contrast]:
        """Return the contrasts of all other systems with one, in intervals that hold together."""
        found = {
            number: contrast(one, self.systems[control])
            for number, one in enumerate(self.systems)
            if number != control
        }
        errors = {number: self.error(number, control, one.seeds) for number, one in found.items()}
        known = {number: error for number, error in errors.items() if error.freedom}
        factors = dict(zip(known, factor([*known.values()], len(self.systems)), strict=True))
        judged = {}
        for number, one in found.items():
            value = self.log_perplexities[number] - self.log_perplexities[control]
            half = factors.get(number, math.inf) * errors[number].size
            judged[number] = replace(one, log=replace(one.log, value=value)).at(half)
        return judged

    def error(self, number: int, control: int, seeds: tuple[int, ...]) -> Error:
        """Return the standard error of a difference, over seeds and over sentences.

        Spreads have in common what they were moved to, so their degrees of freedom do not add up.
        """
        both = self.errors[number], self.errors[control]
        freedom = min(one.freedom for one in both)
        if not freedom:
            return Error(math.inf, 0)
        size = math.hypot(*(one.size for one in both))
        systems = self.systems[number], self.systems[control]
        return together([Error(size, freedom), *sentence_error(*systems, seeds)])


Factor = Callable[[Sequence[Error], int], list[float]]
"""Return how many standard errors half of each interval has, given the number of all systems."""


def with_baseline(errors: Sequence[Error], systems: int) -> list[float]:
    """Correct for as many comparisons with one system that was named before."""
    freedoms = [error.freedom for error in errors]
    return [largest_t(freedoms)] * len(errors) if errors else []


def with_first(errors: Sequence[Error], systems: int) -> list[float]:
    """Correct for the choice of the first as well: any two systems might have been compared."""
    return [largest_range(systems, error.freedom) for error in errors]
