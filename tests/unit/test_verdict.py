"""The rule by which our values are judged."""

from dataclasses import replace
from itertools import product

import invented
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepmt.results.records import FAILURES
from deepmt.results.verdict import RULE, TOLERANCES, judge

BLEU = invented.COLUMNS["bleu"]
TRAINED = replace(invented.ROWS[0], values={"bleu": 27.5, "ppl": 10.0, "params_m": 62.0})
FAILED = replace(TRAINED, status="failed", values={"bleu": None})


def verdict(ours: float | None, *, row=TRAINED, column=BLEU, status="measured", spread=None,
            comparable=True) -> str:  # fmt: skip
    return judge(
        row=row, column=column, status=status, ours=ours, spread=spread, comparable=comparable
    )


@pytest.mark.parametrize(
    ("ours", "spread", "expected"),
    [
        (27.5, None, "reproduced"),
        (28.0, None, "reproduced"),
        (27.0, 0.0, "reproduced"),
        (28.01, None, "stronger"),
        (26.99, None, "weaker"),
        (28.3, 0.4, "reproduced"),
        (28.31, 0.4, "stronger"),
    ],
)
def test_bleu_within_half_a_point_or_two_spreads_is_reproduced(ours, spread, expected) -> None:
    assert verdict(ours, spread=spread) == expected


@pytest.mark.parametrize(
    ("ours", "expected"), [(9, "stronger"), (10.2, "reproduced"), (11, "weaker")]
)
def test_a_lower_perplexity_is_stronger(ours: float, expected: str) -> None:
    assert verdict(ours, column=invented.COLUMNS["ppl"]) == expected


@pytest.mark.parametrize(("ours", "expected"), [(62.5, "reproduced"), (70, "contradicted")])
def test_another_number_of_parameters_contradicts(ours: float, expected: str) -> None:
    assert verdict(ours, column=invented.COLUMNS["params_m"]) == expected


@pytest.mark.parametrize(
    ("row", "status", "expected"),
    [
        *((FAILED, outcome, "reproduced") for outcome in FAILURES),
        (FAILED, "measured", "contradicted"),
        (FAILED, "recorded", "contradicted"),
        (replace(FAILED, status="diverged"), "diverged", "reproduced"),
        *((TRAINED, outcome, "contradicted") for outcome in FAILURES),
        (replace(FAILED, status="trained"), "diverged", "not-comparable"),
        (replace(FAILED, status="trained"), "measured", "not-comparable"),
    ],
)
def test_failures_are_compared_with_failures(row, status: str, expected: str) -> None:
    assert verdict(0.0 if status in FAILURES else 27.5, row=row, status=status) == expected


@pytest.mark.parametrize(("ours", "failed"), [(4.9, True), (5.0, False)])
def test_a_system_that_finished_below_5_bleu_failed(ours: float, failed: bool) -> None:
    assert verdict(ours, row=FAILED) == ("reproduced" if failed else "contradicted")
    assert verdict(ours, row=TRAINED) == ("contradicted" if failed else "weaker")


def test_other_scores_of_a_system_that_failed_are_left_to_its_bleu() -> None:
    unprinted = replace(FAILED, values={"bleu": None, "ppl": None})
    assert verdict(99.0, row=unprinted, column=invented.COLUMNS["ppl"]) == "not-comparable"
    assert verdict(99.0, row=unprinted, column=invented.COLUMNS["ppl"], status="diverged") == (
        "reproduced"
    )


STATUSES = ["measured", "recorded", *FAILURES, "failed", "not-run", "quoted", "not-applicable"]
SAID = ["trained", "failed", "diverged", "quoted", "measured", "statistic", "not-run"]


@pytest.mark.parametrize(("status", "said"), list(product(STATUSES, SAID)))
def test_nothing_compares_across_scales(status: str, said) -> None:
    row = replace(TRAINED, status=said)
    assert verdict(27.5, row=row, status=status, comparable=False) == "not-comparable"


@pytest.mark.parametrize(("status", "said"), list(product(STATUSES[2 + len(FAILURES) :], SAID)))
def test_what_was_not_measured_is_not_judged(status: str, said) -> None:
    assert verdict(None, row=replace(FAILED, status=said), status=status) == "not-comparable"


def test_a_time_is_never_judged() -> None:
    row = replace(TRAINED, values={"decode_s": 12.5})
    assert verdict(12.5, row=row, column=invented.COLUMNS["decode_s"]) == "not-comparable"


@given(st.floats(0, 100), st.floats(0, 100), st.sampled_from(sorted(TOLERANCES)))
def test_weaker_and_stronger_change_places_with_the_direction(
    a: float, b: float, unit: str
) -> None:
    row = replace(TRAINED, values={"bleu": a})
    score = replace(BLEU, measure="chrf")  # BLEU has a floor, and only where higher is better
    swap = {"weaker": "stronger", "stronger": "weaker", "reproduced": "reproduced"}
    up = verdict(b, row=row, column=replace(score, unit=unit, better="higher"))
    down = verdict(b, row=row, column=replace(score, unit=unit, better="lower"))
    assert down == swap[up]


def test_the_rule_names_every_verdict() -> None:
    words = ["reproduced", "weaker", "stronger", "contradicted", "not-comparable"]
    assert all(word in RULE for word in words)
