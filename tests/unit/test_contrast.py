"""One system against another: pairs of a seed, and the reasons that leave a lead undecided."""

import math
from dataclasses import replace

import numpy as np
import pytest
from quality import system
from scipy import stats

from deepmt.judge.contrast import contrast
from deepmt.measured.log_probabilities import LogProbabilities
from deepmt.study.measures import PPL

PLAIN = system("shallow-plain", [2.0, 2.1, 2.2, 2.3])
BETTER = [1.9, 2.0, 2.11, 2.2]
WORSE = [2.1, 2.2, 2.31, 2.4]


def test_pairs_of_a_seed_leave_out_what_seeds_have_in_common() -> None:
    found = contrast(system("new", BETTER), PLAIN)
    differences = np.subtract(BETTER, [2.0, 2.1, 2.2, 2.3])
    low, high = stats.t.interval(0.95, 3, differences.mean(), stats.sem(differences))
    assert (found.log.low, found.log.high) == pytest.approx((low, high))
    assert found.seeds == (2, 3, 4, 5)
    assert found.verdict == "better in perplexity only"


def test_only_seeds_of_both_count_and_of_those_the_ones_that_are_named() -> None:
    new = system("new", {1: 1.0, 3: 2.0, 4: 2.1, 9: 5.0})
    assert contrast(new, PLAIN).seeds == (3, 4)
    assert contrast(new, PLAIN, {4, 9}).seeds == (4,)


def test_a_gpu_is_a_block() -> None:
    new = system("new", {2: 1.9, 3: 2.0, 4: 2.1}, gpu=(3, 4))
    assert contrast(new, PLAIN).seeds == (2,)
    assert contrast(new, system("other", [2.0, 2.1, 2.2], gpu=(3, 4))).seeds == (2, 3, 4)


def test_test_sets_weigh_as_much_as_their_tokens() -> None:
    new = system("new", [2.0], tokens={"test": 300, "other": 100}, sets={"other": 1.0})
    assert new.value(PPL, 2) == pytest.approx(2.25)


TWO_SETS = {"test": 500, "other": 500}


@pytest.mark.parametrize(
    ("logs", "changes", "verdict", "why"),
    [
        (BETTER, {"chrf": 62.0}, "better in perplexity and chrF", ""),
        (WORSE, {"chrf": 58.0}, "worse in perplexity and chrF", ""),
        (BETTER, {}, "better in perplexity only", ""),
        ([1.9, 2.2, 2.11, 2.3], {}, "undecided", "the interval includes 1"),
        (BETTER[:2], {}, "undecided", "2 of 3 pairs"),
        # A lead of 0.1 that was one of 0.2 or more at two thirds of training.
        (BETTER, {"before": -0.12}, "undecided", "still moving"),
        (BETTER, {"before": 0.12}, "better in perplexity only", ""),
        (BETTER, {"chrf": 58.0}, "undecided", "chrF and BLEU lead the other way"),
    ],
)
def test_a_lead_counts_unless_something_speaks_against_it(
    logs: list[float], changes: dict[str, float], verdict: str, why: str
) -> None:
    found = contrast(system("new", logs, **changes), PLAIN)
    assert found.verdict == verdict
    assert found.log.why.startswith(why)
    assert bool(found.log.why) == bool(why)


def test_test_sets_may_disagree() -> None:
    plain = system("shallow-plain", [2.0, 2.1, 2.2], tokens=TWO_SETS)
    logs = [1.7, 1.8, 1.91]
    new = system("new", logs, tokens=TWO_SETS, sets={"other": 0.4})
    found = contrast(new, plain)
    assert {split: one.verdict for split, one in found.sets.items()} == {
        "test": "lower", "other": "higher",
    }  # fmt: skip
    assert (found.verdict, found.log.why) == ("undecided", "the test sets disagree")


@pytest.mark.parametrize("changes", [{"dataset": "other-subwords"}, {"tokens": TWO_SETS}])
def test_other_subwords_or_test_sets_are_not_compared(changes: dict) -> None:
    assert contrast(system("new", BETTER, **changes), PLAIN).verdict == "not compared"


def test_the_error_over_sentences_is_added_where_they_are_kept() -> None:
    random = np.random.default_rng(5)
    tokens = random.integers(5, 30, 200)
    sides = {
        name: {2: {"test": LogProbabilities(random.normal(-1.0, 0.5, 200) * tokens, tokens)}}
        for name in ("new", "shallow-plain")
    }
    bare = contrast(system("new", BETTER), PLAIN)
    kept = contrast(
        system("new", BETTER, kept=sides["new"]),
        system("shallow-plain", [2.0, 2.1, 2.2, 2.3], kept=sides["shallow-plain"]),
    )
    assert kept.log.half > bare.log.half
    own = [sides[name][2]["test"].sums for name in ("shallow-plain", "new")]
    difference = own[0] - own[1]
    # The bootstrap over sentences knows the same error.
    drawn = random.integers(0, 200, (4000, 200))
    boot = (difference[drawn].sum(1) / tokens[drawn].sum(1)).std()
    assert kept.errors[1].size == pytest.approx(boot, rel=0.05)
    assert math.hypot(*(error.size for error in kept.errors)) > bare.errors[0].size


def test_one_sentence_says_nothing_of_the_choice_of_sentences() -> None:
    kept = {2: {"test": LogProbabilities(-np.ones(1), np.full(1, 9))}}
    one, other = (replace(system(name, BETTER, kept=kept), tokens={"test": 9}) for name in "ab")
    assert contrast(one, other).verdict == "undecided"


def test_sentences_of_other_test_sets_are_not_set_side_by_side() -> None:
    kept = [{2: {"test": LogProbabilities(-np.ones(n), np.ones(n, int))}} for n in (100, 120)]
    one, other = system("new", BETTER, kept=kept[0]), system("far", BETTER, kept=kept[1])
    assert contrast(one, replace(other, tokens={"test": 120})).verdict == "not compared"
