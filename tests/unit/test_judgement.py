"""judgement: one check of a claim is decided as docs/claims.md says."""

from typing import Any

import pytest
from made_up_cells import cell, check, evidence

from deepmt.judge.cells import Cell
from deepmt.judge.check import judge_check
from deepmt.judge.significance import RowComparison
from deepmt.judge.standard_error import PooledSpread
from deepmt.measured.record_file import FAILURES
from deepmt.study.paper_claims import Check

ABOVE = check(of="a.bleu", above="b.bleu")


def judged(wanted: Check, *cells: Cell, **known: Any) -> str:
    """The status of a check of made-up cells; at the paper's scale all rows are comparable."""
    if known.get("scale") == "paper":
        known["comparable_rows"] = {cell.row for cell in cells}
    return judge_check(wanted, evidence(*cells, **known)).status


@pytest.mark.parametrize(
    ("ours", "status"), [(33.3, "holds"), (28.7, "fails"), (33.2, "undecided"), (None, "not-")]
)
def test_a_direction_is_decided_by_welchs_interval(ours: Any, status: str) -> None:
    # Three seeds with a spread of 1 each: 4 degrees of freedom, 2.776 * sqrt(2 / 3) = 2.27.
    state = {} if ours else {"status": "not-run", "note": "no record yet"}
    found = judge_check(
        ABOVE, evidence(cell("a.bleu", ours, 1.0, **state), cell("b.bleu", 31.0, 1.0))
    )
    assert found.status.startswith(status)
    assert (found.missing == (("a.bleu", "no record yet"),)) == (ours is None)


def test_comet_decides_nothing() -> None:
    cells = cell("a.comet", 90.0, 0.1), cell("b.comet", 50.0, 0.1)
    assert judged(check(of="a.comet", above="b.comet"), *cells) == "not-measured"


def test_below_is_above_the_other_way_round() -> None:
    cells = cell("a.bleu", 20.0, 1.0), cell("b.bleu", 31.0, 1.0)
    assert judged(check(of="a.bleu", below="b.bleu"), *cells) == "holds"
    assert judged(check(of="b.bleu", below="a.bleu"), *cells) == "fails"


@pytest.mark.parametrize(("seeds", "spread"), [(1, None), (2, 0.0)])
@pytest.mark.parametrize("pooled", [0.5, 1.0])
def test_few_seeds_have_the_pooled_spread_of_their_scale(
    seeds: int, spread: Any, pooled: float
) -> None:
    # In tolerances of 0.5 BLEU, with 10 degrees of freedom, which are not doubled.
    known = {"pooled": {"BLEU": PooledSpread(pooled / 0.5, 10.0)}}
    noise = 2.228 * pooled * (2 / seeds) ** 0.5
    for difference, status in ((noise - 0.01, "undecided"), (noise + 0.01, "holds")):
        ours = cell("a.bleu", 31 + difference, spread, seeds=seeds)
        other = cell("b.bleu", 31.0, spread, seeds=seeds)
        assert judged(ABOVE, ours, other, **known) == status


@pytest.mark.parametrize(("seeds", "status"), [(1, "undecided"), (2, "undecided"), (3, "holds")])
def test_without_a_pooled_spread_few_seeds_decide_nothing(seeds: int, status: str) -> None:
    cells = cell("a.bleu", 36.0, 0.1, seeds=seeds), cell("b.bleu", 30.0, 0.1, seeds=seeds)
    assert judged(ABOVE, *cells) == status


def test_cells_of_one_run_err_together() -> None:
    pair = check(of=("a.bleu", "c.bleu"), above="b.bleu")
    apart = [cell("a.bleu", 32.8, 1.0), cell("c.bleu", 32.8, 1.0), cell("b.bleu", 31.0, 0.1)]
    alike = [*apart[:1], cell("c.bleu", 32.8, 1.0, run="run-a"), apart[2]]
    assert judged(pair, *apart) == "holds"
    assert judged(pair, *alike) == "undecided"


