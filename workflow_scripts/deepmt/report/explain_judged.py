"""Trace what README and the board say: a system, a question, a ratio of perplexities."""

import math
import re
from collections.abc import Container, Iterator, Mapping

from rich.tree import Tree

from deepmt.judge.contrast import Contrast
from deepmt.judge.quality import BLEU, CHRF, TrainedSystem
from deepmt.judge.question import Answer
from deepmt.judge.ranking import RankedSystem, Ranking
from deepmt.report.answer_in_words import effect_of, gains, standing
from deepmt.report.explain import subtree
from deepmt.report.fragments.board_tables import by_method
from deepmt.study.measures import PPL

RULE = "docs/protocol.md#who-is-better"
MEAN = "exp of the mean over pairs of ln perplexity, the first system less the second"
NUMBER = re.compile(r"(BLEU )?[+-]?\d+\.\d")


def explain_judged(name: str, ranking: Ranking) -> Tree | None:
    """Return what a judged name or number is made of; None if the ranking has none of it.

    A name is that of a system or of a question, and a number is a ratio of perplexities or a
    difference in BLEU as pages print it. A name without settings is also that of the system which
    stands for its method.
    """
    shown = _shown(ranking)
    systems = [*ranking.systems, *ranking.unranked]
    answers = [*ranking.answers, *ranking.findings]
    found = [_system(one, shown) for one in systems if name.lower() in _names(one, shown)]
    found += [_answer(one) for one in answers if _asks(one, name)]
    if NUMBER.match(name):
        found += [
            _answer(one)
            for one in answers
            if _ratio_is(name, one.found) or _gain_is(name, one.found)
        ]
        found += [
            _system(one, shown)
            for one in systems
            if _ratio_is(name, one.with_first)
            or _ratio_is(name, one.with_baseline)
            or _gain_is(name, one.with_first)
        ]
    return subtree(name, found) if found else None


def _shown(ranking: Ranking) -> dict[str, str]:
    """Return how the BLEU of the systems that stand for a method is made, by run."""
    return {
        one.system.run: (
            f"stands for {_plain(one)}, since it has the most seeds of its settings:"
            f" BLEU {method.bleu(deep)}, mean of seeds {', '.join(map(str, method.seeds(deep)))}"
            " over all test sets"
        )
        for method in by_method(ranking)
        for deep, one in method.systems.items()
    }


def _plain(one: RankedSystem) -> str:
    """Return the name of a system without what it changes."""
    return one.system.name.partition(",")[0]


def _names(one: RankedSystem, shown: Container[str]) -> list[str]:
    names = [one.system.name, *[_plain(one)] * (one.system.run in shown)]
    return [name.lower() for name in names]


def _asks(one: Answer, name: str) -> bool:
    return name in (one.question.id, one.question.asks)


def _ratio_is(number: str, found: Contrast | None) -> bool:
    return found is not None and effect_of(found).startswith(number)


def _gain_is(number: str, found: Contrast | None) -> bool:
    said = f"BLEU {number.removeprefix('BLEU ')}"
    return found is not None and any(gain.startswith(said) for gain in gains(found))


def _system(one: RankedSystem, shown: Mapping[str, str]) -> Tree:
    system = one.system
    command = f"./deepmt explain {system.row.id} --scale {one.cell.scale}"
    parts: list[str | Tree] = [
        f"row: {system.row.id} (`{command}` has its settings)",
        f"run: {system.run}",
        *filter(None, [shown.get(system.run)]),
    ]
    if one.perplexity:
        sets = ", ".join(system.tokens)
        parts += [
            f"perplexity {one.perplexity:.3f}: over the tokens of {sets}, as if it had all seeds",
            f"beside the first: {', '.join(_with_first(one))}",
            f"beside the baseline: {standing(one.with_baseline, 'baseline')}",
            f"the rule: {RULE}",
        ]
    parts += [_seed(system, seed) for seed in system.seeds]
    return subtree(system.name, [*parts, *[one.ending] * bool(one.note or one.why)])


def _with_first(one: RankedSystem) -> Iterator[str]:
    yield standing(one.with_first, "first")
    if one.with_first:
        yield from gains(one.with_first)


def _seed(system: TrainedSystem, seed: int) -> str:
    perplexity, bleu = math.exp(system.value(PPL, seed)), system.value(BLEU, seed, "test")
    mean = f", {system.value(BLEU, seed):.2f} over all test sets" * (len(system.tokens) > 1)
    return (
        f"seed {seed}: perplexity {perplexity:.3f}, BLEU {bleu:.2f} on test{mean},"
        f" {_where(system, seed)}"
    )


def _where(system: TrainedSystem, seed: int) -> str:
    return system.seeds[seed].location


def _answer(one: Answer) -> Tree:
    question, found = one.question, one.found
    parts: list[str | Tree] = [f"{question.id}: {question.asks}"]
    if question.registered:
        seeds = ", ".join(map(str, question.seeds))
        parts += [f"registered {question.registered}, seeds {seeds} fixed {question.fixed}"]
    if found:
        where = "" if _of_tests(one) else f", both on dev at {question.at}"
        parts += [f"ratio {effect_of(found)}: {MEAN}{where}", *_pairs(one)]
        parts += [f"{', '.join(gains(found))}: means over the same pairs"] * _of_tests(one)
    parts += [f"the rule: {RULE}", *[one.why] * bool(one.why)]
    names = " against ".join(each.name for each in one.systems) or "not run"
    return subtree(f"{names}: {one.verdict}", parts)


def _of_tests(one: Answer) -> bool:
    return one.question.at == "equal updates"


def _pairs(one: Answer) -> Iterator[Tree]:
    assert one.found
    first, second = one.found.one, one.found.other
    for seed in one.found.seeds:
        said = f": {_of_pair(first, second, seed)}" if _of_tests(one) else ""
        yield subtree(f"seed {seed}{said}", [_where(first, seed), _where(second, seed)])


def _of_pair(first: TrainedSystem, second: TrainedSystem, seed: int) -> str:
    logs = [system.value(PPL, seed) for system in (first, second)]
    perplexities = " / ".join(f"{math.exp(log):.3f}" for log in logs)
    chrf, bleu = (first.value(key, seed) - second.value(key, seed) for key in (CHRF, BLEU))
    return f"{perplexities} = {math.exp(logs[0] - logs[1]):.3f}, chrF {chrf:+.2f}, BLEU {bleu:+.2f}"
