"""The answers to the registered questions, in verdicts and in sentences."""

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from deepmt.judge.answer import ComparedSystems, TrainedSystem, detectable, systems_of
from deepmt.judge.answer_in_words import difference, ratio, sentences
from deepmt.results.dev_progress import LogDev


def system(
    name: str,
    dev: dict[int, float],
    chrf: float = 60.0,
    *,
    noise: float = 0.01,
    before: float = 1.0,
    group: str = "",
) -> TrainedSystem:
    """Three seeds with these dev perplexities by update; that on test is the last one, with noise.

    At two thirds of training, that on dev was `before` times as high.
    """
    *early, last = dev
    deep = not name.startswith("shallow")
    log = math.log(dev[last])
    return TrainedSystem(
        row=SimpleNamespace(id=name, label=name, system=name, group=group),
        seeds=[
            SimpleNamespace(
                run=name,
                updates=last,
                epochs=last / 500,
                milestones=[
                    SimpleNamespace(update=update, perplexities={"dev": dev[update]}, scores={})
                    for update in early
                ],
                perplexities={"dev": dev[last], "test": dev[last] * math.exp(noise * n)},
                scores={
                    "test": {
                        "chrf": SimpleNamespace(value=chrf + n / 10),
                        "bleu": SimpleNamespace(value=chrf / 2 + n / 10, length_ratio=1.01),
                    }
                },
            )
            for n in (-1, 0, 1)
        ],
        layers=(12, 12) if deep else (3, 3),
        deep=deep,
        dev=[LogDev(log + math.log(before), log + noise * n) for n in (-1, 0, 1)],
    )


LATE = system("deep-admin", {100: 40.0, 1000: 8.0})
EARLY = system("deep-pre", {100: 20.0, 1000: 10.0})
SHALLOW = system("shallow-post", {100: 30.0, 1000: 16.0})


def compared(*systems: TrainedSystem) -> ComparedSystems:
    return ComparedSystems({one.row.id: one for one in systems})


def verdicts(*systems: TrainedSystem) -> dict[tuple[str, str], str]:
    found = compared(*systems).answers()
    return {(one.one.row.id, one.other.row.id): one.verdict for one in found}


def said(*systems: TrainedSystem, **costs: float) -> list[str]:
    named = {name.replace("_", "-"): cost for name, cost in costs.items()}
    return list(sentences(compared(*systems), named))


def one(found: list[str], start: str) -> str:
    [sentence] = [sentence for sentence in found if sentence.startswith(start)]
    return sentence


@pytest.mark.parametrize(
    ("perplexity", "chrf", "changes", "verdict"),
    [
        (8.8, 62, {}, "better"),
        (11.2, 58, {}, "worse"),
        # Perplexity and chrF disagree; one seed apart from the others.
        (8.8, 58, {}, "undecided"),
        (8.8, 62, {"noise": 0.5}, "undecided"),
        # A lead of 12 % that was 30 % at two thirds of training.
        (11.2, 58, {"before": 1.2}, "still moving"),
    ],
)
def test_a_direction_needs_both_measures_and_an_end_of_movement(
    perplexity: float, chrf: float, changes: dict[str, float], verdict: str
) -> None:
    admin = system("deep-admin", {1000: perplexity}, chrf, **changes)
    assert verdicts(admin, EARLY)["deep-admin", "deep-pre"] == verdict


def test_the_third_question_takes_the_best_of_each_depth_on_dev() -> None:
    shallow = [system(f"shallow-{n}", {1000: n}) for n in (6.0, 7.0)]
    assert ("deep-pre", "shallow-6.0") in verdicts(EARLY, *shallow)


