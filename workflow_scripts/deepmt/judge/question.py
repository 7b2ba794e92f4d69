"""Answer the registered questions: which of two systems is better, by the seeds that were named."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from deepmt.judge.contrast import Contrast, contrast, of_pairs
from deepmt.judge.corrections import holm
from deepmt.judge.interval import half_width, together
from deepmt.judge.judged import Judged
from deepmt.judge.quality import TrainedSystem
from deepmt.measured.quality_by_update import quality_by_update
from deepmt.study.papers import Paper
from deepmt.study.questions import AskedContrast, Question
from deepmt.study.tuning import SEED


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Represent one contrast of a question, or why there is none yet."""

    question: Question
    asked: AskedContrast
    found: Contrast | None = None
    missing: str = ""
    """Why there is none."""
    older: tuple[int, ...] = ()
    """Seeds whose two trainings began before question and seeds were fixed."""
    half_known: tuple[int, ...] = ()
    """Seeds of which one training did."""

    @property
    def decided(self) -> bool:
        """Check if one of the two is better."""
        return self.found is not None and self.found.decided

    @property
    def printed(self) -> tuple[str, str] | None:
        """Return the rows whose printed BLEU differ by as much as a paper says."""
        return self.asked.printed


def answers(
    paper: Paper, scale: str, systems: Mapping[str, TrainedSystem], costs: Mapping[str, float]
) -> Iterator[Answer]:
    """Yield the answers to the questions of a scale; `costs` are core seconds an update by run."""
    for question in paper.questions:
        if question.scale == scale:
            yield from _answered(question, paper, systems, costs)


def _answered(
    question: Question,
    paper: Paper,
    systems: Mapping[str, TrainedSystem],
    costs: Mapping[str, float],
) -> Iterator[Answer]:
    """Compare the systems of one question; Holm's correction is for all its contrasts."""
    compared = [_contrast(question, asked, paper, systems, costs) for asked in question.compare]
    known = [one.found for one in compared if one.found]
    open_ = len(compared) - len(known)
    errors = [together(one.errors) for one in known]
    confidences = holm(
        [*(one.log.value for one in known), *[0.0] * open_], [*errors, *[together([])] * open_]
    )
    levels = dict(zip(map(id, known), confidences, strict=False))
    for one in compared:
        if one.found is None:
            yield one
            continue
        half = half_width(one.found.errors, levels[id(one.found)])
        yield replace(one, found=one.found.at(half, len(question.seeds)))


def _contrast(
    question: Question,
    asked: AskedContrast,
    paper: Paper,
    systems: Mapping[str, TrainedSystem],
    costs: Mapping[str, float],
) -> Answer:
    sides = [best_on_dev(named(side, paper), systems) for side in (asked.system, asked.against)]
    one, other = sides
    if one is None or other is None:
        return Answer(question=question, asked=asked, missing="not run")
    found = (
        contrast(one, other, question.seeds)
        if question.at == "equal updates"
        else at_equal_cost(one, other, question.seeds, costs)
    )
    if isinstance(found, str):
        return Answer(question=question, asked=asked, missing=found)
    known = {
        seed: sum(side.seeds[seed].started < question.fixed for side in (one, other))
        for seed in found.seeds
    }
    older, half_known = (tuple(seed for seed in known if known[seed] == n) for n in (2, 1))
    return Answer(question=question, asked=asked, found=found, older=older, half_known=half_known)


def named(side: Iterable[str], paper: Paper) -> list[str]:
    """Return the systems of one side, with those of its groups."""
    return [system for name in side for system in paper.groups.get(name, (name,))]


def best_on_dev(names: Sequence[str], systems: Mapping[str, TrainedSystem]) -> TrainedSystem | None:
    """Return the system that predicts dev best with the seed that chooses; None without one.

    One system alone needs no choice.
    """
    run = [systems[name] for name in names if name in systems]
    if len(names) == 1:
        return run[0] if run else None
    able = [one for one in run if SEED in one.seeds]
    return min(able, key=lambda one: one.log_dev(SEED), default=None)


def at_equal_cost(
    one: TrainedSystem, other: TrainedSystem, seeds: Sequence[int], costs: Mapping[str, float]
) -> Contrast | str:
    """Compare log perplexities on dev where both have cost as much as the cheaper system in all.

    Between the updates at which a seed was scored, they are linear in log updates. Return the
    reason where they cannot be compared.
    """
    found = contrast(one, other, seeds)
    if not found.seeds:
        return found
    price = {side.run: costs.get(side.run, 0.0) for side in (one, other)}
    if not all(price.values()):
        return "the cost of an update is not known"
    cost = min(price[side.run] * side.updates for side in (one, other))

    def log_dev(side: TrainedSystem, seed: int) -> float:
        known = {u: q["perplexity"] for u, q in quality_by_update(side.seeds[seed], "dev").items()}
        at = math.log(cost / price[side.run])
        updates = np.log(list(known))
        if at < updates.min() - 1e-9:
            return math.nan
        return float(np.interp(at, updates, np.log(list(known.values()))))

    logs = [log_dev(one, seed) - log_dev(other, seed) for seed in found.seeds]
    if not all(map(math.isfinite, logs)):
        return "not scored on dev at that cost"
    value, errors = of_pairs(logs)
    open_ = Judged(value=math.nan, verdict="undecided")
    log = Judged(value=value, verdict="undecided")
    return replace(found, log=log, errors=errors, sets={}, chrf=open_, bleu=open_, change=0.0)