@pytest.mark.parametrize(
    ("ours", "status"), [(32.0, "holds"), (31.2, "fails"), (33.0, "fails"), (32.45, "undecided")]
)
def test_a_size_is_decided_at_the_papers_scale(ours: float, status: str) -> None:
    sized = check(of="a.bleu", above="b.bleu", by=1.0, within=0.5)
    cells = cell("a.bleu", ours, 0.1), cell("b.bleu", 31.0, 0.1)
    assert judged(sized, *cells, scale="paper") == status


def test_elsewhere_a_size_is_a_direction_and_says_so() -> None:
    sized = check(of="a.bleu", above="b.bleu", by=1.0, within=0.5)
    found = judge_check(sized, evidence(cell("a.bleu", 60.0, 0.1), cell("b.bleu", 31.0, 0.1)))
    assert found.status == "holds-in-part"
    assert ("", "direction only: sizes are compared at the paper's scale only") in found.notes


@pytest.mark.parametrize(
    "parts", [{"near": "b.bleu", "within": 0.5}, {"near": 31.0, "within": 0.5}, {"above": 3.0}]
)
def test_likeness_and_printed_numbers_are_for_the_papers_scale_alone(parts: Any) -> None:
    cells = cell("a.bleu", 31.1, 0.1), cell("b.bleu", 31.0, 0.1)
    assert judged(check(of="a.bleu", **parts), *cells) == "not-measured"
    assert judged(check(of="a.bleu", **parts), *cells, scale="paper") == "holds"


def test_a_quoted_number_is_one_that_is_printed() -> None:
    quoted = cell("b.bleu", None, status="quoted", published=28.0, run="")
    ours = cell("a.bleu", 31.0, 0.1)
    assert judged(ABOVE, ours, quoted) == "not-measured"
    assert judged(ABOVE, ours, quoted, scale="paper") == "holds"


def test_what_needs_no_training_is_of_full_size_at_any_scale() -> None:
    probes = evidence(cell("a.beta", 0.85, 0.01))
    sizes = evidence(cell("a.size", 211.0, seeds=0), cell("b.size", 137.0, seeds=0))
    times = check(of="a.size", above="b.size", times=1.6, within=0.2)
    for found in (judge_check(check(of="a.beta", below=1), probes), judge_check(times, sizes)):
        assert (found.status, found.scale, found.runs) == ("holds", "full size", frozenset())


def test_sizes_counted_on_small_models_are_not_of_full_size() -> None:
    small = evidence(cell("a.size", 0.3), cell("b.size", 0.2))
    assert judge_check(check(of="a.size", above="b.size"), small).scale == "toy"


@pytest.mark.parametrize(
    ("speed", "status"),
    [(1.5, "holds"), (1.2, "differs-on-this-machine"), (1.36, "undecided")],
)
def test_a_ratio_of_times_has_the_spread_of_all_such_ratios(speed: float, status: str) -> None:
    # Half of the tolerance of 5 %, two rounds.
    pooled = {"ratio": PooledSpread(0.5, 30.0)}
    found = evidence(cell("a.speed", speed, seeds=2), pooled=pooled)
    assert judge_check(check(of="a.speed", above=1, by=0.5, within=0.15), found).status == status


def test_at_least_is_a_bound() -> None:
    cells = cell("a.size", 211.0, seeds=0), cell("b.size", 100.0, seeds=0)
    for least, status in ((2, "holds"), (2.2, "fails")):
        bound = check(of="a.size", above="b.size", times_at_least=least)
        assert judged(bound, *cells) == status
    assert judged(check(of="a.size", above="b.size", by_at_least=112), *cells) == "fails"


LOST = {"status": "diverged", "note": "3 of 3 seeds diverged at update 40: no progress",
        "trained": 0}  # fmt: skip
DEAD = {"note": "3 of 3 seeds ended below 5 BLEU", "trained": 0}
PARTLY = {"note": "1 of 3 seeds ended below 5 BLEU", "trained": 2}


