"""Make tables and sentences of a scale's board; the pages have the headings."""

import json
import math
import textwrap
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from deepmt.base.files import visible
from deepmt.judge.contrast import Contrast, contrast, plain
from deepmt.judge.interval import Error, half_width
from deepmt.judge.quality import BLEU, TrainedSystem
from deepmt.judge.question import Answer
from deepmt.judge.ranking import RankedSystem, Ranking
from deepmt.measured.core_seconds import HOUR
from deepmt.measured.seeds import mean_and_spread
from deepmt.report import answer_in_words
from deepmt.report.answer_in_words import (
    AnswerLine,
    answer_lines,
    by_question,
    difference,
    ratio,
    standing,
)
from deepmt.report.fragments.recorded_scale import RecordedScales
from deepmt.report.fragments.row_tables import NOTHING, Cells, spread
from deepmt.report.page.names import options
from deepmt.study.measures import PPL
from deepmt.study.tuning import SEED

WIDTH = 118
DEPTHS = (False, 3), (True, 12)
"""Of the first screen: is it deep, and with how many layers a side."""
WATTS = 10
"""Of a thread; assumed."""


def board(recorded: RecordedScales, scale: str) -> Iterator[Cells]:
    """Yield every system beside the first and the baseline, with its core hours."""
    ranking = recorded[scale].ranking
    for one in ranking.systems:
        head, bleu, *rest = _cells(one)
        yield (*head, standing(one.with_baseline, "baseline"), bleu, *rest)
    for one in ranking.unranked:
        yield one.system.name, "0", one.ending, *[NOTHING] * 5


def depths(recorded: RecordedScales, scale: str, tried: str) -> Iterator[Cells]:
    """Yield each method with its BLEU at either depth, and what the more layers are worth.

    Of the settings of a method, the one with the most seeds stands for it; its BLEU is that of the
    pairs which decide. What fails at the shorter budget of the scale `tried` was not run at this
    one.
    """
    ranking = recorded[scale].ranking
    shorter = recorded[tried].ranking
    passes = max(seed.epochs for one in shorter.systems for seed in one.system.seeds.values())
    missing = {one.system.name: f"fails ({passes:.1f} passes)" for one in shorter.ended("fails")}
    for one in by_method(ranking):
        cells = (
            _bleu(one, deep)
            if deep in one.systems
            else missing.get(f"{n}+{n} {one.name}", "not run")
            for deep, n in DEPTHS
        )
        link = f"[{one.name}]({equation(next(iter(one.systems.values())))})"
        undecided = "undecided" * (len(one.systems) > 1)
        yield link, *cells, _worth(one.systems, one.decides) if one.decides else undecided


@dataclass(frozen=True)
class ByDepth:
    """Hold the systems that stand for a method."""

    name: str
    systems: Mapping[bool, RankedSystem]
    """By whether they are deep."""
    decides: Contrast | None
    """Between the two."""

    def seeds(self, deep: bool) -> Sequence[int]:
        """Return the seeds whose mean is shown."""
        return self.decides.seeds if self.decides else [*self.systems[deep].system.seeds]

    def bleu(self, deep: bool) -> str:
        """Return the mean BLEU over all test sets."""
        system = self.systems[deep].system
        return f"{fmean(system.value(BLEU, seed) for seed in self.seeds(deep)):.1f}"


def by_method(ranking: Ranking) -> list[ByDepth]:
    """Return the systems that stand for each method of a ranking."""
    chosen: dict[str, dict[bool, RankedSystem]] = {}
    for one in sorted(ranking.systems, key=lambda each: -len(each.system.seeds)):
        chosen.setdefault(method(one), {}).setdefault(one.system.deep, one)
    return [
        ByDepth(name, own, _decides(own, ranking) if len(own) > 1 else None)
        for name, own in chosen.items()
    ]


def _bleu(one: ByDepth, deep: bool) -> str:
    system = one.systems[deep].system
    return one.bleu(deep) + f" ({len(system.seeds)} seeds)" * (not system.may_be_first)


def _decides(own: Mapping[bool, RankedSystem], ranking: Ranking) -> Contrast | None:
    """Return the last decided comparison of the deep with the shallow form of a method."""
    pair = [own[True].system.name, own[False].system.name]
    same = (one for one in reversed(_decided(ranking)) if [s.name for s in one.systems] == pair)
    return next((one.found for one in same if one.found), None)


def _worth(own: Mapping[bool, RankedSystem], found: Contrast) -> str:
    """Say if the deep form of a method is the better one, and at which cost."""
    cost = (own[True].core_hours or math.nan) / (own[False].core_hours or math.nan)
    better = "**yes**" if found.log.value < 0 else "**no**"
    gain = difference(found.bleu.value, found.bleu.half)
    return f"{better}: BLEU {gain}, at {cost:.1f} times the cost"


