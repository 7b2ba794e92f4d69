"""Choose width, depth and updates of models so that all runs of a text fit some hours."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from math import ceil
from typing import Any

from deepmt.config.hardware import Hardware
from deepmt.estimate.batch_shape import mean_batch
from deepmt.estimate.corpus_sizes import CorpusSize
from deepmt.estimate.cost import Cost
from deepmt.estimate.resources import SECONDS_PER_PAIR

HOUR = 3600
EVALUATIONS = 5
"""Evaluations of dev perplexity in a run."""
STARTS = 4
"""Starts of torch in a run, or as long: initialise, train, average, translate and score."""
TEXT_SECONDS = 60
"""Seconds to learn subwords, encode and render, besides those that grow with the text."""
LEAST_UPDATES = 100
ROUND = 20
"""Updates are a multiple of this, so that the last one has a checkpoint."""
MOST_PASSES = 40
"""Passes through the text after which more updates rather overfit."""
MAX_THREADS = 16


@dataclass(frozen=True, kw_only=True)
class ModelSize:
    """Describe models and the recipe that scales/*.yaml have for models of this width."""

    width: int
    deep: int
    """Layers of the deep systems' stacks."""
    pairs: int
    """Training pairs from which models of this size are considered."""
    enough: int
    """Updates that a run must have time for, or else a smaller size is chosen."""
    batch_tokens: int
    lr: float
    dropout: float


_NARROW = ModelSize(width=128, deep=6, pairs=0, enough=0, batch_tokens=1000, lr=2e-3, dropout=0.1)
_MIDDLE = ModelSize(
    width=256, deep=6, pairs=20_000, enough=3000, batch_tokens=2400, lr=1.5e-3, dropout=0.2
)
_WIDE = ModelSize(
    width=512, deep=6, pairs=100_000, enough=8000, batch_tokens=8000, lr=1e-3, dropout=0.3
)
SIZES = (
    _NARROW,
    replace(_NARROW, deep=12, enough=1500),
    _MIDDLE,
    replace(_MIDDLE, deep=12),
    _WIDE,
    replace(_WIDE, deep=12),
)
"""Sizes from the cheapest to the dearest; the dearest that fits is chosen."""


@dataclass(frozen=True, kw_only=True)
class SharedMachine:
    """Describe what the runs share."""

    hardware: Hardware
    count: int
    """Cores, or GPUs."""

    def threads(self, runs: int) -> int:
        """Return the threads of a run, so that all runs together keep the cores busy."""
        return 2 if self.hardware.cuda else max(1, min(MAX_THREADS, self.count // runs))


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """Hold a size with the updates that fit the hours."""

    size: ModelSize
    updates: int
    hours: float
    """Estimated for all runs together."""
    passes: float

    def settings(self, machine: SharedMachine, runs: int) -> dict[str, Any]:
        """Return what the scale of a text needs to know."""
        return asdict(self.size) | {
            "shallow": self.size.deep // 2,
            "updates": self.updates,
            "threads": machine.threads(runs),
            "gpus": int(machine.hardware.cuda),
            "evaluations": EVALUATIONS,
        }


def choose(
    costs_of: Callable[[ModelSize], Sequence[Cost]],
    hours: float,
    machine: SharedMachine,
    size: CorpusSize,
    lines: dict[str, int],
) -> Chosen:
    """Return the dearest size whose runs have time for enough updates, with these updates.

    `costs_of` returns the cost of every run with models of a size; its updates do not matter.

    Raises:
        ValueError: the hours are too few for the smallest models; says how many would do.
    """
    chosen = None
    for each in SIZES:
        if lines["train"] < each.pairs:
            continue
        found = _fitted(each, costs_of(each), hours, machine, size, lines)
        if found.updates >= max(each.enough, LEAST_UPDATES):
            chosen = found
        elif chosen is None:
            raise ValueError(
                f"hours={hours:g}: too few to train even models {each.width} wide for"
                f" {LEAST_UPDATES} updates; give at least hours={ceil(found.hours * 100) / 100:g},"
                " or fewer methods"
            )
        else:
            break
    assert chosen is not None
    return chosen


def _fitted(
    each: ModelSize,
    costs: Sequence[Cost],
    hours: float,
    machine: SharedMachine,
    size: CorpusSize,
    lines: dict[str, int],
) -> Chosen:
    """Return the updates that fit, and the hours that they or LEAST_UPDATES take.

    All runs last max(longest run, sum of runs / runs at once), each updates * u + v.
    """
    at_once = machine.count // (1 if machine.hardware.cuda else costs[0].threads)
    rest = TEXT_SECONDS + SECONDS_PER_PAIR * lines["train"]
    update = [cost.update_seconds for cost in costs]
    fixed = [_besides_updates(*one, lines) for one in zip(costs, update, strict=True)]
    seconds = hours * HOUR - rest
    fitting = min(
        (seconds * at_once - sum(fixed)) / sum(update),
        *((seconds - v) / u for u, v in zip(update, fixed, strict=True)),
    )
    batch = mean_batch(costs[0].spec, size)
    pass_updates = lines["train"] / batch.sentences
    updates = int(min(fitting, MOST_PASSES * pass_updates)) // ROUND * ROUND
    done = max(updates, LEAST_UPDATES)
    runs = [done * u + v for u, v in zip(update, fixed, strict=True)]
    return Chosen(
        size=each,
        updates=updates,
        hours=(rest + max(*runs, sum(runs) / at_once)) / HOUR,
        passes=done / pass_updates,
    )


def _besides_updates(cost: Cost, update: float, lines: dict[str, int]) -> float:
    """Return the seconds of a run besides its updates: starts, dev perplexity, translation."""
    batches = lines["dev"] / mean_batch(cost.spec, cost.size).sentences
    evaluations = EVALUATIONS * batches * update / 3
    return STARTS * cost.hardware.start + evaluations + cost.search_seconds(lines["test"])
