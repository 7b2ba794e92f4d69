"""The cost model beside what was measured: records/bench/cost.csv."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import calibrate
from deepmt.config.hardware import load_hardware
from deepmt.estimate.cost import UpdateWork
from deepmt.estimate.fit import BOUNDS, constants, features, fit, leave_one_out, search_ratios
from deepmt.estimate.model_counts import count
from deepmt.files import write_json
from tiny import tiny_spec

ROOT = Path(__file__).parents[2]
POINTS = pd.read_csv(ROOT / "records/bench/cost.csv")
FITTED = POINTS[POINTS.fitted]
HARDWARE = {each.name: each for each in load_hardware(ROOT / "hardware.yaml").values()}
CPU = {"device": "cpu", "name": "Invented CPU", "threads": 1, "workers": 1, "precision": "float32"}
PARTS = ["calls", "flops", "values", "parameters"]


def test_nearly_every_run_takes_within_30_percent_of_what_is_predicted() -> None:
    ratios = [
        UpdateWork(**point[PARTS]).seconds(
            HARDWARE[point.hardware],
            reduced=point.precision == "bfloat16",
            threads=point.threads,
            gpus=1,
        )
        / point.seconds
        for _, point in FITTED.iterrows()
    ]
    near = abs(np.array(ratios) - 1) <= 0.3
    assert near.mean() >= 0.95
    assert FITTED[near].scale.value_counts()["multi30k"] >= 3


@pytest.mark.parametrize("name", sorted(set(POINTS.hardware)))
def test_so_does_nearly_every_point_that_the_fit_has_not_seen(name: str) -> None:
    own = FITTED[FITTED.hardware == name]
    errors = abs(leave_one_out(features(own), own.seconds.to_numpy()) - 1)
    assert (errors <= 0.3).mean() >= 0.9
    assert np.median(errors) <= 0.15


@pytest.mark.parametrize("name", sorted(set(POINTS.hardware)))
def test_translating_takes_about_what_is_predicted(name: str) -> None:
    """RNMT+ that learned nothing stops early, or never: only the order of size is sure."""
    ratios = search_ratios(FITTED[FITTED.hardware == name], HARDWARE[name])
    assert abs(ratios - 1).median() <= 0.25
    assert ratios.between(1 / 3, 3).all()


def test_a_fit_finds_the_constants_that_made_the_times() -> None:
    known = np.random.default_rng(1).uniform(1, 2, (30, len(BOUNDS))) / BOUNDS
    made = BOUNDS * (1.5, 4, 2, 7, 3)
    assert fit(known, known @ made) == pytest.approx(made)


def test_no_rate_is_beyond_what_a_thread_can_do() -> None:
    known = np.random.default_rng(1).uniform(1, 2, (30, len(BOUNDS))) / BOUNDS
    made = BOUNDS * (3, 0, 0, 5, 0)
    assert (fit(known, known @ made) >= BOUNDS).all()


def test_constants_are_written_into_their_own_block_alone() -> None:
    text = "# note\na:\n  call: 1\n  basis: x\n\nb:\n  call: 2\n"
    found = calibrate.with_constants(text, "a", {"call": 0.25})
    assert found == text.replace("call: 1", "call: 0.25")


def trained(results: Path, seed: int, **changes: Any) -> None:
    """Put an outcome where the workflow would."""
    run = results / "runs" / tiny_spec().run
    found = {"updates": 100, "train_seconds": 5.0, "peak_memory_mb": 500}
    write_json(run / "spec.json", asdict(tiny_spec()))
    write_json(run / "estimate.json", asdict(count(tiny_spec())))
    write_json(run / f"seed{seed}/outcome.json", found | {"hardware": CPU | changes})


def test_a_run_of_one_processor_is_a_point(tmp_path: Path) -> None:
    trained(tmp_path, 1)
    (point,) = calibrate.measured(tmp_path, next(iter(HARDWARE.values())))
    assert set(point) == set(POINTS.columns)
    assert (point["hardware"], point["seconds"]) == ("Invented CPU", 0.05)


@pytest.mark.parametrize("changes", [{"device": "cuda"}, {"earlier": [CPU]}])
def test_a_run_of_a_gpu_or_of_two_machines_is_none(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    trained(tmp_path, 1, **changes)
    assert list(calibrate.measured(tmp_path, next(iter(HARDWARE.values())))) == []


def test_a_machine_that_was_measured_gets_its_constants(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "hardware.yaml").write_text((ROOT / "hardware.yaml").read_text())
    calibrate.main(
        calibrate.Args(points=ROOT / "records/bench/cost.csv", output=tmp_path / "hardware.yaml")
    )
    xeon = load_hardware(tmp_path / "hardware.yaml")["xeon"]
    own = FITTED[FITTED.hardware == xeon.name]
    expected = constants(fit(features(own), own.seconds.to_numpy()))
    assert {name: getattr(xeon, name) for name in expected} == pytest.approx(expected, rel=0.01)
    assert replace(xeon, call=1.0).basis == load_hardware(ROOT / "hardware.yaml")["xeon"].basis
    assert f"xeon: {len(own)} points" in capsys.readouterr().out
