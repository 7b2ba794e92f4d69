"""Answer the questions: which of two systems is better, by which seeds, and which one trains."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from deepmt.judge.contrast import (
    FAVOURABLE,
    NOT_COMPARED,
    UNDECIDED,
    Contrast,
    Ending,
    contrast,
    of_pairs,
    unequal,
)
from deepmt.judge.corrections import holm
from deepmt.judge.interval import Judged, half_width, together
from deepmt.judge.quality import TrainedSystem
from deepmt.judge.run_outcome import RunOutcome
from deepmt.measured.seeds import UNLEARNED
from deepmt.study.measures import PPL
from deepmt.study.papers import Paper
from deepmt.study.questions import FEWEST_PAIRS, Asked, Question
from deepmt.study.tuning import SEED

HALF = 0.5
"""Share of the baseline's BLEU below which a system neither trains nor fails."""
UNCLEAR = f"seeds differ, end near {UNLEARNED:g} BLEU or after too few updates"
"""Why a system with records neither trains nor fails."""
UNSCORED = "its seeds are not scored on every test set"
OUTCOMES: Mapping[RunOutcome, Ending] = {"trained": "trains", "failed": "fails"}
OUTCOMES_OF_TWO: Mapping[tuple[RunOutcome, RunOutcome], Ending] = {
    ("trained", "failed"): "trains, the other fails",
    ("failed", "trained"): "fails, the other trains",
}


@dataclass(frozen=True, kw_only=True)
class Answer:
    """Represent the answer to one contrast of a question, or why there is none yet."""

    question: Question
    asked: Asked
    systems: tuple[TrainedSystem, ...] = ()
    """The two that are compared, or the one that may train; none if one was not run."""
    found: Contrast | None = None
    """Of two that train."""
    ended: Ending = UNDECIDED
    """Without a contrast."""
    why: str = ""
    """Why it is undecided or not compared, without a contrast."""
    older: tuple[int, ...] = ()
    """Seeds whose two trainings began before question and seeds were fixed."""
    half_known: tuple[int, ...] = ()
    """Seeds of which one training did."""

    @property
    def verdict(self) -> Ending:
        """Return how it ended."""
        return self.found.verdict if self.found else self.ended

    @property
    def decided(self) -> bool:
        """Check if one of two is better, or if it is known whether the one trains."""
        return self.verdict not in (UNDECIDED, NOT_COMPARED)

    @property
    def as_said(self) -> bool:
        """Check if a decided answer is what the question's paper says."""
        return (self.verdict in FAVOURABLE) == (self.asked.says in ("better", "trains"))


@dataclass(frozen=True, kw_only=True)
class Trained:
    """Hold what may answer questions at one scale."""

    systems: Mapping[str, TrainedSystem]
    """By name, those with records."""
    outcomes: Mapping[str, RunOutcome] = field(default_factory=dict)
    """By run."""
    budgets: Mapping[str, int] = field(default_factory=dict)
    """Target tokens by run."""
    costs: Mapping[str, float] = field(default_factory=dict)
    """Core seconds an update by run."""

    def outcome(self, system: TrainedSystem) -> RunOutcome:
        """Return how the run of a system ended."""
        return self.outcomes.get(system.run, "undecided")

    def ended(self, system: TrainedSystem, paper: Paper) -> tuple[Ending, str]:
        """Return if a system trains or fails, or that this is undecided, and why."""
        outcome = self.outcome(system)
        baseline = self.systems.get(paper.board.baseline) if paper.board else None
        if outcome == "trained" and not system.seeds:
            return UNDECIDED, UNSCORED
        if outcome == "trained" and baseline and system.bleu < HALF * baseline.bleu:
            return UNDECIDED, f"less than half of the BLEU of {baseline.name}"
        return OUTCOMES.get(outcome, UNDECIDED), UNCLEAR if outcome == "undecided" else ""


def answers(paper: Paper, scale: str, trained: Trained) -> Iterator[Answer]:
    """Yield the answers to the questions that are registered for a scale."""
    whole = {n: one for n, one in trained.systems.items() if one.seeds and not one.failed}
    for question in paper.questions:
        if question.scale == scale:
            compared = [
                _registered(question, one, paper, whole, trained) for one in question.compare
            ]
            yield from _corrected(compared, len(question.seeds))


