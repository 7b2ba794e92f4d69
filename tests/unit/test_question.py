"""Registered questions: seed 1 chooses, the others answer, and nothing is said before the last."""

import math
from dataclasses import replace

import invented
import pytest
from quality import system

from deepmt.judge.question import Answer, Trained, answers, findings
from deepmt.report.fragments.board_tables import beside_longer
from deepmt.study.questions import Asked, BoardTables, Question

SEEDS = (2, 3, 4, 5)
LATER = invented.STARTED.replace(":00+", ":01+")


def question(*pairs: tuple, **changes) -> Question:
    compare = tuple(Asked(system=(a,) if isinstance(a, str) else a, against=(b,)) for a, b in pairs)
    return Question(
        id="p.q1", asks="Is it better?", scale="toy", registered=invented.STARTED, seeds=SEEDS,
        compare=compare, **changes,
    )  # fmt: skip


def asked(given: Question, *systems, groups=None, costs=None) -> list[Answer]:
    paper = replace(invented.PAPER, questions=(given,), groups=groups or {})
    named = {one.system: one for one in systems}
    return list(answers(paper, "toy", Trained(systems=named, costs=costs or {})))


def found(*compare: Asked, registered=(), outcomes=None, budgets=None) -> list[Answer]:
    """The answers to what a paper finds, of systems that train unless outcomes say otherwise."""
    given = Question(id="p.f1", asks="Is it so?", paper="wang2019", compare=compare)
    board = BoardTables(scale="toy", tables=(1,), baseline="plain")
    paper = replace(invented.PAPER, questions=(given,), groups={}, board=board)
    every = {one.system: one for one in (NEW, PLAIN, FAILED)}
    ended = dict.fromkeys(every, "trained") | {"failed": "failed"} | (outcomes or {})
    trained = Trained(systems=every, outcomes=ended, budgets=budgets or {})
    return list(findings(paper, trained, registered))


FAILED = system("failed", {}, failed=4)
BETTER = Asked(system=("new",), against=("plain",), says="better")
PLAIN = system("plain", {1: 2.0, 2: 2.1, 3: 2.2, 4: 2.3, 5: 2.2})
NEW = system("new", {1: 1.9, 2: 2.0, 3: 2.11, 4: 2.2, 5: 2.1})


def test_all_pairs_that_were_named_decide_and_seed_1_does_not() -> None:
    [answer] = asked(question(("new", "plain")), NEW, PLAIN)
    assert answer.found.seeds == SEEDS
    assert answer.found.verdict == "better in perplexity only"
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
    assert absent.why == "not run"
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
    assert asked(given, dear, cheap)[0].why == "the cost of an update is not known"
    [late] = asked(given, dear, cheap, costs=costs | {"new": 9.0})
    assert (late.found, late.why) == (None, "not scored on dev at that cost")
    alone = replace(cheap, seeds={SEEDS[0]: cheap.seeds[SEEDS[0]]})
    [none] = asked(given, replace(dear, seeds={SEEDS[1]: dear.seeds[SEEDS[1]]}), alone)
    assert none.found.log.why == "0 of 4 pairs"


@pytest.mark.parametrize(("updates", "told"), [(3000, True), (1000, False)])
def test_a_deep_system_is_told_beside_one_that_trains_longer(updates: int, told: bool) -> None:
    deep = system("new", dict.fromkeys(SEEDS, 2.1), dev={1000: 8.0})
    longer = system("shallow-new", dict.fromkeys(SEEDS, 2.0), dev={updates: 8.0})
    said = beside_longer(asked(question(("new", "shallow-new")), deep, longer))
    assert said.startswith(f"Beside {longer.name}, which costs as much, it has 1.105 ") == told
    assert bool(said) == told


def test_what_a_paper_finds_is_answered_by_all_seeds_that_both_have() -> None:
    [better] = found(BETTER)
    assert (better.verdict, better.decided, better.as_said) == (
        "better in perplexity only",
        True,
        True,
    )
    assert better.found.seeds == (1, *SEEDS)
    [worse] = found(replace(BETTER, says="worse"))
    assert not worse.as_said