def price(recorded: RecordedScales, scale: str) -> str:
    """Say what the best deep system gains on the best shallow one, and what is left at its cost."""
    decided = _decided(recorded[scale].ranking)
    at_cost = next(one for one in decided if one.question.at == "equal core seconds")
    same = (one for one in reversed(decided) if one.question.at == "equal updates")
    gain = next(one.found for one in same if one.systems == at_cost.systems)
    assert gain
    assert at_cost.found
    deep, shallow = (one.name.partition(",")[0] for one in at_cost.systems)
    stopped = (
        f"Stopped when it has cost as much, it has {ratio(at_cost.found.log)} times the perplexity"
        " on dev."
    )
    return wrapped(
        f"Against the best system of 3+3 layers of that width, {shallow}, {deep} gains BLEU"
        f" {difference(gain.bleu.value, gain.bleu.half)}. {beside_longer(decided) or stopped}"
        f"{_wider(recorded[scale].ranking)}"
    )


def beside_longer(decided: Sequence[Answer]) -> str:
    """Say what a deep system is beside one that is trained for more updates, at the same cost."""
    for found in (one.found for one in reversed(decided) if one.found):
        deep, longer = (next(iter(one.seeds.values())) for one in (found.one, found.other))
        if deep.updates < longer.updates:
            return (
                f"Beside {found.other.name}, which costs as much, it has {ratio(found.log)} times"
                f" the perplexity, and BLEU {difference(found.bleu.value, found.bleu.half)}."
            )
    return ""


def _wider(ranking: Ranking) -> str:
    """Say what the first deep system is beside the first of all, if that is a shallow one.

    The seeds of a question decide, if one asks for the two, and else all that both have.
    """
    first, deep = ranking.first, next(one for one in ranking.systems if one.system.deep)
    if first.system.deep or not deep.with_first:
        return ""
    sizes = " and ".join(f"{one.parameters / 1e6:.1f}" for one in (first, deep))
    names = [deep.system.name, first.system.name]
    asked = (one for one in _decided(ranking) if [s.name for s in one.systems] == names)
    found = next((one.found for one in asked if one.found), deep.with_first)
    bleu = difference(found.bleu.value, found.bleu.half)
    return (
        f" The lowest perplexity has a shallow model of equal size, {first.system.name}"
        f" ({len(first.system.seeds)} seeds; {sizes} million parameters): the best deep one has"
        f" {ratio(found.log)} times as much, and BLEU {bleu}."
    )


def _cells(one: RankedSystem) -> tuple[tuple[str, ...], str, str, str]:
    """Return name, seeds, perplexity and ratio; then BLEU, parameters and core hours."""
    hours = f"{one.core_hours:.2f}" if one.core_hours else NOTHING
    first = standing(one.with_first, "first")
    head = (one.system.name, str(len(one.system.seeds)), f"{one.perplexity:.2f}", first)
    return head, f"{one.cell.ours:.1f}", f"{one.parameters / 1e6:.1f}", hours


def fit(recorded: RecordedScales, scale: str) -> Iterator[Cells]:
    """Yield how well every system fits the training text, and predicts dev, by dropout."""
    found = []
    for one in (ranked.system for ranked in recorded[scale].ranking.systems):
        records = list(one.seeds.values())
        dropout = records[0].spec["training"]["dropout"]
        losses = [record.train_loss for record in records if record.train_loss is not None]
        on_dev = [record.dev_perplexities["last"] for record in records]
        found.append((dropout, fmean(losses), fmean(on_dev), one.name, str(len(records))))
    for dropout, loss, perplexity, name, seeds in sorted(found):
        yield f"{dropout:g}", name, seeds, f"{loss:.2f}", f"{perplexity:.2f}"


def kinds(recorded: RecordedScales, scale: str) -> Iterator[Cells]:
    """Yield perplexities of the systems that have seeds of CPUs and of GPUs."""
    for one in (ranked.system for ranked in recorded[scale].ranking.systems):
        logs: dict[bool, list[float]] = {False: [], True: []}
        for seed in one.seeds:
            logs[one.block(seed)[1]].append(one.value(PPL, seed))
        if all(logs.values()):
            found = [[math.exp(log) for log in logs[gpu]] for gpu in (False, True)]
            cells = [cell for own in found for cell in (str(len(own)), spread(own, 2))]
            ratio = math.exp(fmean(logs[True]) - fmean(logs[False]))
            yield one.name, *cells, f"{ratio:.3f}"


def answer(recorded: RecordedScales, scale: str) -> Iterator[Cells]:
    """Yield the registered questions of a scale with their answers."""
    ranking = recorded[scale].ranking
    for asks, one in _asked(ranking.answers, ranking):
        yield asks, one.systems, one.effect, one.verdict, one.pairs, one.scores


def found(recorded: RecordedScales, scale: str) -> Iterator[Cells]:
    """Yield what papers find, asked of the systems of a scale, each question once."""
    ranking = recorded[scale].ranking
    for asks, one in _asked(ranking.findings, ranking):
        yield asks, one.systems, one.says, one.verdict, one.effect, one.scores


def _decided(ranking: Ranking) -> list[Answer]:
    return [one for one in ranking.answers if one.decided]


def _asked(answers: Iterable[Answer], ranking: Ranking) -> Iterator[tuple[str, AnswerLine]]:
    """Yield answers, each question once, before its first."""
    for asks, own in by_question(answer_lines(answers, ranking)):
        for number, line in enumerate(own):
            yield asks if not number else "", line