def findings(paper: Paper, trained: Trained, registered: Iterable[Answer]) -> Iterator[Answer]:
    """Yield the answers to what papers find, of the questions of which something was run.

    Two systems that a registered question compares have its answer.
    """
    known = {
        tuple(one.run for one in answer.systems): answer
        for answer in registered
        if answer.found and answer.question.at == "equal updates"
    }
    for question in paper.questions:
        if question.registered:
            continue
        own = [_finding(question, asked, paper, trained) for asked in question.compare]
        for one in _corrected(own, FEWEST_PAIRS) if any(one.systems for one in own) else ():
            same = known.get(tuple(each.run for each in one.systems))
            yield replace(same, question=question, asked=one.asked) if same else one


def _corrected(compared: Sequence[Answer], least: int) -> Iterator[Answer]:
    """Yield the answers to one question; Holm's correction is for all its contrasts."""
    known = [one.found for one in compared if one.found]
    open_ = sum(not one.asked.trains for one in compared) - len(known)
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
        yield replace(one, found=one.found.at(half, least))


def _registered(
    question: Question,
    asked: Asked,
    paper: Paper,
    whole: Mapping[str, TrainedSystem],
    trained: Trained,
) -> Answer:
    """Compare two systems by the seeds that were named."""
    sides = [best_on_dev(named(side, paper), whole) for side in (asked.system, asked.against)]
    one, other = sides
    if one is None or other is None:
        return Answer(question=question, asked=asked, why="not run")
    found = (
        contrast(one, other, question.seeds)
        if question.at == "equal updates"
        else at_equal_cost(one, other, question.seeds, trained.costs)
    )
    answer = Answer(question=question, asked=asked, systems=(one, other))
    if isinstance(found, str):
        return replace(answer, why=found)
    known = {
        seed: sum(side.seeds[seed].started < question.fixed for side in (one, other))
        for seed in found.seeds
    }
    older, half_known = (tuple(seed for seed in known if known[seed] == n) for n in (2, 1))
    return replace(answer, found=found, older=older, half_known=half_known)


def _finding(question: Question, asked: Asked, paper: Paper, trained: Trained) -> Answer:
    """Compare two systems by all seeds that both have, or tell if one trains."""
    answer = Answer(question=question, asked=asked, why="not run")
    sides = ((asked.trains,),) if asked.trains else (asked.system, asked.against)
    run = [best_on_dev(named(side, paper), trained.systems) for side in sides]
    systems = tuple(one for one in run if one)
    if len(systems) < len(run):
        return answer
    answer = replace(answer, systems=systems, why="")
    one, other = systems[0], systems[-1]
    if asked.trains:
        ended, why = trained.ended(one, paper)
        return replace(answer, ended=ended, why=why)
    if unequal([trained.budgets.get(one.run, 0) for one in systems]):
        return replace(answer, ended=NOT_COMPARED, why="their budgets differ")
    outcomes = trained.outcome(one), trained.outcome(other)
    if outcomes != ("trained", "trained"):
        ended = OUTCOMES_OF_TWO.get(outcomes, UNDECIDED)
        return replace(answer, ended=ended, why="" if ended != UNDECIDED else "not all seeds train")
    return replace(answer, found=contrast(one, other))


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
    return min(able, key=lambda one: one.value(PPL, SEED, "dev"), default=None)


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
        known = side.seeds[seed].curve(PPL, "dev")
        at, updates = math.log(cost / price[side.run]), np.log([*known])
        if at < updates.min() - 1e-9:
            return math.nan
        return float(np.interp(at, updates, np.log([*known.values()])))

    logs = [log_dev(one, seed) - log_dev(other, seed) for seed in found.seeds]
    if not all(map(math.isfinite, logs)):
        return "not scored on dev at that cost"
    value, errors = of_pairs(logs)
    open_ = Judged(value=math.nan, verdict=UNDECIDED)
    log = Judged(value=value, verdict=UNDECIDED)
    return replace(found, log=log, errors=errors, sets={}, chrf=open_, bleu=open_, change=0.0)
