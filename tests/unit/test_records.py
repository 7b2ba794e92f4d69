"""Records are read whole or refused with file and line."""

import re
from pathlib import Path

import invented
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import record
from deepmt.config.settings import load_plan
from deepmt.results.record_archive import scale_of
from deepmt.results.records import (
    FAILURES,
    Record,
    RecordedFailure,
    canonical_sha256,
    read_records,
)
from deepmt.results.seed_files import Refusal


def read(folder: Path) -> tuple[list[Record], list[Refusal]]:
    return read_records(folder / "results", folder / "records", invented.SPECS.values(), "toy")


def records(folder: Path) -> list[Record]:
    return read(folder)[0]


def refusal(folder: Path) -> str:
    _, [found] = read(folder)
    return found.message


def test_a_record_of_a_trained_seed_is_read(tmp_path: Path) -> None:
    invented.write_result(tmp_path, invented.record("p.r1"))
    [entry] = records(tmp_path)
    assert (entry.seed, entry.archived) == (1, False)
    assert entry.scores["test"]["bleu"].value == 90.0


def test_the_hash_of_a_record_is_that_of_its_spec() -> None:
    found = invented.record("p.r2")
    assert canonical_sha256(found["spec"]) == invented.SPECS["p.r2"].sha256


WRITTEN = set(Record.__dataclass_fields__) - {"location", "archived"}
YOUNGER = {"dev_perplexities", "milestones", "hypotheses"}
"""Fields that older records in the archive lack."""


@pytest.mark.parametrize("field", sorted(WRITTEN - YOUNGER))
def test_a_missing_field_is_refused_with_file_and_line(tmp_path: Path, field: str) -> None:
    broken = {k: v for k, v in invented.record("p.r1", 2).items() if k != field}
    path = invented.write_archive(tmp_path, invented.record("p.r1"), broken)
    assert refusal(tmp_path).startswith(f"{path}:2: ")
    assert f"missing key '{field}'" in refusal(tmp_path)
    assert len(records(tmp_path)) == 1


def test_a_number_too_large_for_a_float_is_refused(tmp_path: Path) -> None:
    path = invented.write_archive(tmp_path, invented.record("p.r1", epochs=2.25))
    path.write_text(path.read_text().replace("2.25", "1e999"))
    assert "epochs: " in refusal(tmp_path)


def test_a_record_of_settings_that_no_row_has_any_more_is_refused(tmp_path: Path) -> None:
    spec = invented.record("p.r1")["spec"] | {"method": {"norm": "pre"}}
    stale = invented.record("p.r1", spec=spec, spec_sha256=canonical_sha256(spec))
    path = invented.write_archive(tmp_path, stale)
    assert refusal(tmp_path).startswith(f"{path}:1: spec_sha256: no row has this spec")


def test_a_record_of_another_scale_is_refused(tmp_path: Path) -> None:
    path = invented.write_result(tmp_path, invented.record("p.r1", scale="paper"))
    assert str(path) in refusal(tmp_path)
    assert "expected toy, found paper" in refusal(tmp_path)


def test_a_record_in_the_file_of_another_scale_is_refused(tmp_path: Path) -> None:
    path = invented.write_archive(tmp_path, invented.record("p.r1"), name="paper")
    assert refusal(tmp_path).startswith(f"{path}:1: scale: toy does not belong here")


def test_the_file_of_another_scale_is_left_alone(tmp_path: Path) -> None:
    invented.write_archive(tmp_path, invented.record("p.r1", scale="paper"), name="paper")
    assert read(tmp_path) == ([], [])


def test_a_record_in_the_folder_of_another_seed_is_refused(tmp_path: Path) -> None:
    path = invented.write_result(tmp_path, invented.record("p.r1"))
    path.parent.rename(path.parent.with_name("seed2"))
    assert "is in the wrong folder" in refusal(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "[1", "\x00"])
def test_a_broken_file_is_refused_and_the_rest_is_read(tmp_path: Path, text: str) -> None:
    path = invented.write_result(tmp_path, invented.record("p.r1"))
    path.write_text(text)
    invented.write_result(tmp_path, invented.record("p.r2"))
    assert str(path) in refusal(tmp_path)
    assert len(records(tmp_path)) == 1


@pytest.mark.parametrize("line", ["{", "3", "[]", '"text"', "null", '{"scale": 3}'])
def test_a_broken_line_is_refused_and_the_rest_is_read(tmp_path: Path, line: str) -> None:
    path = invented.write_archive(tmp_path, invented.record("p.r1"))
    path.write_text(path.read_text() + line + "\n")
    assert refusal(tmp_path).startswith(f"{path}:2: ")
    assert len(records(tmp_path)) == 1


