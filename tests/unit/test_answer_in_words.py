"""What a scale shows, in sentences: every number is one of the records that were made up here."""

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest

from deepmt.report.answer import ComparedSystems, TrainedSystem
from deepmt.report.answer_in_words import difference, ratio, sentences
from deepmt.results.still_moving import LogDev

SCORE = SimpleNamespace(value=30.0, length_ratio=1.01)


def system(
    name: str, dev: dict[int, float], *, group: str = "", noise: float = 0.01
) -> TrainedSystem:
    """Return three seeds with these dev perplexities by update; that on test is the last one."""
    *before, last = dev
    seeds = [
        SimpleNamespace(
            run=name,
            updates=last,
            epochs=last / 500,
            milestones=[
                SimpleNamespace(update=u, perplexities={"dev": dev[u]}, scores={}) for u in before
            ],
            perplexities={"dev": dev[last], "test": dev[last] * math.exp(noise * n)},
            scores={"test": {"chrf": SCORE, "bleu": SCORE}},
        )
        for n in (-1, 0, 1)
    ]
    deep = not name.startswith("shallow")
    log = math.log(dev[last])
    return TrainedSystem(
        row=SimpleNamespace(id=name, label=name, system=name, group=group),
        seeds=seeds,
        layers=(12, 12) if deep else (3, 3),
        deep=deep,
        dev=[LogDev(log, log)] * 3,
    )


LATE = system("deep-admin", {100: 40.0, 1000: 8.0})
EARLY = system("deep-pre", {100: 20.0, 1000: 10.0})
SHALLOW = system("shallow-post", {100: 30.0, 1000: 16.0})


def said(*systems: TrainedSystem, **costs: float) -> list[str]:
    named = {name.replace("_", "-"): cost for name, cost in costs.items()}
    return list(sentences(ComparedSystems({one.row.id: one for one in systems}), named))


def one(found: list[str], start: str) -> str:
    [sentence] = [sentence for sentence in found if sentence.startswith(start)]
    return sentence


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
    assert one(
        found, "Per core second: 1,000 updates of 3+3 shallow-post cost 0.10 core hours"
    ) == (
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


def test_one_system_shows_nothing() -> None:
    assert said(EARLY) == []


def test_one_seed_each_is_shown_to_be_no_better() -> None:
    single = [replace(one, seeds=one.seeds[:1]) for one in (LATE, SHALLOW)]
    assert not [each for each in said(*single) if "shown to have" in each or "Noise" in each]


def test_an_unknown_interval_is_left_out() -> None:
    assert ratio(0.0, math.inf) == "1.000"
    assert difference(-1.25, math.inf) == "-1.2"