@pytest.mark.parametrize("side", ["a", "b"])
@pytest.mark.parametrize("other", [{}, PARTLY, DEAD, LOST])
@pytest.mark.parametrize("lost", [PARTLY, DEAD, *(LOST | {"status": one} for one in FAILURES)])
@pytest.mark.parametrize("worse", [None, "worse"])
def test_only_systems_whose_seeds_all_train_are_compared(side, other, lost, worse) -> None:
    one = {"a": "b", "b": "a"}[side]
    found = judge_check(
        check(of="a.bleu", above="b.bleu", diverged=worse),
        evidence(cell(f"{side}.bleu", 3.0, 0.1, **lost), cell(f"{one}.bleu", 31.0, 0.1, **other)),
    )
    decided = worse and not other and lost is not PARTLY
    assert found.status == ({"a": "fails", "b": "holds"}[side] if decided else "undecided")
    assert f"{lost['trained']} of 3 seeds" in found.text


def test_two_dead_systems_are_not_compared_by_their_perplexity_either() -> None:
    cells = cell("a.ppl", 314.7, 3.4, **DEAD), cell("b.ppl", 502.7, 11.1, **LOST)
    assert judged(check(of="a.ppl", below="b.ppl"), *cells) == "undecided"


@pytest.mark.parametrize("relation", ["beats", "ties"])
def test_a_dead_system_is_not_tested_over_sentences(relation: str) -> None:
    cells = cell("a.bleu", 31.0), cell("b.bleu", 0.3, **DEAD)
    dead = check(of="a.bleu", **{relation: "b.bleu"})
    assert judged(dead, *cells) == "undecided"


@pytest.mark.parametrize(
    ("changes", "trained"),
    [
        ({"ours": 31.0}, "holds"),
        ({"ours": 0.0, **LOST}, "fails"),
        *(({"ours": 2.0, **LOST, "status": outcome}, "fails") for outcome in FAILURES),
        ({"ours": 0.3, **DEAD}, "fails"),
        ({"ours": 14.0, "spread": 0.2}, "undecided"),
        ({"ours": 16.0, "spread": 0.4}, "undecided"),
        ({"ours": 11.3, "spread": 2.5, **PARTLY}, "undecided"),
        ({"ours": None, "status": "not-run"}, "not-measured"),
    ],
)
def test_an_outcome_is_that_of_the_runs(changes: Any, trained: str) -> None:
    turned = {"holds": "fails", "fails": "holds"}
    cells = cell("a.bleu", **changes), cell("b.bleu", 30.0, 0.1)
    for outcome, status in (("trained", trained), ("failed", turned.get(trained, trained))):
        assert judged(check(outcome=outcome, of="a.bleu", beside="b.bleu"), *cells) == status


def test_twice_the_perplexity_is_half_as_good() -> None:
    cells = cell("a.ppl", 9.0, 0.1), cell("b.ppl", 4.0, 0.1)
    assert judged(check(outcome="trained", of="a.ppl", beside="b.ppl"), *cells) == "undecided"
    assert judged(check(outcome="trained", of="b.ppl", beside="a.ppl"), *cells) == "holds"


@pytest.mark.parametrize("lost", [DEAD, LOST])
@pytest.mark.parametrize(
    ("beside", "failed"), [({}, "holds"), (PARTLY, "undecided"), (DEAD, "undecided")]
)
def test_a_system_failed_if_another_trained(lost: Any, beside: Any, failed: str) -> None:
    cells = cell("a.bleu", 0.3, **lost), cell("b.bleu", 30.0, **beside)
    turned = {"holds": "fails", "fails": "holds"}
    for outcome, status in (("failed", failed), ("trained", turned.get(failed, failed))):
        assert judged(check(outcome=outcome, of="a.bleu", beside="b.bleu"), *cells) == status


@pytest.mark.parametrize("changes", [{"ours": 1.0} | DEAD, {"ours": 0.0} | LOST])
def test_who_failed_on_fewer_tokens_than_the_one_beside_it_is_not_judged(changes: Any) -> None:
    cells = cell("a.bleu", **changes), cell("b.bleu", 30.0)
    failed = check(outcome="failed", of="a.bleu", beside="b.bleu")
    for tokens, status in ((10, "holds"), (130, "holds"), (131, "not-measured")):
        budgets = {"run-a": 100, "run-b": tokens}
        assert judged(failed, *cells, budgets=budgets) == status


