"""A run whose first layers no longer get a gradient has collapsed, since the update it vanished."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import invented
import pytest
from hypothesis import given
from hypothesis import strategies as st
from invented import curves_of, write_archived_curves

from deepmt.judge.cells import all_cells
from deepmt.machines.seed_status import read_seed
from deepmt.machines.status_table import row
from deepmt.measured.collapse import ENOUGH, VANISHED, collapse
from deepmt.measured.failures import FAILED_AT, failures, main_failure, with_collapse
from deepmt.measured.training_curves import read_training_curves
from deepmt.settings.seed_folder import SeedFolder

ARCHIVE = Path(__file__).parents[2] / "records"
SECTIONS = {"encoder": "output_gradients", "decoder": "gradients"}
STACKS = pytest.mark.parametrize("stack", SECTIONS)
DEAD = st.floats(0, VANISHED * 0.99)
ALIVE = st.floats(VANISHED * 1.01, 1e6)


def curves(stack: str, ratios: list[float], last: float = 3.0) -> dict[str, Any]:
    """Return the gradients of three layers at every tenth update, given r_t."""
    updates = [10 * number for number in range(1, len(ratios) + 1)]
    layers = [[ratio * last, 2.0, last] for ratio in ratios]
    return {SECTIONS[stack]: {"update": updates, stack: layers}}


@STACKS
@given(st.lists(ALIVE, max_size=40), st.lists(DEAD, min_size=10, max_size=40), st.floats(0.01, 1e3))
def test_a_stack_without_a_gradient_collapsed_where_it_vanished(
    stack: str, alive: list[float], dead: list[float], last: float
) -> None:
    update, reason = collapse(curves(stack, alive + dead, last)) or (0, "")
    assert update == 10 * (len(alive) + 1)
    assert f"first {stack} layer" in reason


@STACKS
@given(st.lists(ALIVE, min_size=1, max_size=50))
def test_a_stack_that_learns_slowly_is_alive(stack: str, ratios: list[float]) -> None:
    assert collapse(curves(stack, ratios)) is None


@STACKS
@given(st.lists(DEAD, max_size=100), ALIVE, st.integers(0, ENOUGH - 1), st.data())
def test_a_gradient_that_returns_has_not_collapsed(
    stack: str, dead: list[float], back: float, after: int, data: st.DataObject
) -> None:
    """However long it was away, and even if it vanishes again just before the end."""
    again = data.draw(st.lists(DEAD, min_size=after, max_size=after))
    assert collapse(curves(stack, [*dead, back, *again])) is None


def test_no_gradient_at_all_is_dead_and_no_number_is_not() -> None:
    for layers, dead in (([0.0, 0.0], True), ([None, 1.0], False), ([0.0, None], False)):
        section = {"update": list(range(1, 11)), "encoder": [layers] * 10}
        assert (collapse({"output_gradients": section}) is not None) == dead
    assert collapse({}) is collapse({"gradients": None}) is None


def test_the_first_stack_to_collapse_counts() -> None:
    both = curves("encoder", [1.0] * 5 + [0.0] * 20) | curves("decoder", [1.0] * 3 + [0.0] * 22)
    update, reason = collapse(both) or (0, "")
    assert (update, "first decoder layer" in reason) == (40, True)


def test_no_recorded_run_that_translates_has_collapsed_and_some_have() -> None:
    """Of the real curves in records/: 5 BLEU is what a run has that ignores its source."""
    bleu = {}
    for path in ARCHIVE.glob("*.jsonl"):
        for record in map(json.loads, path.open()):
            # A trial of a learning rate translates nothing.
            if scores := [one["bleu"]["value"] for one in record["scores"].values()]:
                bleu[record["scale"], record["run"], record["seed"]] = max(scores)
    lines = (json.loads(line) for path in ARCHIVE.glob("curves/*.jsonl") for line in path.open())
    places = [(c["scale"], c["run"], c["seed"]) for c in lines if collapse(c)]
    dead = [bleu[place] for place in places if place in bleu]
    assert len(dead) > 3
    assert max(dead) < 5


def results_of(folder: Path) -> Any:
    """Return the results of the invented paper with what the training curves show."""
    results = invented.results(folder)
    specs = invented.SPECS.values()
    found, _ = read_training_curves(results.records, folder / "records/curves", specs, "toy")
    return replace(results, records=with_collapse(results.records, found))


def test_a_collapsed_seed_is_in_the_note_and_not_in_the_mean(tmp_path: Path) -> None:
    invented.write_archive(tmp_path, *(invented.record("p.r2", seed) for seed in (1, 2, 3)))
    dead = curves("encoder", [1.0] * 5 + [0.0] * 10)
    write_archived_curves(tmp_path, curves_of("p.r2", 3, updates=150, **dead))
    cells = all_cells([invented.PAPER], results_of(tmp_path))
    [cell] = [one for one in cells if (one.row, one.column) == ("p.r2", "bleu")]
    assert (cell.status, cell.trained, cell.seeds) == ("recorded", 2, 3)
    assert "1 of 3 seeds collapsed at update 60: the gradient of the first encoder" in cell.note


@pytest.mark.parametrize("outcome", ["finished", "stalled", "diverged"])
def test_only_a_finished_run_has_collapsed(tmp_path: Path, outcome: str) -> None:
    end = None if outcome == "finished" else {"update": 80, "reason": "why"}
    record = invented.record("p.r3", outcome=outcome, failure=end)
    path = invented.write_result(tmp_path, record)
    gradients = curves("encoder", [0.0] * 10)["output_gradients"]
    events = [
        {"event": "output_gradients", "update": update, "encoder": layers}
        for update, layers in zip(gradients["update"], gradients["encoder"], strict=True)
    ]
    events = [{"event": "start"}, *events, {"event": "end", "outcome": outcome, "update": 100}]
    log = path.with_name("log.jsonl")
    log.write_text("".join(json.dumps(event) + "\n" for event in events))
    expected = "collapsed" if outcome == "finished" else outcome
    [found] = results_of(tmp_path).records
    assert found.outcome == expected
    assert failures([found]) == f"{expected} at update {10 if outcome == 'finished' else 80}"
    status = read_seed(SeedFolder(path.parent), log.stat().st_mtime)
    assert status.state == expected
    assert ("since update 10: the gradient" in row(status)["note"]) == (outcome == "finished")


def test_failures_of_several_kinds_are_all_told(tmp_path: Path) -> None:
    ends = [("collapsed", 40), ("diverged", 90), ("collapsed", 60), ("stalled", 70)]
    ends.append(("collapsed", 60))
    lines = [
        invented.record("p.r2", seed, outcome=outcome, failure={"update": update, "reason": "why"})
        for seed, (outcome, update) in enumerate(ends, 1)
    ]
    invented.write_archive(tmp_path, *lines, invented.record("p.r2", 6))
    records = invented.results(tmp_path).records
    text = failures(records)
    assert text == (
        "1 of 6 seeds diverged at update 90 and 1 of 6 seeds stalled at update 70"
        " and 3 of 6 seeds collapsed at updates 40, 60, 60"
    )
    assert FAILED_AT.findall(text) == ["90", "70", "40, 60, 60"]
    assert main_failure(records) == "collapsed"
    assert main_failure(records[1:2]) == "diverged"
    assert failures(records[5:]) == ""
