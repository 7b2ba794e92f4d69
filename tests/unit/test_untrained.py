"""Sizes and probes are compared with the print at any scale: they are of the paper's own model."""

from dataclasses import replace
from pathlib import Path

import pytest
from invented import PAPER, results, untrained

import job_files
from deepmt.base.files import write_text
from deepmt.judge.cells import all_cells
from deepmt.measured.untrained_values import (
    UntrainedValue,
    read_gradients,
    read_sizes,
    read_speed,
    read_untrained,
)
from deepmt.study.papers import Probe

PROBES = """system,stack,sublayer,quantity,ours,spread,seeds,row,published,note,difference
post-norm,encoder,self,var_r,1.388,0.01,3,z.base,1.38,,0.008
"DS-Init, decay 0.5",encoder,self,var_r,1.069,0.01,3,z.ours,1.10,,-0.03
DS-Init,encoder,self,var_r,1.101,0.02,3,z.ours,1.10,,0.001
post-norm,encoder,self,var_r_by_position,1.4,0.01,3,,,,
"""
PROBED = [
    replace(PAPER, probes={"table1": Probe(seeds=(1,), readings={"DS-Init, decay 0.5": "DS-Init"})})
]


def test_a_size_counted_without_training_is_judged_at_any_scale(tmp_path: Path) -> None:
    row, column = "p.r1", "params_m"
    known = {(row, column): UntrainedValue(value=62.31, note="counted at the paper's size")}
    cells = all_cells([PAPER], results(tmp_path, **untrained(known)))
    [found] = [cell for cell in cells if (cell.row, cell.column) == (row, column)]
    assert found.ours == 62.31
    assert found.status == "measured"
    assert found.verdict == "reproduced"


def test_the_other_reading_of_ds_init_does_not_answer_the_papers_cell(tmp_path: Path) -> None:
    write_text(tmp_path / "results/probes/table1.csv", PROBES)
    found = read_untrained(tmp_path / "results", tmp_path / "records", PROBED)
    assert found["z.ours", "self"].value == 1.101
    assert found["z.base", "self"].spread == 0.01
    assert len(found) == 2


def test_recorded_probes_serve_where_none_were_run(tmp_path: Path) -> None:
    write_text(tmp_path / "records/probes/table1.csv", PROBES)
    job_files.list_hashes(tmp_path / "records")
    found = read_untrained(tmp_path / "results", tmp_path / "records", PROBED)
    assert found["z.base", "self"].recorded


def test_recorded_probes_with_another_hash_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "records/probes/table1.csv"
    write_text(path, PROBES)
    job_files.list_hashes(tmp_path / "records")
    write_text(path, PROBES.replace("1.101", "1.201"))
    with pytest.raises(ValueError, match=r"table1\.csv is damaged: .*; take it back from git"):
        read_untrained(tmp_path / "results", tmp_path / "records", PROBED)


def test_rows_without_a_system_have_no_size(tmp_path: Path) -> None:
    path = tmp_path / "params.csv"
    path.write_text(
        "paper,table,row,published_m,ours,difference_m,note\n"
        "p,p.t1,p.r1,72.3,72310784,0.011,\n"
        "p,p.t1,p.r2,213.0,,,quoted\n"
    )
    found = read_sizes(path)
    assert list(found) == [("p.r1", "params_m")]
    assert round(found["p.r1", "params_m"].value, 6) == 72.310784


def test_decoding_of_a_text_that_the_paper_did_not_decode_is_not_judged(tmp_path: Path) -> None:
    path = tmp_path / "speed.csv"
    path.write_text(
        "row,measure,ours,spread,rounds,note\n"
        "z.ende,decode_speedup,1.3,0.1,2,\n"
        "z.enfr,decode_speedup,0.8,0.1,2,\n"
        "z.enfr,train_step_speedup,0.6,0.1,2,\n"
    )
    found = read_speed(path, other_text={"z.enfr"})
    assert {key: line.judged for key, line in found.items()} == {
        ("z.ende", "decode_speedup"): True,
        ("z.enfr", "decode_speedup"): False,
        ("z.enfr", "train_step_speedup"): True,
    }


def test_gradients_of_a_stack_become_the_ratio_of_its_ends(tmp_path: Path) -> None:
    path = tmp_path / "fig1.csv"
    path.write_text(
        "system,stack,layer,quantity,ours,spread,seeds\n"
        "DS-Init 12L,decoder,1,gradient_norm,3.0,0.3,2\n"
        "DS-Init 12L,decoder,2,gradient_norm,9.0,0.1,2\n"
        "DS-Init 12L,decoder,3,gradient_norm,4.0,0.0,2\n"
        "another 12L,decoder,3,gradient_norm,4.0,0.0,2\n"
    )
    [(cell, found)] = read_gradients(path, systems={"DS-Init 12L": "p.fig1.deep"}).items()
    assert cell == ("p.fig1.deep", "decoder_gradient_ratio")
    assert (found.value, found.seeds) == (0.75, 2)
    assert found.spread == pytest.approx(0.075)
