"""Every printed cell has one line that says what we measured, or why we did not."""

from dataclasses import replace
from pathlib import Path
from statistics import stdev

import invented
import pytest

from deepmt.judge.cells import Cell, all_cells
from deepmt.settings.csv_lines import read_lines, write_lines
from deepmt.study.papers import Column


@pytest.mark.parametrize(
    ("row", "column", "status", "note"),
    [
        ("r2", "bleu", "not-run", "no record yet"),
        ("r3", "bleu", "not-run", "paper: * (failed); not requested"),
        ("r4", "bleu", "quoted", ""),
        ("r5", "bleu", "not-run", "no corpus"),
        ("r6", "bleu", "not-run", "measured at initialisation, by the target probes"),
        ("r6", "mt04", "not-applicable", "paper: - (not applicable)"),
        ("r1", "decode_s", "not-run", "measured by the target speed"),
        ("r1", "batch", "not-applicable", "a setting, not a measurement"),
    ],
)
def test_a_cell_without_a_number_of_ours_says_why(tmp_path, row, column, status, note) -> None:
    cell = invented.cells(tmp_path)[row, column]
    assert (cell.status, cell.note, cell.ours, cell.seeds) == (status, note, None, 0)


LOST = invented.diverged("p.r3", update=90)
WHY = "paper: * (failed); diverged at update 90: loss is nan"


@pytest.mark.parametrize(
    ("record", "column", "status", "ours", "note"),
    [
        (invented.record("p.r2"), "bleu", "measured", 90.0, ""),
        (invented.record("p.r1"), "ppl", "measured", 4.25, ""),
        (LOST, "bleu", "diverged", 0.0, WHY),
        (LOST | {"scores": {}}, "bleu", "diverged", None, WHY),
        (LOST, "params_m", "measured", 0.312345, ""),
        (invented.record("p.r2"), "delta", "not-run", None, "its reference p.r1 has no value"),
        (
            invented.record("p.r1", perplexities={}),
            "ppl",
            "not-run",
            None,
            "the record has no ppl_dev for this cell",
        ),
    ],
    ids=["score", "perplexity", "diverged", "no score", "size", "no reference", "no perplexity"],
)
def test_what_one_record_gives_has_no_spread(
    tmp_path: Path, record, column: str, status: str, ours: float | None, note: str
) -> None:
    invented.write_result(tmp_path, record)
    row = next(row for row, spec in invented.SPECS.items() if spec.run == record["run"])
    cell = invented.cells(tmp_path)[row.removeprefix("p."), column]
    assert (cell.status, cell.ours, cell.spread, cell.note) == (status, ours, None, note)


def test_ours_is_the_mean_over_seeds_with_the_sample_standard_deviation(tmp_path: Path) -> None:
    values = [90.0, 92.5, 94.0]
    for seed, value in enumerate(values):
        invented.write_result(tmp_path, invented.record("p.r2", seed, bleu=value))
    cell = invented.cells(tmp_path)["r2", "bleu"]
    assert (cell.status, cell.seeds) == ("measured", 3)
    assert cell.ours == pytest.approx(sum(values) / 3)
    assert cell.spread == pytest.approx(stdev(values))


def test_records_of_the_archive_have_their_own_status(tmp_path: Path) -> None:
    invented.write_archive(tmp_path, invented.record("p.r1", 1), invented.record("p.r1", 2))
    assert invented.cells(tmp_path)["r1", "bleu"].status == "recorded"
    invented.write_result(tmp_path, invented.record("p.r1", 3))
    cell = invented.cells(tmp_path)["r1", "bleu"]
    assert (cell.status, cell.seeds) == ("measured", 3)
    assert "2 of 3 seeds from records/" in cell.note


def test_seeds_that_diverged_are_in_the_note_and_not_in_the_mean(tmp_path: Path) -> None:
    invented.write_result(tmp_path, invented.record("p.r2", 1, bleu=80.0))
    invented.write_result(tmp_path, invented.diverged("p.r2", 2, update=70))
    cell = invented.cells(tmp_path)["r2", "bleu"]
    assert (cell.status, cell.ours, cell.trained, cell.seeds) == ("measured", 80.0, 1, 2)
    assert "1 of 2 seeds diverged at update 70: loss is nan" in cell.note


def test_a_difference_is_taken_from_the_reference_row(tmp_path: Path) -> None:
    invented.write_result(tmp_path, invented.record("p.r1", bleu=80.0))
    invented.write_result(tmp_path, invented.record("p.r2", bleu=83.5))
    found = invented.cells(tmp_path)
    assert found["r2", "delta"].ours == pytest.approx(3.5)
    assert found["r2", "delta"].note == "against p.r1"
    assert found["r1", "delta"].status == "not-applicable"


