"""Registered questions: seed 1 chooses, the others answer, and nothing is said before the last."""

import math
from dataclasses import replace

import invented
import pytest
from quality import system

from deepmt.judge.question import Answer, answers
from deepmt.study.questions import AskedContrast, Question

SEEDS = (2, 3, 4, 5)
LATER = invented.STARTED.replace(":00+", ":01+")


def question(*pairs: tuple, **changes) -> Question:
    compare = tuple(
        AskedContrast(system=(a,) if isinstance(a, str) else a, against=(b,)) for a, b in pairs
    )
    return Question(
        id="p.q1", asks="Is it better?", scale="toy", registered=invented.STARTED, seeds=SEEDS,
        compare=compare, **changes,
    )  # fmt: skip


def asked(given: Question, *systems, groups=None, costs=None) -> list[Answer]:
    paper = replace(invented.PAPER, questions=(given,), groups=groups or {})
    return list(answers(paper, "toy", {one.system: one for one in systems}, costs or {}))


PLAIN = system("plain", {1: 2.0, 2: 2.1, 3: 2.2, 4: 2.3, 5: 2.2})
NEW = system("new", {1: 1.9, 2: 2.0, 3: 2.11, 4: 2.2, 5: 2.1})


def test_all_pairs_that_were_named_decide_and_seed_1_does_not() -> None:
    [answer] = asked(question(("new", "plain")), NEW, PLAIN)
    assert answer.found.seeds == SEEDS
    assert answer.found.verdict == "predicts better"
    early = replace(NEW, seeds={s: one for s, one in NEW.seeds.items() if s != 5})
    [answer] = asked(question(("new", "plain")), early, PLAIN)
    assert (answer.found.verdict, answer.found.log.why) == ("undecided", "3 of 4 pairs")


def test_pairs_that_began_before_question_and_seeds_were_fixed_are_counted() -> None:
    late = replace(NEW, seeds={s: replace(one, started=LATER) for s, one in NEW.seeds.items()})
    asks = question(("new", "plain"))
    for given, new, older, half_known in [
        (asks, NEW, (), ()),
        (replace(asks, registered=LATER), NEW, SEEDS, ()),
        (replace(asks, seeds_fixed=LATER), NEW, SEEDS, ()),
        (replace(asks, seeds_fixed=LATER), late, (), SEEDS),
    ]:
        [answer] = asked(given, new, PLAIN)
        assert (answer.older, answer.half_known) == (older, half_known)


def test_the_best_of_a_group_is_that_of_seed_1_on_dev_alone() -> None:
    lucky = system("lucky", {1: 2.5, 2: 1.0, 3: 1.0, 4: 1.0, 5: 1.0})
    groups = {"some": ("lucky", "new", "absent")}
    [answer] = asked(question(("some", "plain")), NEW, PLAIN, lucky, groups=groups)
    assert answer.found.one is NEW


def test_a_system_that_has_not_been_run_is_named_and_counts_in_the_correction() -> None:
    alone, [both, absent] = (
        asked(question(*pairs), NEW, PLAIN)
        for pairs in ([("new", "plain")], [("new", "plain"), ("absent", "plain")])
    )
    assert absent.found is None
    assert absent.missing == "not run"
    assert both.found.log.half > alone[0].found.log.half


@pytest.mark.parametrize(("price", "ratio"), [(1.0, 0.8), (10.0, 1.25)])
def test_at_equal_cost_the_dearer_system_is_read_earlier(price: float, ratio: float) -> None:
    """1,000 updates of the cheap one pay for 1,000 / price of the other."""
    dear = system("new", dict.fromkeys(SEEDS, 2.0), dev={100: 20.0, 1000: 8.0 * 1.6})
    cheap = system("plain", dict.fromkeys(SEEDS, 2.0), dev={100: 40.0, 1000: 16.0})
    costs = {"new": 0.36 * price, "plain": 0.36}
    given = question(("new", "plain"), at="equal core seconds")
    [answer] = asked(given, dear, cheap, costs=costs)
    assert math.exp(answer.found.log.value) == pytest.approx(ratio)
    assert asked(given, dear, cheap)[0].missing == "the cost of an update is not known"
    [late] = asked(given, dear, cheap, costs=costs | {"new": 9.0})
    assert (late.found, late.missing) == (None, "not scored on dev at that cost")
    alone = replace(cheap, seeds={SEEDS[0]: cheap.seeds[SEEDS[0]]})
    [none] = asked(given, replace(dear, seeds={SEEDS[1]: dear.seeds[SEEDS[1]]}), alone)
    assert none.found.log.why == "0 of 4 pairs"
