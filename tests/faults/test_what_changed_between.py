"""A training that goes on under other software, or with a clock set back, says so."""

import re
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from deepmt.train import ending, history, run
from deepmt.train.execution import ExecutionConfig
from deepmt.train.stop import StopRequested
from tiny import tiny_spec
from tiny_runs import events, new_run, trained


def test_other_versions_are_said_and_recorded(
    tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    where = new_run(tmp_path / "run", dataset, tiny_spec())
    with pytest.raises(StopRequested):
        trained(where, signals=["SIGTERM"])
    before = history.versions()
    monkeypatch.setattr(history, "versions", lambda: "torch 2.99.0")
    found = trained(where)
    assert f"resumed with versions {before} -> torch 2.99.0" in capsys.readouterr().err
    assert events(where, "hardware-changed")[0]["versions"] == [before, "torch 2.99.0"]
    assert found["hardware"]["versions"] == "torch 2.99.0"
    assert found["hardware"]["earlier"][0]["versions"] == before


def test_versions_name_all_that_rounds() -> None:
    assert re.fullmatch(r"torch [\d.]+\S*, Python [\d.]+, oneDNN [\d.]+", history.versions())


def test_a_clock_that_went_back_is_said_and_no_record_ends_before_it_starts(
    tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    where = new_run(tmp_path / "run", dataset, tiny_spec())
    clock = time.time()
    monkeypatch.setattr(ending.time, "time", lambda: clock)
    found = trained(where)
    assert found["finished"] >= found["started"]
    monkeypatch.setattr(ending.time, "time", lambda: clock - 7200)
    again = new_run(tmp_path / "again", dataset, tiny_spec())
    monkeypatch.setattr(run, "time", SimpleNamespace(time=lambda: clock))
    found = trained(again)
    assert found["finished"] == found["started"]
    assert "the clock went back by 7,200 s" in capsys.readouterr().err


def test_a_clock_in_the_future_is_said(
    tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    """Also one that was there from the start."""
    where = new_run(tmp_path / "run", dataset, tiny_spec())
    monkeypatch.setattr("time.time", lambda: 4.07e9)
    trained(where)
    assert re.search(
        r"run: the clock says 2098-.*a year after this run began: .*; set the clock, delete ",
        capsys.readouterr().err,
    )


def test_other_code_is_said(
    tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch, capsys
) -> None:
    where = new_run(tmp_path / "run", dataset, tiny_spec())
    monkeypatch.setattr(run, "training_code", lambda *_: "a" * 64)
    with pytest.raises(StopRequested):
        trained(where, signals=["SIGTERM"])
    monkeypatch.setattr(run, "training_code", lambda *_: "b" * 64)
    trained(where, ExecutionConfig(micro_tokens=30))
    said = "resumed with code aaaaaaaa -> bbbbbbbb, micro_tokens 60 -> 30: weights may differ"
    assert said in capsys.readouterr().err
