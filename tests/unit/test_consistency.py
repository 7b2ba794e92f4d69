"""Records that contradict their own settings, or each other, are named."""

from pathlib import Path
from typing import Any

import invented
import pytest

from deepmt.measured.consistency import contradictions
from deepmt.measured.records import Record

SCORES = {"test": {m: {"value": 30.0, "signature": f"{m}|v1"} for m in ("bleu", "chrf")}}


def read(tmp_path: Path, *changes: dict[str, Any]) -> list[Record]:
    """Records of one run by seed."""
    for seed, change in enumerate(changes, 1):
        own = {"scores": SCORES} | change
        invented.write_result(tmp_path, invented.record("p.r1", seed, **own))
    return list(invented.results(tmp_path).records)


def reasons(records: list[Record]) -> list[tuple[int, str]]:
    """Seeds of the records that are named, with what is said of each."""
    return [(record.seed, why) for record, why in contradictions(records)]


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
def test_one_record_of_three_that_differs_or_is_a_copy_is_named(
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
    [(seed, said)] = reasons(records)
    assert seed == 3
    assert why in said


def test_a_batch_that_counts_its_source_may_hold_more_target_tokens(tmp_path: Path) -> None:
    by_source = invented.spec(2, batch_counts="source")
    made = invented.record_of(by_source, 1, scores=SCORES, target_tokens=10001)
    invented.write_result(tmp_path, made)
    assert reasons(list(invented.results(tmp_path).records)) == []


def test_of_two_records_that_differ_both_are_named(tmp_path: Path) -> None:
    first, second = reasons(read(tmp_path, {}, {"parameters": 1}))
    assert "parameters is 312345, and 1 in " in first[1]
    assert "parameters is 1, and 312345 in " in second[1]


def test_failed_seeds_may_put_out_equal_constants(tmp_path: Path) -> None:
    for seed in (1, 2):
        same = {"train_loss": 7.0, "hypotheses": {"test": "a" * 64}}
        invented.write_result(tmp_path, invented.diverged("p.r1", seed) | same)
    assert reasons(list(invented.results(tmp_path).records)) == []


def test_seeds_that_finished_and_learned_nothing_may_put_out_equal_constants(
    tmp_path: Path,
) -> None:
    scores = {"test": SCORES["test"] | {"bleu": {"value": 0.3, "signature": "bleu|v1"}}}
    same = {"scores": scores, "hypotheses": {"test": "a" * 64}}
    assert reasons(read(tmp_path, same, same | {"train_loss": 2.6})) == []


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
def test_a_record_that_contradicts_its_own_settings_is_named(
    tmp_path: Path, change: dict[str, Any], why: str
) -> None:
    assert why in "\n".join(said for _, said in reasons(read(tmp_path, change)))


def test_every_split_with_scores_has_a_perplexity(tmp_path: Path) -> None:
    lacking = invented.record("p.r1")
    del lacking["perplexities"]["test"]
    invented.write_result(tmp_path, lacking)
    records = list(invented.results(tmp_path).records)
    assert reasons(records) == [(1, "perplexities: lack test, which has scores")]


@pytest.mark.parametrize(("measure", "value"), [("bleu", 101.0), ("chrf", 1000.0)])
def test_only_ter_and_comet_lie_beyond_100(tmp_path: Path, measure: str, value: float) -> None:
    high = SCORES["test"] | {measure: {"value": value, "signature": f"{measure}|v1"}}
    free = {name: {"value": one, "signature": "s"} for name, one in (("ter", 480), ("comet", -9))}
    free |= SCORES["test"]
    records = {"scores": {"test": high}}, {"scores": {"test": free}}
    [(seed, said)] = reasons(read(tmp_path, *records))
    assert (seed, "is above 100" in said) == (1, True)


def test_a_note_shows_its_control_characters(tmp_path: Path) -> None:
    data = {"dataset": "toy", "note": "red \x1b[31m text", "sha256": {}}
    [record] = read(tmp_path, {"data": data})
    assert record.data.note == r"red \x1b[31m text"


@pytest.mark.parametrize("measure", ["bleu", "chrf"])
def test_every_translation_has_bleu_and_chrf(tmp_path: Path, measure: str) -> None:
    record = invented.record("p.r1", scores=SCORES)
    del record["scores"]["test"][measure]
    invented.write_result(tmp_path, record)
    [(_, said)] = reasons(list(invented.results(tmp_path).records))
    assert said == f"scores.test: lacks {measure}"