def test_spreads_of_a_difference_add_up_as_squares(tmp_path: Path) -> None:
    for seed, offset in enumerate((-3.0, 3.0)):
        invented.write_result(tmp_path, invented.record("p.r1", seed, bleu=50 + offset))
        invented.write_result(tmp_path, invented.record("p.r2", seed, bleu=60 + offset))
    found = invented.cells(tmp_path)
    assert found["r2", "delta"].spread == pytest.approx(found["r2", "bleu"].spread * 2**0.5)


def test_a_mean_is_over_its_columns(tmp_path: Path) -> None:
    score = {"value": 50.0, "signature": "s"}
    scores = {"test": {"bleu": score}, "mt04": {"bleu": score | {"value": 60.0}}}
    invented.write_result(tmp_path, invented.record("p.r1", scores=scores))
    cell = invented.cells(tmp_path)["r1", "mean"]
    assert (cell.ours, cell.note) == (55.0, "")


def test_another_test_set_is_named_and_never_comparable(tmp_path: Path) -> None:
    invented.write_result(tmp_path, invented.record("p.r1", scale="paper", bleu=30.25))
    found = invented.cells(tmp_path, scale="paper")
    assert found["r1", "mt04"].note == "measured on test"
    assert found["r1", "mt04"].verdict == "not-comparable"
    assert found["r1", "bleu"].verdict == "undecided"


def test_a_refused_record_fails_its_cells_and_no_others(tmp_path: Path) -> None:
    path = invented.write_result(tmp_path, invented.record("p.r1", parameters="many"))
    invented.write_result(tmp_path, invented.record("p.r2"))
    found = invented.cells(tmp_path)
    assert found["r1", "bleu"].status == "refused"
    assert f"record refused: {path}:" in found["r1", "bleu"].note
    assert found["r2", "bleu"].status == "measured"


def test_other_scales_and_partial_corpora_are_not_comparable(tmp_path: Path) -> None:
    invented.write_result(tmp_path, invented.record("p.r2"))
    assert {cell.verdict for cell in invented.cells(tmp_path).values()} == {"not-comparable"}
    results = replace(invented.results(tmp_path), as_printed=True, partial_corpora={"toy"})
    verdicts = {cell.verdict for cell in all_cells([invented.PAPER], results)}
    assert verdicts == {"not-comparable"}


def test_a_row_of_our_own_has_a_cell_in_every_column(tmp_path: Path) -> None:
    [table] = invented.PAPER.tables
    row = replace(invented.ROWS[1], values={}, marks={})
    paper = replace(invented.PAPER, tables=(replace(table, rows=(row,)),))
    found = all_cells([paper], invented.results(tmp_path))
    assert [cell.column for cell in found] == list(table.columns)


def test_cells_survive_the_file_at_full_precision(tmp_path: Path) -> None:
    invented.write_result(tmp_path, invented.record("p.r1", bleu=100 / 3))
    cells = list(invented.cells(tmp_path).values())
    write_lines(Cell, cells, tmp_path / "cells.csv")
    assert read_lines(Cell, tmp_path / "cells.csv") == cells
    assert [path.name for path in tmp_path.glob("*cells*")] == ["cells.csv"]


def own_cell(folder: Path, measure: str, **changes: object) -> Cell:
    """The cell of a column of our own in the first row."""
    [table] = invented.PAPER.tables
    column = Column(key="own", label="Own", unit="a second", measure=measure, decimals=0)
    table = replace(table, columns={"own": column}, rows=(replace(invented.ROWS[1], values={}),))
    paper = replace(invented.PAPER, tables=(table,))
    invented.write_result(folder, invented.record("p.r2", **changes))
    [found] = all_cells([paper], invented.results(folder))
    return found


@pytest.mark.parametrize(
    ("measure", "value"),
    [("train_tokens_per_s", 1000.0), ("decode_sentences_per_s", 42.5), ("updates", 100.0)],
)
def test_what_a_run_took_comes_from_its_record(tmp_path: Path, measure: str, value: float) -> None:
    cell = own_cell(tmp_path, measure)
    assert (cell.status, cell.ours, cell.verdict) == ("measured", value, "not-comparable")


@pytest.mark.parametrize("measure", ["train_tokens_per_s", "decode_sentences_per_s"])
def test_a_speed_names_its_hardware(tmp_path: Path, measure: str) -> None:
    hardware = {"name": "AMD EPYC", "threads": 2, "device": "cpu"}
    assert own_cell(tmp_path, measure, hardware=hardware).note == "on AMD EPYC, threads: 2"


def test_the_updates_of_a_diverged_run_are_those_until_it_was_given_up(tmp_path: Path) -> None:
    end = {"outcome": "diverged", "failure": {"update": 41, "reason": "loss is nan"}}
    cell = own_cell(tmp_path, "updates", updates=40, averaged_updates=[], **end)
    assert (cell.status, cell.ours) == ("diverged", 40)
    assert cell.note == "diverged at update 41: loss is nan"
