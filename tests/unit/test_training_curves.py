"""Training curves are read from logs and the archive, and checked."""

import json
from pathlib import Path
from typing import Any

import invented
from invented import curves_of, write_archived_curves

from deepmt.measured.records import Record, read_records
from deepmt.measured.seed_files import Refusal
from deepmt.measured.training_curves import (
    TrainingCurves,
    read_training_curves,
)

RUN = invented.SPECS["p.r1"].run


def records(folder: Path) -> list[Record]:
    specs = invented.SPECS.values()
    return read_records(folder / "results", folder / "records", specs, "toy")[0]


def read(folder: Path) -> tuple[list[TrainingCurves], list[Refusal]]:
    archive = folder / "records/curves"
    return read_training_curves(records(folder), archive, invented.SPECS.values(), "toy")


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


def test_what_was_trained_here_wins_over_the_archive(tmp_path: Path) -> None:
    write_archived_curves(tmp_path, curves_of("p.r1", updates=5))
    write_log(tmp_path)
    found, refusals = read(tmp_path)
    assert [one.updates for one in found] == [100]
    assert not refusals


def test_values_are_found_by_update_layer_and_input(tmp_path: Path) -> None:
    events = [
        {"event": "dev", "update": 50, "ppl": 9.125},
        {"event": "dev", "update": 100, "ppl": float("nan")},
        {"event": "gradients", "update": 50, "encoder": [0.1, 0.2], "decoder": [0.3, 0.4]},
        {"event": "layer_weights", "update": 50, "encoder_output": [[1.0, 0.0], [0.25, 0.75]]},
    ]
    write_log(tmp_path, *events, epochs=4.0)
    [[found], _] = read(tmp_path)
    assert found.by_update("dev.ppl") == {50: {(0, 0): 9.125}, 100: {(0, 0): None}}
    assert found.by_update("gradients.decoder") == {50: {(1, 0): 0.3, (2, 0): 0.4}}
    memory = {(1, 0): 1.0, (1, 1): 0.0, (2, 0): 0.25, (2, 1): 0.75}
    assert found.by_update("layer_weights.encoder_output") == {50: memory}
    assert found.by_update("progress.loss") == {}


def test_the_log_of_another_seed_is_refused_with_both_names(tmp_path: Path) -> None:
    """That of a run that continues another one begins with that one's."""
    other, own = {"event": "start", "run": "shorter", "seed": 1}, {"run": RUN, "seed": 1}
    write_log(tmp_path / "own", other, {"event": "start", **own})
    assert not read(tmp_path / "own")[1]
    log = write_log(tmp_path, {"event": "start", **own, "seed": 2})
    found, [refusal] = read(tmp_path)
    assert found == []
    assert refusal.message == f"{log}: it is of seed 2 of {RUN}, not of seed 1 of {RUN}"
