"""Records are read whole or refused with file and line."""

from pathlib import Path

import invented
import pytest

from deepmt.measured.records import Record, read_records
from deepmt.measured.seed_files import Refusal
from deepmt.train.outcome import RecordedFailure


def read(folder: Path) -> tuple[list[Record], list[Refusal]]:
    return read_records(folder / "results", folder / "records", invented.SPECS.values(), "toy")


def records(folder: Path) -> list[Record]:
    return read(folder)[0]


def test_a_record_of_a_trained_seed_is_read(tmp_path: Path) -> None:
    invented.write_result(tmp_path, invented.record("p.r1"))
    [entry] = records(tmp_path)
    assert (entry.seed, entry.archived) == (1, False)
    assert entry.scores["test"]["bleu"].value == 90.0


@pytest.mark.parametrize("field", ["run", "scores", "throughput"])
def test_a_missing_field_is_refused_with_file_and_line(tmp_path: Path, field: str) -> None:
    broken = {k: v for k, v in invented.record("p.r1", 2).items() if k != field}
    path = invented.write_archive(tmp_path, invented.record("p.r1"), broken)
    found, [refusal] = read(tmp_path)
    assert refusal.message.startswith(f"{path}:2: ")
    assert f"{field}: is required and not set" in refusal.message
    assert len(found) == 1


def test_the_file_of_another_scale_is_left_alone(tmp_path: Path) -> None:
    invented.write_archive(tmp_path, invented.record("p.r1", scale="paper"), name="paper")
    assert read(tmp_path) == ([], [])


def test_older_records_call_a_failure_diverged(tmp_path: Path) -> None:
    older = [invented.record("p.r1"), invented.diverged("p.r1", 2, update=70)]
    for found in older:
        found["diverged"] = found.pop("failure")
    invented.write_archive(tmp_path, *older)
    finished, diverged = records(tmp_path)
    assert finished.failure is None
    assert diverged.failure == RecordedFailure(update=70, reason="loss is nan")


def test_what_was_trained_here_wins_over_the_archive(tmp_path: Path) -> None:
    invented.write_archive(tmp_path, invented.record("p.r1", bleu=1.0))
    invented.write_result(tmp_path, invented.record("p.r1", bleu=2.0))
    [entry] = records(tmp_path)
    assert (entry.scores["test"]["bleu"].value, entry.archived) == (2.0, False)
    assert not read(tmp_path)[1]


def test_extreme_values_and_fields_that_no_table_needs_are_accepted(tmp_path: Path) -> None:
    values = {"bleu": 100.00000000000004, "ter": 480.0, "chrf": 0.0}
    scores = {"test": {name: {"value": v, "signature": "s"} for name, v in values.items()}}
    own = {"scores": scores, "perplexities": {"dev": 1e304}, "weather": "rain"}
    invented.write_result(tmp_path, invented.record("p.r1", **own))
    assert records(tmp_path)[0].perplexities["dev"] == 1e304