def test_a_finished_system_with_nothing_to_see_it_beside_is_undecided() -> None:
    cells = cell("a.bleu", 4.0, **DEAD), cell("b.bleu", None, status="not-run")
    for outcome in ("trained", "failed"):
        asked = check(outcome=outcome, of="a.bleu", beside="b.bleu")
        assert judged(asked, *cells) == "undecided"


def test_a_scale_that_makes_two_systems_one_run_measures_nothing() -> None:
    one = evidence(cell("a.bleu", 31.0), cell("b.bleu", 31.0, run="run-a"), cell("c.bleu", 1.0))
    for wanted in (ABOVE, check(of="a.bleu", above="c.bleu", apart=("a.bleu", "b.bleu"))):
        found = judge_check(wanted, one)
        assert found.status == "not-measured"
        assert "at this scale several of a.bleu, b.bleu are the same run: run-a" in found.text


@pytest.mark.parametrize(("tokens", "status"), [(130, "holds"), (131, "not-measured")])
def test_a_scale_that_trains_one_system_on_more_tokens_measures_no_score(
    tokens: int, status: str
) -> None:
    cells = cell("a.bleu", 31.0, 0.1), cell("b.bleu", 29.0, 0.1)
    budgets = {"run-a": 100, "run-b": tokens}
    assert judged(ABOVE, *cells, budgets=budgets) == status
    assert judged(ABOVE, *cells, budgets=budgets, scale="paper") == "holds"
    trained = check(outcome="trained", of="a.bleu", beside="b.bleu")
    assert judged(trained, *cells, budgets=budgets) == "holds"


@pytest.mark.parametrize(("sign", "status"), [("+", "holds"), ("-", "fails"), ("=", "fails")])
def test_a_test_over_sentences_is_taken_as_it_is(sign: Any, status: str) -> None:
    pair = RowComparison(
        row="a", against="b", column="bleu", ours=sign,
        score=31.0, score_against=30.0, p_value=0.01,
    )  # fmt: skip
    cells = cell("a.bleu", 31.0), cell("b.bleu", 30.0)
    tests = {("a.bleu", "b.bleu"): pair}
    assert judged(check(of="a.bleu", beats="b.bleu"), *cells, tests=tests) == status
    ties = "holds" if sign == "=" else "fails"
    assert judged(check(of="a.bleu", ties="b.bleu"), *cells, tests=tests) == ties
    assert judged(check(of="a.bleu", beats="b.bleu"), *cells) == "not-measured"


READINGS = {
    "holds": cell("h.bleu", 40.0, 1.0),
    "fails": cell("f.bleu", 20.0, 1.0),
    "undecided": cell("u.bleu", 31.5, 1.0),
    "not-measured": cell("n.bleu", None, status="not-run", note="no record yet"),
}


@pytest.mark.parametrize(
    ("first", "second", "status"),
    [
        ("holds", "fails", "holds"),
        ("not-measured", "holds", "holds"),
        ("fails", "fails", "fails"),
        ("fails", "undecided", "undecided"),
        ("fails", "not-measured", "undecided"),
        ("not-measured", "not-measured", "not-measured"),
    ],
)
def test_of_several_readings_one_must_hold_or_all_must_fail(
    first: str, second: str, status: str
) -> None:
    cells = {READINGS[name].row: READINGS[name] for name in (first, second)}
    known = evidence(*cells.values(), cell("b.bleu", 31.0, 1.0))
    names = tuple(f"{READINGS[name].row}.bleu" for name in (first, second))
    found = judge_check(check(either=names, above="b.bleu"), known)
    assert found.status == status
    assert f"({first.replace('-', ' ')}) or " in found.text
    if second == "not-measured":
        assert found.text.endswith("n.bleu has no value: no record yet (not measured)")