@pytest.mark.parametrize(("outcome", "number"), [("finished", 1), ("diverged", 0)])
def test_a_system_with_a_seed_that_diverged_is_not_compared(outcome: str, number: int) -> None:
    scored = {"test": {"bleu": SimpleNamespace(value=30.0)}}
    seeds = [
        SimpleNamespace(outcome="finished", scores=scored),
        SimpleNamespace(outcome=outcome, scores=scored if outcome == "finished" else {}),
    ]
    row = SimpleNamespace(id="r", label="new", system="deep-new")
    stack = SimpleNamespace(layers=12)
    results = SimpleNamespace(
        records_of=lambda row: seeds, depths={"shallow": 3}, dev={},
        specs={"r": SimpleNamespace(encoder=stack, decoder=stack, run="run")},
    )  # fmt: skip
    paper = SimpleNamespace(tables=[SimpleNamespace(number=1, rows=[row])])
    assert len(systems_of(paper, results).systems) == number


def test_one_seed_each_decides_nothing_and_is_shown_to_be_no_better() -> None:
    late, early, shallow = (replace(one, seeds=one.seeds[:1]) for one in (LATE, EARLY, SHALLOW))
    assert verdicts(late, early)["deep-admin", "deep-pre"] == "undecided"
    found = said(late, shallow)
    assert not [each for each in found if "shown to have" in each or "Noise" in each]
    assert ratio(0.0, math.inf) == "1.000"
    assert difference(-1.25, math.inf) == "-1.2"
    assert difference(-0.04, 0.2) == "+0.0 ± 0.2"


def test_the_detectable_difference_is_found_four_times_in_five() -> None:
    random, spread, seeds = np.random.default_rng(3), 0.6, 3
    size = detectable(spread, seeds)
    one, other = random.normal(0, spread, (2, 20_000, seeds))
    found = stats.ttest_ind(one + size, other, axis=1).pvalue < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.01)
    assert 2.7 * spread < size < 3.1 * spread


def test_a_question_is_answered_with_its_interval_and_its_course() -> None:
    answer = one(said(LATE, EARLY), "Is 12+12 deep-admin better than 12+12 deep-pre?")
    assert "0.800 (0.7" in answer
    assert "on dev, 2.00, 0.80 times after 100, 1,000 updates." in answer


def test_a_lead_that_changes_hands_is_named() -> None:
    order = one(said(LATE, EARLY, SHALLOW), "Between 100 and 1,000 updates, 2 of 3 pairs")
    assert "12+12 deep-admin passes 12+12 deep-pre" in order
    assert "12+12 deep-admin passes 3+3 shallow-post" in order


def test_depth_is_paid_for_in_core_seconds() -> None:
    # A deep update costs ten times as much: 1,000 shallow ones pay for 100 deep ones.
    found = said(EARLY, SHALLOW, deep_pre=3.6, shallow_post=0.36)
    assert one(found, "Per core second: 1,000 updates of 3+3") == (
        "Per core second: 1,000 updates of 3+3 shallow-post cost 0.10 core hours, as 100 of"
        " 12+12 deep-pre do, whose perplexity on dev is then 1.25 times as high."
    )
    assert not [each for each in said(EARLY, SHALLOW) if each.startswith("Per core second")]


@pytest.mark.parametrize(("perplexity", "named"), [(6.0, "1 of 1: 12+12 new"), (9.9, "none of 1")])
def test_a_method_since_2020_must_beat_the_best_deep_one_before(
    perplexity: float, named: str
) -> None:
    new = system("new", {100: 20.0, 1000: perplexity}, group="since 2020", noise=0.03)
    sentence = one(said(EARLY, LATE, new), "Methods since 2020 shown to have")
    assert "than 12+12 deep-admin, the best deep system of the four papers" in sentence
    assert named in sentence


def test_the_baseline_and_the_noise_are_stated() -> None:
    found = said(LATE, EARLY, SHALLOW)
    assert "2 of 2: 12+12 deep-admin 0.500 (0." in one(found, "Systems shown to have a lower")
    assert "are 1.0 and 3.1 % of the perplexity" in one(found, "Noise: the spread over seeds")
    assert said(EARLY) == []
