"""The answers to the registered questions: intervals, what still moves, and what can be found."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from deepmt.report.answer import ComparedSystems, TrainedSystem, detectable, systems_of
from deepmt.results.still_moving import LogDev


def system(name: str, perplexities: list[float], chrf: float, before: float = 1.0) -> TrainedSystem:
    """Seeds with these perplexities on test and dev; dev was so many times higher before."""
    return TrainedSystem(
        row=SimpleNamespace(id=name, label=name),
        seeds=[
            SimpleNamespace(
                perplexities={"test": ppl, "dev": ppl},
                scores={
                    "test": {
                        "chrf": SimpleNamespace(value=chrf + n / 10),
                        "bleu": SimpleNamespace(value=chrf / 2 + n / 10),
                    }
                },
            )
            for n, ppl in enumerate(perplexities)
        ],
        layers=(12, 12) if name.startswith("deep") else (3, 3),
        deep=name.startswith("deep"),
        dev=[LogDev(math.log(before * ppl), math.log(ppl)) for ppl in perplexities],
    )


PRE = system("deep-pre", [8.0, 8.1, 8.2], 60.0)


def verdicts(*systems: TrainedSystem) -> dict[tuple[str, str], str]:
    found = ComparedSystems({one.row.id: one for one in systems}).answers()
    return {(one.one.row.id, one.other.row.id): one.verdict for one in found}


@pytest.mark.parametrize(
    ("admin", "verdict"),
    [
        (system("deep-admin", [7.0, 7.1, 7.2], 62.0), "better"),
        (system("deep-admin", [9.0, 9.1, 9.2], 58.0), "worse"),
        # Perplexity and chrF disagree; one seed apart from the others.
        (system("deep-admin", [7.0, 7.1, 7.2], 58.0), "undecided"),
        (system("deep-admin", [5.0, 7.1, 12.2], 62.0), "undecided"),
        # A lead of 12 % that was 30 % at two thirds of training.
        (system("deep-admin", [9.0, 9.1, 9.2], 58.0, before=1.2), "still moving"),
    ],
)
def test_a_direction_needs_both_measures_and_an_end_of_movement(
    admin: TrainedSystem, verdict: str
) -> None:
    assert verdicts(admin, PRE)["deep-admin", "deep-pre"] == verdict


def test_the_third_question_takes_the_best_of_each_depth_on_dev() -> None:
    shallow = [system(f"shallow-{n}", [n, n + 0.1, n + 0.2], 60.0) for n in (6.0, 7.0)]
    assert ("deep-pre", "shallow-6.0") in verdicts(PRE, *shallow)


@pytest.mark.parametrize(("outcome", "compared"), [("finished", 1), ("diverged", 0)])
def test_a_system_with_a_seed_that_diverged_is_not_compared(outcome: str, compared: int) -> None:
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
    assert len(systems_of(paper, results).systems) == compared


def test_one_seed_of_each_decides_nothing() -> None:
    assert verdicts(system("deep-admin", [2.0], 90.0), system("deep-pre", [9.0], 1.0)) == {
        ("deep-admin", "deep-pre"): "undecided"
    }


def test_the_detectable_difference_is_found_four_times_in_five() -> None:
    random, spread, seeds = np.random.default_rng(3), 0.6, 3
    size = detectable(spread, seeds)
    one, other = random.normal(0, spread, (2, 20_000, seeds))
    found = stats.ttest_ind(one + size, other, axis=1).pvalue < 0.05
    assert found.mean() == pytest.approx(0.8, abs=0.01)
    assert 2.7 * spread < size < 3.1 * spread
