"""The rule by which our values are judged."""

from dataclasses import replace
from math import inf
from statistics import fmean, stdev

import invented
import pytest
from hypothesis import given
from hypothesis import strategies as st

from deepmt.judge.interval import half_width
from deepmt.judge.printed import judge
from deepmt.judge.standard_error import TOLERANCES, Sample, standard_error
from deepmt.measured.record_file import FAILURES

BLEU = invented.COLUMNS["bleu"]
TRAINED = replace(invented.ROWS[0], values={"bleu": 27.5, "ppl": 10.0, "params_m": 62.0})
FAILED = replace(TRAINED, status="failed", values={"bleu": None})


def verdict(ours: float | None, *, row=TRAINED, column=BLEU, status="measured", noise=0.0,
            outcome="trained", comparable=True) -> str:  # fmt: skip
    return judge(
        row=row, column=column, status=status, ours=ours, noise=noise, outcome=outcome,
        comparable=comparable,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("ours", "noise", "expected"),
    [
        (27.5, 0, "reproduced"),
        (28.0, 0, "reproduced"),
        (27.0, 0, "reproduced"),
        (28.01, 0, "stronger"),
        (26.99, 0, "weaker"),
        (27.7, 0.3, "reproduced"),
        (27.71, 0.3, "undecided"),
        (28.3, 0.3, "undecided"),
        (28.31, 0.3, "stronger"),
        (26.69, 0.3, "weaker"),
        (27.5, inf, "undecided"),
    ],
)
def test_an_interval_within_half_a_point_is_reproduced(ours, noise, expected) -> None:
    assert verdict(ours, noise=noise) == expected


def over_seeds(*scores: float, published: float) -> str:
    """The verdict on the mean of some seeds, with their own spread."""
    sample = Sample("BLEU", "", fmean(scores), stdev(scores), len(scores))
    noise = half_width([standard_error(sample, {})])
    return verdict(sample.value, noise=noise, row=replace(TRAINED, values={"bleu": published}))


@pytest.mark.parametrize(
    ("scores", "published", "expected"),
    [
        ((12.5, 18, 23.5), 28.27, "undecided"),  # was reproduced: twice the spread is 11
        ((27.6, 27.7, 27.8), 28.27, "undecided"),  # was weaker, by .07 more than the tolerance
        ((27.2, 27.3, 27.4), 28.27, "weaker"),
        ((28.2, 28.3, 28.4), 28.27, "reproduced"),
        ((28.3, 28.3, 28.3), 28.27, "reproduced"),
    ],
)
def test_seeds_that_differ_decide_little(scores, published: float, expected: str) -> None:
    assert over_seeds(*scores, published=published) == expected


@pytest.mark.parametrize(
    ("ours", "expected"), [(9, "stronger"), (10.2, "reproduced"), (11, "weaker")]
)
def test_a_lower_perplexity_is_stronger(ours: float, expected: str) -> None:
    assert verdict(ours, column=invented.COLUMNS["ppl"]) == expected


@pytest.mark.parametrize(("ours", "expected"), [(62.5, "reproduced"), (70, "contradicted")])
def test_another_number_of_parameters_contradicts(ours: float, expected: str) -> None:
    assert verdict(ours, column=invented.COLUMNS["params_m"]) == expected


@pytest.mark.parametrize(
    ("row", "outcome", "expected"),
    [
        (FAILED, "failed", "reproduced"),
        (FAILED, "trained", "contradicted"),
        (FAILED, "undecided", "undecided"),
        (replace(FAILED, status="diverged"), "failed", "reproduced"),
        (TRAINED, "failed", "contradicted"),
        (TRAINED, "undecided", "undecided"),
        (replace(FAILED, status="trained"), "failed", "not-comparable"),
        (replace(FAILED, status="trained"), "trained", "not-comparable"),
    ],
)
@pytest.mark.parametrize("status", ["measured", "recorded", *FAILURES])
def test_failures_are_compared_with_failures(row, outcome: str, status: str, expected: str) -> None:
    assert verdict(27.5, row=row, outcome=outcome, status=status) == expected


def test_other_scores_of_a_system_that_failed_are_left_to_its_bleu() -> None:
    unprinted = replace(FAILED, values={"bleu": None, "ppl": None})
    ppl = invented.COLUMNS["ppl"]
    assert verdict(99.0, row=unprinted, column=ppl) == "not-comparable"
    assert verdict(99.0, row=unprinted, column=ppl, outcome="failed") == "reproduced"


STATUSES = ["measured", "recorded", *FAILURES, "refused", "not-run", "quoted", "not-applicable"]
SAID = ["trained", "failed", "diverged", "quoted", "measured", "statistic", "not-run"]


@pytest.mark.parametrize("said", SAID)
def test_nothing_compares_across_scales(said) -> None:
    row = replace(TRAINED, status=said)
    found = {verdict(27.5, row=row, status=status, comparable=False) for status in STATUSES}
    assert found == {"not-comparable"}


@pytest.mark.parametrize("said", SAID)
def test_what_was_not_measured_is_not_judged(said) -> None:
    unmeasured = STATUSES[2 + len(FAILURES) :]
    row = replace(FAILED, status=said)
    assert {verdict(None, row=row, status=one) for one in unmeasured} == {"not-comparable"}


@pytest.mark.parametrize(
    ("ours", "expected"), [(1.5, "reproduced"), (1.2, "differs-on-this-machine")]
)
def test_a_ratio_of_times_may_differ_on_this_machine(ours, expected) -> None:
    column = replace(BLEU, key="speed", unit="ratio", measure="decode_speedup")
    assert verdict(ours, row=replace(TRAINED, values={"speed": 1.5}), column=column) == expected


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
