"""Choose width, depth and updates of models so that all runs of a text fit some hours."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil

from deepmt.base.errors import UserError
from deepmt.machines.cluster_requests import SECONDS_PER_PAIR
from deepmt.machines.corpus_sizes import mean_batch
from deepmt.machines.cost import HOUR, Cost
from deepmt.machines.hardware import Hardware
from deepmt.machines.planned_runs import Machines
from wings.text.text_settings import CHECKPOINTS, ENOUGH, EVALUATIONS, ModelSize

STARTS = 4
"""Starts of torch in a run, or as long: initialise, train, average, translate and score."""
TEXT_SECONDS = 60
"""Seconds to learn subwords, encode and render, besides those that grow with the text."""
LEAST_UPDATES, MOST_UPDATES = 100, 10**9
ROUND = CHECKPOINTS
"""Updates are a multiple of this, so that the last one has a checkpoint."""
MOST_PASSES = 40
"""Passes through the text after which more updates rather overfit, but for the first ENOUGH."""
MAX_THREADS = 16


def shared(hardware: Hardware, count: int, runs: int) -> Machines:
    """Return machines with as many threads a run that all runs together keep the cores busy."""
    threads = 2 if hardware.cuda else max(1, min(MAX_THREADS, count // runs))
    return Machines(hardware=hardware, count=count, threads=threads, gpus=1)


@dataclass(frozen=True, kw_only=True)
class SharedRuns:
    """Estimate the time of runs that share a machine.

    All together last max(longest run, sum of runs / runs at once); one lasts (U - done) u + v
    seconds, with U updates of u seconds.
    """

    costs: Sequence[Cost]
    done: Sequence[int]
    """Updates that each run has behind it."""
    at_once: int
    """Runs that train at the same time."""
    lines: Mapping[str, int]
    """Pairs by split."""

    def hours(self, updates: int) -> float:
        """Return the hours until all have this number of updates."""
        runs = [(updates - done) * u + v for done, u, v in self._times]
        return (self._text + max(*runs, sum(runs) / self.at_once)) / HOUR

    def least(self, updates: int) -> str:
        """Return the hours to give for this number of updates, rounded up."""
        return f"{ceil(self.hours(updates) * 100) / 100:g}"

    def updates(self, hours: float) -> int:
        """Return the updates that all have after some hours."""
        return bisect_right(range(MOST_UPDATES), hours, key=self.hours) - 1

    def passes(self, updates: int) -> float:
        """Return the passes through the training text in this number of updates."""
        first = self.costs[0]
        return updates * mean_batch(first.spec, first.size).sentences / first.size.pairs

    @property
    def _text(self) -> float:
        return TEXT_SECONDS + SECONDS_PER_PAIR * self.lines["train"]

    @cached_property
    def _times(self) -> list[tuple[int, float, float]]:
        """Return done, u and v of each run; v: starts, dev perplexity, translation."""
        found = []
        for cost, done in zip(self.costs, self.done, strict=True):
            update = cost.update_seconds
            batches = self.lines["dev"] / mean_batch(cost.spec, cost.size).sentences
            evaluations = EVALUATIONS + 2  # of the last weights, and of their mean
            rest = evaluations * batches * update / 3 + cost.search_seconds(self.lines["test"])
            found.append((done, update, STARTS * cost.hardware.start + rest))
        return found


def choose(
    tried: Iterable[tuple[ModelSize, SharedRuns]], hours: float
) -> tuple[ModelSize, SharedRuns, int]:
    """Return the dearest size whose runs have time for enough updates, its runs and these updates.

    `tried` are sizes and their runs, the cheapest first; none is asked for in vain.

    Raises:
        ValueError: the hours are too few for the smallest models; says how many would do.
    """
    chosen = None
    for size, runs in tried:
        most = max(ENOUGH, int(MOST_PASSES / runs.passes(1)))
        updates = min(runs.updates(hours), most) // ROUND * ROUND
        if updates >= max(size.enough, LEAST_UPDATES):
            chosen = size, runs, updates
        elif chosen is None:
            raise UserError(
                f"hours={hours:g}: too few to train even models {size.width} wide for"
                f" {LEAST_UPDATES} updates; give at least hours={runs.least(LEAST_UPDATES)}, or"
                " fewer methods"
            )
        else:
            break
    assert chosen is not None
    return chosen
