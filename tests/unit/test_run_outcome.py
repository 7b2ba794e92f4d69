"""A system's result: how many of its seeds train, and the mean over those that do."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import invented
import pytest

from deepmt.judge.cells import Cell
from deepmt.judge.run_outcome import run_outcome
from deepmt.judge.standard_error import pool
from deepmt.measured.records import Record
from deepmt.measured.seeds import low_scores, too_short, trains
from deepmt.scores.score import Score
from deepmt.study.papers import Column

BLEU: Column = invented.COLUMNS["bleu"]


def cell(folder: Path, row: str, *seeds: float | None, scale: str = "toy") -> Cell:
    """The BLEU of a row; None is a seed that diverged."""
    for number, bleu in enumerate(seeds, 1):
        known: dict[str, Any] = {"scale": scale}
        if bleu is None:
            found = invented.diverged(row, number) | known
        else:
            found = invented.record(row, number, bleu=bleu, **known)
        invented.write_result(folder, found)
    return invented.cells(folder, scale)[row.removeprefix("p."), "bleu"]


@pytest.mark.parametrize(
    ("seeds", "trained", "ours"),
    [
        ((30.0, 31.0, 32.0), 3, 31.0),
        ((13.0, 9.5, 2.3), 2, 11.25),
        ((5.5, 4.7, 2.9), 1, 5.5),
        ((13.0, None, 2.3), 1, 13.0),
        ((0.3, 0.1), 0, 0.2),
        ((0.3, None), 0, 0.15),
        ((None, None), 0, 0.0),
    ],
)
def test_the_mean_is_over_the_seeds_that_train(tmp_path, seeds, trained: int, ours: float) -> None:
    found = cell(tmp_path, "p.r1", *seeds)
    assert (found.trained, found.seeds) == (trained, len(seeds))
    assert found.ours == pytest.approx(ours)
    low = sum(bleu is not None and bleu < 5 for bleu in seeds)
    assert (f"{low} of {len(seeds)} seeds ended below 5 BLEU" in found.note) == bool(low)


@pytest.mark.parametrize(
    ("seeds", "verdict"),
    [
        # Of six seeds three survive, or one: their mean is that of the paper.
        ((27.5, 27.6, 27.4, None, None, None), "undecided"),
        ((27.5, None, None, None, None, None), "undecided"),
        ((27.5, 27.6, 27.4, 0.3, 0.2, 0.1), "undecided"),
        ((27.5, 27.6, 27.4), "reproduced"),
        ((None, None, None), "contradicted"),
        ((0.3, 0.2, None), "contradicted"),
        # All three train, and some may not have.
        ((5.1, 5.2, 5.3), "undecided"),
        ((6.1, 6.2, 6.3), "weaker"),
    ],
)
def test_a_system_that_the_paper_trained_trains_with_every_seed(tmp_path, seeds, verdict) -> None:
    assert cell(tmp_path, "p.r1", *seeds, scale="paper").verdict == verdict


@pytest.mark.parametrize(
    ("seeds", "verdict"),
    [
        ((5.5, 4.7, 2.9), "undecided"),  # 4.4 +- 1.3 was a failure
        ((4.7, 3.0, 4.9), "undecided"),  # all below the line, but not by more than their noise
        ((13.0, 9.5, 2.3), "undecided"),  # 8.3 +- 5.5 had trained
        ((0.3, 0.2, 0.4), "reproduced"),
        ((None, None, None), "reproduced"),
        ((30.0, 31.0, 32.0), "contradicted"),
    ],
)
def test_a_system_that_failed_in_the_paper_fails_with_every_seed(tmp_path, seeds, verdict) -> None:
    assert cell(tmp_path, "p.r3", *seeds, scale="paper").verdict == verdict


@pytest.mark.parametrize(
    ("bleu", "verdict"), [(2.4, "reproduced"), (2.6, "undecided"), (7.4, "undecided"),
                          (7.6, "contradicted")]
)  # fmt: skip
def test_a_lone_seed_of_a_scale_without_spreads_must_be_far_from_5(tmp_path, bleu, verdict) -> None:
    assert cell(tmp_path, "p.r3", bleu, scale="paper").verdict == verdict


@pytest.mark.parametrize(("bleu", "verdict"), [(4.7, "undecided"), (4.4, "reproduced")])
def test_a_lone_seed_has_the_pooled_spread_of_its_scale(tmp_path, bleu, verdict) -> None:
    for seed, score in enumerate((27.4, 27.5, 27.6, 27.5, 27.3, 27.7)):  # a spread of 0.14
        invented.write_result(tmp_path, invented.record("p.r1", seed, bleu=score, scale="paper"))
    assert cell(tmp_path, "p.r3", bleu, scale="paper").verdict == verdict


@pytest.mark.parametrize("reference", [(30.0, 31.0, 2.0), (0.1, 0.2, 0.3)])
def test_nothing_is_subtracted_from_a_reference_that_does_not_train(tmp_path, reference) -> None:
    cell(tmp_path, "p.r1", *reference)
    cell(tmp_path, "p.r2", 33.0, 34.0, 35.0)
    found = invented.cells(tmp_path)["r2", "delta"]
    assert (found.status, found.ours) == ("not-run", None)
    assert "its reference p.r1 trains" in found.note


def test_without_a_record_a_run_is_undecided() -> None:
    assert run_outcome([], {}) == "undecided"


@pytest.mark.parametrize(
    ("updates", "patience", "short"),
    [(360, 1500.0, True), (1500, 1500.0, False), (360, 0.5, False)],
)
def test_what_learned_nothing_in_too_few_updates_has_not_failed(
    updates: int, patience: float, short: bool
) -> None:
    spec = invented.spec(2, updates=updates, divergence_patience=patience)

    def seed(bleu: float, **changes: Any) -> Record:
        scores = {"test": {"bleu": {"value": bleu, "signature": "made up"}}}
        return invented.seed_of(spec, scores=scores, **changes)

    assert too_short(seed(0.3)) == short
    assert run_outcome([seed(0.3)], pool([])) == ("undecided" if short else "failed")
    assert run_outcome([seed(30.0)], pool([])) == "trained"
    diverged = seed(0.0, outcome="diverged", failure={"update": 90, "reason": "loss is nan"})
    assert run_outcome([diverged], pool([])) == "failed"


@pytest.mark.parametrize(
    ("perplexity", "unigram", "learned"),
    [(1.1, 3.0, True), (19.8, 3.0, False), (19.8, None, True)],
)
def test_without_a_bleu_a_seed_trains_if_it_predicts_better_than_unigrams(
    perplexity: float, unigram: float | None, learned: bool
) -> None:
    known = {} if unigram is None else {"unigram_loss": unigram}
    one = invented.seed_of(invented.spec(2), perplexities={"test": perplexity}, **known)
    one = replace(one, scores={"test": {"chrf": Score(99.9, "made up")}})
    assert trains(one) == learned
    assert low_scores([one]) == ("" if learned else "ended no better than unigrams")
