"""Records that contradict each other, or their own spec, are refused."""

from pathlib import Path
from typing import Any

import invented
import pytest

from deepmt.measured.consistency import consistent
from deepmt.measured.records import Record

SCORES = {"test": {m: {"value": 30.0, "signature": f"{m}|v1"} for m in ("bleu", "chrf")}}


def read(tmp_path: Path, *changes: dict[str, Any]) -> list[Record]:
    """Records of one run by seed; what contradicts its own spec is refused."""
    for seed, change in enumerate(changes, 1):
        own = {"scores": SCORES} | change
        invented.write_result(tmp_path, invented.record("p.r1", seed, **own))
    return list(invented.results(tmp_path).records)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"parameters": 1}, "parameters is 1, and 312345 in other records"),
        ({"train_loss": 2.501}, "train_loss: the same as seed 1's: one is a copy"),
        ({"hypotheses": {"test": "a" * 64}}, "hypotheses: the same as seed 1's"),
        ({"initial_weights": "b" * 64}, "initial_weights: the same as seed 1's"),
        ({"references": {"test": {"reference": "d" * 64}}}, "reference of test is dddd"),
        ({"scores": {"test": SCORES["test"] | {"bleu": {"value": 30.0, "signature": "v2"}}}},
         "the signature of bleu on test is v2, and bleu|v1 in other"),
    ],
)  # fmt: skip
def test_one_record_of_three_that_differs_or_is_a_copy_is_refused(
    tmp_path: Path, change: dict[str, Any], why: str
) -> None:
    references = {"test": {"reference": "c" * 64}}
    first = {"hypotheses": {"test": "a" * 64}, "initial_weights": "b" * 64}
    records = read(
        tmp_path,
        first | {"references": references},
        {"references": references},
        {"references": references} | change,
    )
    kept, [refused] = consistent(records)
    assert [one.seed for one in kept] == [1, 2]
    assert why in refused.message
    assert refused.message.startswith(records[2].location)


def test_of_two_records_that_differ_neither_is_taken(tmp_path: Path) -> None:
    kept, refused = consistent(read(tmp_path, {}, {"parameters": 1}))
    assert kept == []
    assert "parameters is 312345, and 1 in " in refused[0].message
    assert "parameters is 1, and 312345 in " in refused[1].message


def test_failed_seeds_may_put_out_equal_constants(tmp_path: Path) -> None:
    for seed in (1, 2):
        same = {"train_loss": 7.0, "hypotheses": {"test": "a" * 64}}
        invented.write_result(tmp_path, invented.diverged("p.r1", seed) | same)
    assert consistent(list(invented.results(tmp_path).records))[1] == []


def test_seeds_that_finished_and_learned_nothing_may_put_out_equal_constants(
    tmp_path: Path,
) -> None:
    scores = {"test": SCORES["test"] | {"bleu": {"value": 0.3, "signature": "bleu|v1"}}}
    same = {"scores": scores, "hypotheses": {"test": "a" * 64}}
    assert consistent(read(tmp_path, same, same | {"train_loss": 2.6}))[1] == []


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"updates": 101}, "updates: 101, and its spec has 100"),
        ({"updates": 3}, "updates: 3, and its spec has 100"),
        ({"averaged_updates": [90, 110]}, "averaged_updates: 110 is beyond the last, 100"),
        ({"averaged_updates": [100, 90]}, "averaged_updates: [100, 90] must rise"),
        ({"averaged_updates": [90, 90]}, "averaged_updates: [90, 90] must rise"),
        ({"epochs": 100.5}, "epochs: 100.5 in 100 updates"),
        ({"target_tokens": 10001}, "target_tokens: 10001, and its updates hold 10000 at most"),
        ({"finished": "2025-12-31T00:00:00+00:00"}, "is before started"),
        ({"finished": "2099-01-01T00:00:00+00:00"}, "is in the future"),
        ({"hardware": {"earlier": ["a GPU"]}}, "hardware.earlier: must be a list of mappings"),
        ({"hardware": {"earlier": 3}}, "hardware.earlier: must be a list of mappings"),
    ],
)
def test_a_record_that_contradicts_its_own_spec_is_refused(
    tmp_path: Path, change: dict[str, Any], why: str
) -> None:
    assert read(tmp_path, change) == []
    [refusal] = invented.results(tmp_path).refusals
    assert why in refusal.message


def test_every_split_with_scores_has_a_perplexity(tmp_path: Path) -> None:
    lacking = invented.record("p.r1")
    del lacking["perplexities"]["test"]
    invented.write_result(tmp_path, lacking)
    [refusal] = invented.results(tmp_path).refusals
    assert "perplexities: lack test" in refusal.message


@pytest.mark.parametrize(("measure", "value"), [("bleu", 101.0), ("chrf", 1000.0)])
def test_no_score_but_ter_is_above_100(tmp_path: Path, measure: str, value: float) -> None:
    high = SCORES["test"] | {measure: {"value": value, "signature": "s"}}
    ter = SCORES["test"] | {"ter": {"value": 480.0, "signature": "s"}}
    kept = read(tmp_path, {"scores": {"test": high}}, {"scores": {"test": ter}})
    assert [one.seed for one in kept] == [2]


def test_a_note_shows_its_control_characters(tmp_path: Path) -> None:
    data = {"dataset": "toy", "note": "red \x1b[31m text", "sha256": {}}
    [record] = read(tmp_path, {"data": data})
    assert record.data.note == r"red \x1b[31m text"


@pytest.mark.parametrize("measure", ["bleu", "chrf"])
def test_a_record_without_a_measure_that_every_translation_has_is_refused(
    tmp_path: Path, measure: str
) -> None:
    path = invented.write_result(tmp_path, invented.record("p.r1", scores=SCORES))
    record = invented.record("p.r1", scores=SCORES)
    del record["scores"]["test"][measure]
    path.write_text(invented.line(record))
    [refusal] = invented.results(tmp_path).refusals
    assert f"scores.test: lacks {measure}" in refusal.message
