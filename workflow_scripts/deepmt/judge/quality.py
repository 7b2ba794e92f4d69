"""Measure the quality of a system's seeds over all test sets of its scale."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from statistics import fmean

from deepmt.measured.dev_progress import LogDev
from deepmt.measured.log_probabilities import LogProbabilities
from deepmt.measured.records import Record
from deepmt.measured.seeds import trains
from deepmt.measured.table import Measured
from deepmt.settings.method import Method
from deepmt.study.measures import PPL
from deepmt.study.papers import Row
from deepmt.study.questions import FEWEST_PAIRS

CHRF, BLEU = "chrf", "bleu"


@dataclass(frozen=True, kw_only=True)
class TrainedSystem:
    """Represent a system with the seeds that train."""

    row: Row
    run: str
    method: Method
    seeds: Mapping[int, Record]
    tokens: Mapping[str, int]
    """Target tokens of each test set, with the end symbols."""
    layers: tuple[int, int]
    """Of encoder and decoder."""
    deep: bool
    """Has more layers than the scale's shallow systems."""
    dataset: str = ""
    dev: Mapping[int, LogDev]
    """Of the seeds that logged it."""
    failed: int = 0
    """Seeds that do not train."""
    kept: Mapping[int, Mapping[str, LogProbabilities]] = field(default_factory=dict)
    """Log probabilities and tokens of every sentence by test set, of the seeds that kept them."""

    @property
    def system(self) -> str:
        """Return its name in the paper's file."""
        return str(self.row.system)

    @property
    def name(self) -> str:
        """Return e.g. "12+6 pre-norm"."""
        return "{}+{} {}".format(*self.layers, self.row.label)

    @property
    def may_be_first(self) -> bool:
        """Check if it has enough seeds for a verdict."""
        return len(self.seeds) >= FEWEST_PAIRS

    def block(self, seed: int) -> tuple[int, bool]:
        """Return what systems of equal batches share: the seed, and if a GPU trained it."""
        return seed, self.seeds[seed].hardware.get("device") == "cuda"

    def value(self, measure: str, seed: int, split: str = "") -> float:
        """Return a seed's measure of a test set, or of all, weighted by their tokens.

        That of perplexity is its logarithm.
        """
        if split:
            value = self.seeds[seed].value(measure, split)
            return math.log(value) if measure == PPL else value
        total = math.fsum(self.tokens.values())
        return (
            math.fsum(n * self.value(measure, seed, split) for split, n in self.tokens.items())
            / total
        )

    @property
    def bleu(self) -> float:
        """Return the mean BLEU over all test sets of the seeds that train; 0 without one."""
        return fmean([self.value(BLEU, seed) for seed in self.seeds] or [0.0])

    @cached_property
    def updates(self) -> int:
        """Return the fewest updates of a seed."""
        return min((record.updates for record in self.seeds.values()), default=0)


def system_of(row: Row, results: Measured) -> TrainedSystem:
    """Return the system of a row with the seeds that train and are translated on every test set."""
    spec, records = results.specs[row.id], results.records_of(row.id)
    tokens = results.test_tokens(spec.dataset)
    layers = spec.encoder.layers, spec.decoder.layers
    whole = {
        record.seed: record
        for record in records
        if trains(record) and tokens and record.scores.keys() >= tokens.keys()
    }
    return TrainedSystem(
        row=row,
        run=spec.run,
        method=spec.method,
        seeds=dict(sorted(whole.items())),
        tokens=tokens,
        layers=layers,
        deep=max(layers) > results.depths["shallow"],
        dataset=spec.dataset,
        dev=results.dev.get(spec.run, {}),
        failed=sum(not trains(record) for record in records),
        kept={seed: own for seed in whole if (own := results.sentences.get((spec.run, seed)))},
    )
