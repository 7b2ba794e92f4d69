"""Measure every printed time, speed and ratio: the lines of speed.csv."""

import gc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median, stdev

from deepmt.base.printable import say
from deepmt.study.papers import Paper
from deepmt.study.scale import Scale
from deepmt.untrained.newstest import SENTENCES, SENTENCES_A_BATCH, TARGET_TOKENS_A_STEP
from deepmt.untrained.speed import Architecture, Effort, Machine, Timing, time_in_turn
from deepmt.untrained.speed_rows import UNITS, Entry, comparisons
from deepmt.untrained.untrained_specs import full_size

TRAINING_MEASURES = ("train_step_s", "train_step_speedup")
BY_DEFINITION = "built like its reference: 1 by definition"


@dataclass(frozen=True, kw_only=True)
class SpeedLine:
    """Represent a line of speed.csv."""

    table: str
    row: str
    measure: str
    ours: float
    """The median over rounds."""
    spread: float | None
    """The standard deviation over rounds."""
    rounds: int
    """0 if a ratio is 1 by definition."""
    note: str
    """The machine, its settings, and the work."""


def ratios(reference: Sequence[float], own: Sequence[float]) -> list[float]:
    """Return the speed-up over the reference, round by round."""
    return [theirs / ours for theirs, ours in zip(reference, own, strict=True)]


VALUES: dict[str, Callable[[Timing, Timing], list[float]]] = {
    "decode_s": lambda own, _: [SENTENCES * seconds for seconds in own.sentence],
    "decode_speedup": lambda own, reference: ratios(reference.sentence, own.sentence),
    "train_step_s": lambda own, _: list(own.step),
    "train_step_speedup": lambda own, reference: ratios(reference.step, own.step),
    "tokens_per_s": lambda own, _: [1 / seconds for seconds in own.token],
    "tokens_per_s_ratio": lambda own, reference: ratios(reference.token, own.token),
}
"""Measure -> its values, one per round, from the timings of a system and its reference."""


def lines(paper: Paper, scale: Scale, effort: Effort, machine: Machine) -> Iterator[SpeedLine]:
    """Yield every printed time, speed and ratio of a paper; compared systems alternate."""
    for entries in comparisons(paper):
        say(f"speed: {', '.join(entry.row for entry in entries)}")
        yield from lines_of_comparison(paper, entries, scale, effort, machine)
        gc.collect()


def lines_of_comparison(
    paper: Paper, entries: Sequence[Entry], scale: Scale, effort: Effort, machine: Machine
) -> Iterator[SpeedLine]:
    """Yield the lines of one comparison; systems of equal architecture are measured once."""
    specs = {entry.system: full_size(paper, entry.system, scale) for entry in entries}
    built = {
        system: Architecture.of(spec, paper.vocabulary[spec.data.corpus])
        for system, spec in specs.items()
    }
    timings = time_in_turn(
        {built[system]: spec for system, spec in specs.items()},
        effort,
        machine,
        training=any(measure in TRAINING_MEASURES for e in entries for measure in e.measures),
    )
    for entry in entries:
        own, reference = built[entry.system], built[entry.reference]
        for measure in entry.measures:
            values = VALUES[measure](timings[own], timings[reference])
            if own == reference and UNITS[measure] == "ratio":
                values = []
            yield SpeedLine(
                table=entry.table,
                row=entry.row,
                measure=measure,
                ours=round(median(values), 4) if values else 1.0,
                spread=round(stdev(values), 4) if len(values) > 1 else None,
                rounds=len(values),
                note=note(measure, effort, machine) if values else BY_DEFINITION,
            )


def note(measure: str, effort: Effort, machine: Machine) -> str:
    """Describe how a value was measured."""
    workload = f"{effort.sentences:,} sentences in batches of {SENTENCES_A_BATCH}, input and output"
    workload += " with the lengths of newstest2014"
    if measure in TRAINING_MEASURES:
        workload = f"{effort.steps} steps of about {TARGET_TOKENS_A_STEP:,} target tokens"
    elif measure == "decode_s" and effort.sentences < SENTENCES:
        workload += f"; scaled to {SENTENCES:,}"
    where = f"{machine.name}, {machine.threads} threads, {machine.precision}, random weights"
    return f"{where}; {workload}; median of {effort.rounds} rounds"