@pytest.mark.parametrize("outcome", FAILURES)
def test_failure_and_outcome_must_agree(tmp_path: Path, outcome: str) -> None:
    invented.write_archive(tmp_path, invented.record("p.r1", outcome=outcome))
    assert "`failure` must be given" in refusal(tmp_path)


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


def test_a_field_that_no_table_needs_does_no_harm(tmp_path: Path) -> None:
    invented.write_result(tmp_path, invented.record("p.r1", weather="rain"))
    assert len(records(tmp_path)) == 1


def test_the_script_that_writes_records_writes_every_field_that_is_read() -> None:
    source = Path(record.__file__).read_text()
    written = {*record.FROM_OUTCOME, *re.findall(r'^        "(\w+)":', source, re.MULTILINE)}
    assert written >= WRITTEN


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"throughput": {"target_tokens_per_s": "fast"}}, "target_tokens_per_s: must be a number"),
        (
            {"decoding": {"sentences_per_s": {"test": "9"}}},
            "sentences_per_s.test: must be a number",
        ),
        ({"decoding": {"sentences_per_s": 9}}, "sentences_per_s: must be a mapping"),
    ],
)
def test_a_speed_that_is_no_number_is_refused(tmp_path: Path, changes: dict, said: str) -> None:
    path = invented.write_archive(tmp_path, invented.record("p.r1", **changes))
    assert refusal(tmp_path).startswith(f"{path}:1: ")
    assert said in refusal(tmp_path)


def line_of(path: Path, *keys: str) -> int:
    """Return the line of a key below others; each of those is given once above it."""
    lines, place = path.read_text().split("\n"), 0
    for key in keys:
        place = next(i for i in range(place, len(lines)) if f'"{key}":' in lines[i])
    return place + 1


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (250, "250 must be at most 100"),
        (-5, "-5 must be at least 0"),
        *((value, "") for value in (float("nan"), float("inf"), "high", None)),
    ],
)
def test_a_score_that_is_none_is_refused_with_its_line(
    tmp_path: Path, value: object, said: str
) -> None:
    good = {name: {"value": 9.0, "signature": "s"} for name in ("bleu", "chrf")}
    scores = {"dev": good, "test": good | {"chrf": {"value": value, "signature": "s"}}}
    path = invented.write_result(tmp_path, invented.record("p.r1", scores=scores))
    line = line_of(path, "scores", "test", "chrf", "value")
    assert refusal(tmp_path).startswith(f"{path}:{line}: scores.test.chrf.value: {said}")


def test_a_perfect_score_and_a_large_edit_rate_are_accepted(tmp_path: Path) -> None:
    values = {"bleu": 100.00000000000004, "ter": 480.0, "chrf": 0.0}
    scores = {"test": {name: {"value": v, "signature": "s"} for name, v in values.items()}}
    invented.write_result(tmp_path, invented.record("p.r1", scores=scores))
    assert len(records(tmp_path)) == 1


@given(data=st.data())
@settings(max_examples=30, deadline=None)
def test_a_repeated_key_is_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("repeated")
    path = invented.write_result(folder, invented.record("p.r1"))
    lines = path.read_text().split("\n")
    keys = [i for i, text in enumerate(lines) if re.fullmatch(r' +"\w+": .*[^{\[]', text)]
    place = data.draw(st.sampled_from(keys))
    again = lines[place].rstrip(",") + ","
    path.write_text("\n".join([*lines[:place], again, *lines[place:]]))
    key = lines[place].split('"')[1]
    assert refusal(folder) == f"{path}:1: repeated key '{key}'"


def test_nesting_without_end_is_refused(tmp_path: Path) -> None:
    path = invented.write_result(tmp_path, invented.record("p.r1"))
    path.write_text("[" * 50_000)
    assert refusal(tmp_path).startswith(f"{path}:1: not valid JSON")


def test_every_record_in_git_is_read(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    for scale in sorted({scale_of(path) for path in (root / "records").glob("*.jsonl")}):
        plan = load_plan(root, {"scale": scale, "papers": "all", "rows": "all"})
        found, refused = read_records(tmp_path, root / "records", plan.every_run.values(), scale)
        assert found
        assert [each for each in refused if "no row has this spec" not in each.message] == []


def test_the_perplexity_of_a_very_bad_model_is_read(tmp_path: Path) -> None:
    invented.write_archive(tmp_path, invented.record("p.r1", perplexities={"dev": 1e304}))
    assert records(tmp_path)[0].perplexities == {"dev": 1e304}