def ratios(recorded: RecordedScales, scale: str, pairs: str) -> Iterator[Cells]:
    """Yield pairs of rows by all seeds that both have, without a correction and a verdict."""
    ranking = recorded[scale].ranking
    systems = {one.system.row.id.rpartition(".")[2]: one.system for one in ranking.systems}
    for one, other in (pair.split("/") for pair in pairs.split(",")):
        seeds = contrast(systems[one], systems[other])
        if not seeds.seeds:
            continue
        names = " against ".join(system.name for system in (seeds.one, seeds.other))
        dropouts = (_dropout(system) for system in (seeds.one, seeds.other))
        bleu = difference(seeds.bleu.value, seeds.bleu.half)
        shown = ", ".join(map(str, seeds.seeds))
        yield names, " and ".join(dropouts), shown, ratio(seeds.log), bleu


def _dropout(system: TrainedSystem) -> str:
    [record, *_] = system.seeds.values()
    return f"{record.spec['training']['dropout']:g}"


def unpaired(recorded: RecordedScales, scale: str) -> Iterator[Cells]:
    """Yield decided comparisons by all seeds but the first, without pairs (Welch 1947)."""
    known = [one for one in _decided(recorded[scale].ranking) if one.found]
    equal = [one.systems for one in known if one.question.at == "equal updates"]
    for systems in {tuple(one.run for one in own): own for own in equal}.values():
        logs = [[one.value(PPL, seed) for seed in one.seeds if seed != SEED] for one in systems]
        (one, one_error), (other, other_error) = map(_mean, logs)
        found = plain(one - other, half_width([one_error, other_error]))
        names = " against ".join(one.name for one in systems)
        yield names, " and ".join(str(len(own)) for own in logs), ratio(found)


def _mean(values: Sequence[float]) -> tuple[float, Error]:
    mean, spread = mean_and_spread(values)
    return mean, Error((spread or 0.0) / math.sqrt(len(values)), len(values) - 1)


def older(recorded: RecordedScales, scale: str) -> str:
    """Say how many pairs of the decided comparisons are older than the choice of their seeds."""
    known = _decided(recorded[scale].ranking)
    pairs = sum(len(one.found.seeds) for one in known if one.found)
    both = sum(len(one.older) for one in known)
    one_side = sum(len(one.half_known) for one in known)
    return wrapped(
        f"When their seeds were fixed, both sides of {both} of the {pairs} pairs of these"
        f" comparisons had begun to train, and one side of {one_side}."
    )


def spent(recorded: RecordedScales) -> str:
    """Say what the trainings of records/*.jsonl cost."""
    every = archived(recorded)
    runs = [run for run in every if run["hardware"]["device"] == "cpu"]
    seconds = sum(r["throughput"]["train_seconds"] * r["hardware"]["threads"] for r in runs)
    hours = seconds / HOUR
    return wrapped(
        f"The {len(runs)} trainings of `records/*.jsonl` on processors took {hours:.1f} thread"
        f" hours; the {len(every) - len(runs)} of a GPU, many at once, are left out. At"
        f" {WATTS} W a thread, which is an assumption, that is"
        f" {hours * WATTS / 1000:.1f} kWh. The sum is over `throughput.train_seconds` times"
        " `hardware.threads`; it leaves out decoding and includes pauses in some trials of"
        " `multi30k-fair`, and the time that those of `multi30k-budget` waited for other jobs."
    )


def failed(recorded: RecordedScales) -> str:
    """Say how the failed trainings of records/*.jsonl ended."""
    outcomes = Counter(run["outcome"] for run in archived(recorded))
    return wrapped(
        f"Of the runs in `records/`, {outcomes['stalled']} stalled in training,"
        f" {outcomes['diverged']} diverged; the other failures collapsed, which only their"
        " gradients show."
    )


def archived(recorded: RecordedScales) -> list[dict[str, Any]]:
    """Return the lines of records/*.jsonl."""
    paths = visible(recorded.root / "records", "*.jsonl")
    return [json.loads(line) for path in paths for line in path.open(encoding="utf-8")]


def noise(recorded: RecordedScales, scale: str) -> str:
    """Say which difference to the first can be found."""
    return wrapped(answer_in_words.noise(recorded[scale].ranking))


def method(one: RankedSystem) -> str:
    """Return the name of a system without its layers and what it changes."""
    return one.system.row.label.partition(",")[0]


def equation(one: RankedSystem) -> str:
    """Return the path of the module that implements what a system is named after.

    That is its last option that the names of runs show: DLCL of pre-norm with DLCL.
    """
    named = [each for each in options(one) if each.named]
    return f"workflow_scripts/{named[-1].module.replace('.', '/')}.py"


def printed(recorded: RecordedScales, scale: str) -> str:
    """Say what became of the printed values of one seed at a scale."""
    found = recorded[scale]
    return wrapped(answer_in_words.printed(found.plan.papers, found.cells))


def wrapped(text: str) -> str:
    """Break a text into lines."""
    return textwrap.fill(text, WIDTH, break_on_hyphens=False, break_long_words=False) + "\n"