def test_two_systems_that_a_registered_question_compares_have_its_answer() -> None:
    few = replace(NEW, seeds={s: one for s, one in NEW.seeds.items() if s != 5})
    registered = asked(question(("new", "plain")), few, PLAIN)
    [answer] = found(BETTER, registered=registered)
    assert answer.found is registered[0].found
    assert (answer.verdict, answer.asked) == ("undecided", BETTER)
    dev = [
        replace(one, question=replace(one.question, at="equal core seconds")) for one in registered
    ]
    assert found(BETTER, registered=dev)[0].decided


@pytest.mark.parametrize(
    ("name", "outcomes", "ended", "as_said"),
    [
        ("new", {}, "trains", True),
        ("failed", {}, "fails", False),
        ("new", {"new": "undecided"}, "undecided", False),
    ],
)
def test_a_question_may_ask_if_a_system_trains(name, outcomes, ended, as_said) -> None:
    [answer] = found(Asked(trains=name, says="trains"), outcomes=outcomes)
    assert (answer.verdict, answer.as_said) == (ended, as_said)
    assert answer.decided == (ended != "undecided")
    assert bool(answer.why) == (ended == "undecided")


def test_a_system_with_less_than_half_of_the_baselines_bleu_does_not_train_yet() -> None:
    low = system("new", {1: 1.9, 2: 2.0}, chrf=20.0)
    trained = Trained(systems={"new": low, "plain": PLAIN}, outcomes={"new": "trained"})
    board = BoardTables(scale="toy", tables=(1,), baseline="plain")
    asks = Question(id="p.f1", asks="?", paper="p", compare=(Asked(trains="new", says="trains"),))
    paper = replace(invented.PAPER, questions=(asks,), board=board)
    [answer] = findings(paper, trained, ())
    assert (answer.verdict, answer.why) == (
        "undecided",
        "less than half of the BLEU of 12+12 plain",
    )


def test_a_system_that_fails_is_compared_by_that_alone() -> None:
    asks = Asked(system=("new",), against=("failed",), says="better")
    [answer] = found(asks)
    assert (answer.verdict, answer.decided, answer.as_said) == (
        "trains, the other fails",
        True,
        True,
    )
    assert found(replace(asks, system=("failed",), against=("new",)))[0].verdict.startswith("fails")
    [some] = found(asks, outcomes={"failed": "undecided"})
    assert (some.verdict, some.why) == ("undecided", "not all seeds train")


def test_systems_of_unequal_budgets_are_not_compared() -> None:
    [answer] = found(BETTER, budgets={"new": 1400, "plain": 1000})
    assert (answer.verdict, answer.decided) == ("not compared", False)
    assert found(BETTER, budgets={"new": 1300, "plain": 1000})[0].decided


def test_a_finding_of_which_nothing_was_run_is_not_shown() -> None:
    absent = Asked(trains="absent", says="trains")
    assert found(absent) == []
    assert [one.why for one in found(absent, BETTER)] == ["not run", ""]


@pytest.mark.parametrize(
    "wrong",
    [
        {"system": ("a",)},
        {"against": ("a",)},
        {"trains": "a", "system": ("b",), "against": ("c",)},
        {"trains": "a", "says": "better"},
        {"system": ("a",), "against": ("b",), "says": "fails"},
        {},
    ],
)
def test_a_question_compares_two_systems_or_asks_of_one(wrong: dict) -> None:
    with pytest.raises(ValueError, match=r"needs `system`|`says` is"):
        Asked(**wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"registered": invented.STARTED, "seeds": SEEDS},
        {"registered": invented.STARTED, "scale": "toy", "seeds": (1, 2)},
        {"compare": (replace(BETTER, says=None),), "paper": "p"},
        {"paper": "p", "seeds": SEEDS},
        {},
    ],
)
def test_a_question_is_registered_or_says_what_a_paper_finds(wrong: dict) -> None:
    with pytest.raises(ValueError, match="need"):
        Question(**{"id": "p.q1", "asks": "?", "compare": (BETTER,)} | wrong)
