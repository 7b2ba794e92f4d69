"""Training curves are read from logs and the archive, checked, and written as curves.csv."""

import json
from pathlib import Path
from typing import Any

import invented
import pytest
from invented import curves_of, write_archived_curves

from deepmt.results.records import Record, read_records
from deepmt.results.seed_files import Refusal
from deepmt.results.training_curves import (
    TrainingCurves,
    read_curves,
    read_training_curves,
    write_curves,
)

RUN = invented.SPECS["p.r1"].run


def records(folder: Path) -> list[Record]:
    specs = invented.SPECS.values()
    return read_records(folder / "results", folder / "records", specs, "toy")[0]


def read(folder: Path) -> tuple[list[TrainingCurves], list[Refusal]]:
    archive = folder / "records/curves"
    return read_training_curves(records(folder), archive, invented.SPECS.values(), "toy")


def refusal(folder: Path) -> str:
    _, [found] = read(folder)
    return found.message


def write_log(folder: Path, *events: dict[str, Any], **changes: Any) -> Path:
    """A record, and beside it the log of its training."""
    record = invented.write_result(folder, invented.record("p.r1", **changes))
    log = record.with_name("log.jsonl")
    log.write_text("".join(json.dumps(event) + "\n" for event in ({"event": "start"}, *events)))
    return log


def test_curves_of_a_seed_trained_here_come_from_its_log(tmp_path: Path) -> None:
    write_log(tmp_path, {"event": "output_gradients", "update": 5, "encoder": [0.5, 0.25]})
    [found], _ = read(tmp_path)
    assert (found.run, found.seed, found.dev) == (RUN, 1, None)
    assert found.output_gradients["update"] == [5]
    assert found.output_gradients["encoder"] == [[0.5, 0.25]]


def test_a_log_with_values_of_another_form_is_refused(tmp_path: Path) -> None:
    log = write_log(tmp_path, {"event": "output_gradients", "update": 5, "encoder": 0.5})
    assert refusal(tmp_path).startswith(f"{log}: output_gradients.encoder")


@pytest.mark.parametrize("field", ["schema", "run", "spec_sha256", "seed", "scale", "updates"])
def test_a_missing_field_is_refused_with_file_and_line(tmp_path: Path, field: str) -> None:
    broken = {key: value for key, value in curves_of("p.r1", 2).items() if key != field}
    path = write_archived_curves(tmp_path, curves_of("p.r1"), broken)
    assert refusal(tmp_path) == f"{path}:2: missing key '{field}'"
    assert len(read(tmp_path)[0]) == 1


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"update": [2, 2], "ppl": [9.0, 8.0]}, "must rise"),
        ({"update": [2, 99], "ppl": [9.0, 8.0]}, "at most 20"),
        ({"update": [0], "ppl": [9.0]}, "must rise"),
        ({"update": [2], "ppl": [9.0, 8.0]}, "one value for each update"),
        ({"update": [2], "ppl": ["high"]}, "number"),
        ({"update": [2], "ppl": [True]}, "number"),
        ({"update": [2], "ppl": [[9.0]]}, "number"),
        ({"update": [2.5], "ppl": [9.0]}, "whole number"),
        ({"update": [2], "blue": [9.0]}, "dev.blue"),
        ({"ppl": [9.0]}, "missing key 'update'"),
        ([9.0], "dev"),
    ],
)
def test_a_section_of_another_form_is_refused(tmp_path: Path, section: Any, message: str) -> None:
    write_archived_curves(tmp_path, curves_of("p.r1", dev=section))
    assert ":1: dev" in refusal(tmp_path)
    assert message in refusal(tmp_path)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
def test_what_is_no_finite_number_is_refused(tmp_path: Path, number: str) -> None:
    path = write_archived_curves(tmp_path, curves_of("p.r1", dev={"update": [2], "ppl": [9.5]}))
    path.write_text(path.read_text().replace("9.5", number))
    assert "finite number" in refusal(tmp_path)


def test_layers_that_come_and_go_are_refused(tmp_path: Path) -> None:
    signals = {"update": [1, 2], "encoder": [[1.0, 2.0], [1.0]]}
    write_archived_curves(tmp_path, curves_of("p.r1", output_gradients=signals))
    assert "the same layers" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scale": "paper"}, "scale: paper does not belong here; move it to paper.jsonl"),
        ({"spec_sha256": "0" * 64}, "no row has this spec"),
        ({"run": "other-00000000"}, "the run of this spec is named"),
    ],
)
def test_a_line_of_something_else_is_refused(tmp_path: Path, change: dict, message: str) -> None:
    write_archived_curves(tmp_path, curves_of("p.r1", **change))
    assert message in refusal(tmp_path)


def test_a_second_line_of_a_seed_is_refused(tmp_path: Path) -> None:
    path = write_archived_curves(tmp_path, curves_of("p.r1"), curves_of("p.r1"))
    assert refusal(tmp_path).startswith(f"{path}:2: ")


@pytest.mark.parametrize("text", ["{", "3", "null", "[]"])
def test_a_broken_line_is_refused_and_the_rest_is_read(tmp_path: Path, text: str) -> None:
    path = write_archived_curves(tmp_path, curves_of("p.r2"))
    path.write_text(f"{text}\n{path.read_text()}")
    assert refusal(tmp_path).startswith(f"{path}:1: ")
    assert len(read(tmp_path)[0]) == 1


def test_what_was_trained_here_wins_over_the_archive(tmp_path: Path) -> None:
    write_archived_curves(tmp_path, curves_of("p.r1", updates=5))
    write_log(tmp_path, updates=6)
    found, refusals = read(tmp_path)
    assert [one.updates for one in found] == [6]
    assert not refusals


def test_every_value_has_a_line_of_its_own(tmp_path: Path) -> None:
    events = [
        {"event": "dev", "update": 50, "ppl": 9.125},
        {"event": "dev", "update": 100, "ppl": float("nan")},
        {"event": "gradients", "update": 50, "encoder": [0.1, 0.2], "decoder": [0.3, 0.4]},
        {"event": "layer_weights", "update": 50, "encoder_output": [[1.0, 0.0], [0.25, 0.75]]},
    ]
    write_log(tmp_path, *events, epochs=4.0)
    path = tmp_path / "curves.csv"
    write_curves(read(tmp_path)[0], records(tmp_path), path)
    found = read_curves(path)
    assert set(found.run) == {RUN}
    assert set(found.seed) == {1}
    dev = found[found.quantity == "dev.ppl"]
    assert list(dev["update"]) == [50, 100]
    assert list(dev.epoch) == [2.0, 4.0]
    assert dev.value.iloc[0] == 9.125
    assert dev.value.isna().iloc[1]
    decoder = found[found.quantity == "gradients.decoder"]
    assert list(zip(decoder.layer, decoder.value, strict=True)) == [(1, 0.3), (2, 0.4)]
    memory = found[(found.quantity == "layer_weights.encoder_output") & (found.layer == 2)]
    assert list(zip(memory.input, memory.value, strict=True)) == [(0, 0.25), (1, 0.75)]
