"""Trace what README and the board say: a system, a question, a ratio of perplexities."""

import math
import re
from collections.abc import Iterator

from rich.tree import Tree

from deepmt.judge.contrast import Contrast
from deepmt.judge.quality import BLEU, CHRF, TrainedSystem
from deepmt.judge.question import Answer
from deepmt.judge.ranking import RankedSystem, Ranking
from deepmt.report.answer_in_words import difference, ratio, standing
from deepmt.report.explain import subtree
from deepmt.study.measures import PPL

RULE = "docs/protocol.md#who-is-better"
MEAN = "exp of the mean over pairs of ln perplexity, the first system less the second"
NUMBER = re.compile(r"(BLEU )?[+-]?\d+\.\d")


def explain_judged(name: str, ranking: Ranking) -> Tree | None:
    """Return what a judged name or number is made of; None if the ranking has none of it.

    A name is that of a system or of a question, and a number is a ratio of perplexities or a
    difference in BLEU as pages print it.
    """
    systems = [*ranking.systems, *ranking.unranked]
    answers = [*ranking.answers, *ranking.findings]
    found = [_system(one) for one in systems if one.system.name.lower() == name.lower()]
    found += [_answer(one) for one in answers if _asks(one, name)]
    if NUMBER.match(name):
        found += [_answer(one) for one in answers if _prints(one.found, name)]
        found += [
            _system(one)
            for one in systems
            if _prints(one.with_first, name) or _prints(one.with_baseline, name)
        ]
    return subtree(name, found) if found else None


def _asks(one: Answer, name: str) -> bool:
    return name in (one.question.id, one.question.asks)


def _prints(found: Contrast | None, number: str) -> bool:
    if not found:
        return False
    gain = difference(found.bleu.value, found.bleu.half)
    return ratio(found.log).startswith(number) or gain.startswith(number.removeprefix("BLEU "))


def _system(one: RankedSystem) -> Tree:
    system = one.system
    parts: list[str | Tree] = [
        f"row: {system.row.id} (`./deepmt explain {system.row.id}` has its settings)",
        f"run: {system.run}",
    ]
    if one.perplexity:
        sets = ", ".join(system.tokens)
        parts += [
            f"perplexity {one.perplexity:.3f}: over the tokens of {sets}, as if it had all seeds",
            f"beside the first: {standing(one.with_first, 'first')}",
            f"beside the baseline: {standing(one.with_baseline, 'baseline')}",
            f"the rule: {RULE}",
        ]
    parts += [_seed(system, seed) for seed in system.seeds]
    return subtree(system.name, [*parts, *[one.ending] * bool(one.note or one.why)])


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
        parts += [f"ratio {ratio(found.log)}: {MEAN}{where}", *_pairs(one)]
    if found and _of_tests(one):
        parts += [
            f"chrF {difference(found.chrf.value, found.chrf.half)},"
            f" BLEU {difference(found.bleu.value, found.bleu.half)}: means over the same pairs",
        ]
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
