"""The cost model beside what was measured: records/bench/cost.jsonl."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibrate import with_constants
from deepmt.config.hardware import Hardware, load_hardware
from deepmt.estimate.estimate import estimate
from deepmt.estimate.fit import BOUNDS, Point, as_lines, constants, fit, held_out, load_points

ROOT = Path(__file__).parents[2]
POINTS = load_points(ROOT / "records/bench/cost.jsonl")
HARDWARE = {each.name: each for each in load_hardware(ROOT / "hardware.yaml").values()}
RUNS = [point for point in POINTS if point.batch is None and point.fitted]


def predicted(point: Point) -> float:
    """Seconds of all updates of the spec over those measured."""
    cost = estimate(point.of_spec, HARDWARE[point.hardware], threads=point.threads)
    return cost.train_seconds / (point.seconds * point.of_spec.training.updates)


def test_nearly_every_run_takes_within_30_percent_of_what_is_predicted() -> None:
    good = [point.scale for point in RUNS if abs(predicted(point) - 1) <= 0.3]
    assert good.count("toy") >= 10
    assert good.count("multi30k") >= 3
    assert len(good) >= 0.95 * len(RUNS)


@pytest.mark.parametrize("name", sorted({point.hardware for point in POINTS}))
def test_so_does_nearly_every_point_that_the_fit_has_not_seen(name: str) -> None:
    own = [point for point in POINTS if point.fitted and point.hardware == name]
    features = np.array([point.features for point in own])
    errors = abs(held_out(features, np.array([point.seconds for point in own])) - 1)
    assert (errors <= 0.3).mean() >= 0.9
    assert np.median(errors) <= 0.15


@pytest.mark.parametrize("name", sorted({point.hardware for point in POINTS}))
def test_hardware_yaml_has_the_constants_of_these_points(name: str) -> None:
    """Or else: python workflow_scripts/calibrate.py."""
    own = [point for point in POINTS if point.fitted and point.hardware == name]
    features = np.array([point.features for point in own])
    found = constants(fit(features, np.array([point.seconds for point in own])))
    there = {key: getattr(HARDWARE[name], key) for key in found}
    assert there == pytest.approx(found, rel=0.01)


def test_parameters_are_those_counted_when_each_run_was_trained() -> None:
    for point in POINTS:
        if point.parameters:
            assert point.update.parameters == point.parameters, point.run


def test_memory_is_enough_for_every_run_and_less_than_twice_what_it_took() -> None:
    measured = [point for point in POINTS if point.batch is None and point.peak_memory_mb]
    for point in measured:
        cost = estimate(point.of_spec, HARDWARE[point.hardware], threads=point.threads)
        assert 1 <= cost.train_memory_mb / point.peak_memory_mb <= 2, point.run


def test_translating_takes_about_what_is_predicted() -> None:
    """RNMT+ that learned nothing stops early, or never: only the order of size is sure."""
    ratios = [
        cost.decode_seconds_per_1000 / point.decode_seconds_per_1000
        for point in RUNS
        if point.decode_seconds_per_1000 is not None
        for cost in [estimate(point.of_spec, HARDWARE[point.hardware], threads=point.threads)]
    ]
    assert np.median(abs(np.array(ratios) - 1)) <= 0.25
    assert all(1 / 3 <= ratio <= 3 for ratio in ratios)


def test_a_point_whose_spec_has_changed_is_refused() -> None:
    with pytest.raises(ValueError, match="another spec now"):
        _ = replace(POINTS[0], run="post-6-6-d64-toy.en-de-00000000").of_spec


def test_a_fit_finds_the_constants_that_made_the_times() -> None:
    features = np.random.default_rng(1).uniform(1, 2, (30, len(BOUNDS))) / BOUNDS
    made = BOUNDS * (1.5, 4, 2, 7, 3)
    assert fit(features, features @ made) == pytest.approx(made)


def test_no_rate_is_beyond_what_a_thread_can_do() -> None:
    features = np.random.default_rng(1).uniform(1, 2, (30, len(BOUNDS))) / BOUNDS
    made = BOUNDS * (3, 0, 0, 5, 0)
    assert (fit(features, features @ made) >= BOUNDS).all()


def test_constants_are_written_into_their_own_block_alone() -> None:
    text = "# note\na:\n  call: 1\n  basis: x\n\nb:\n  call: 2\n"
    assert with_constants(text, "a", {"call": 0.25}) == text.replace("call: 1", "call: 0.25")
    assert with_constants(text, "b", {"call": 0.25}) == text.replace("call: 2", "call: 0.25")


def test_points_are_read_as_they_were_written(tmp_path: Path) -> None:
    (tmp_path / "points").write_text(as_lines(POINTS))
    assert load_points(tmp_path / "points") == sorted(POINTS, key=lambda point: point.key)


def test_twice_the_threads_share_all_but_the_calls() -> None:
    hardware: Hardware = HARDWARE[RUNS[0].hardware]
    spec = RUNS[0].of_spec
    calls = RUNS[0].update.calls * hardware.call * spec.training.updates
    one, two = (estimate(spec, hardware, threads=n).train_seconds - calls for n in (1, 2))
    assert two == pytest.approx(one / 2)
