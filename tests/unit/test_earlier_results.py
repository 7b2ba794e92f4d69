"""Results of a version whose settings had other names are refused, not trained again."""

import json

import pytest

from deepmt.config.earlier_results import refuse_earlier_results
from deepmt.config.spec import KEYS, RENAMED, check
from deepmt.config.strict_yaml import RENAMED_KEYS, Problems, load
from tiny import tiny_spec


def test_runs_of_today_pass(tmp_path) -> None:
    path = tmp_path / "a-run/spec.json"
    path.parent.mkdir()
    path.write_text(json.dumps(tiny_spec().sections))
    refuse_earlier_results(tmp_path)


def test_a_run_with_an_old_name_is_refused_with_both_ways_to_go_on(tmp_path) -> None:
    path = tmp_path / "a-run/spec.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"method": {"norm": "post", "skip": "identity"}}))
    with pytest.raises(ValueError, match=r"method\.skip is now called method\.residual") as refusal:
        refuse_earlier_results(tmp_path)
    assert str(path) in str(refusal.value)
    assert f"Move {tmp_path} away" in str(refusal.value)
    assert path.exists()


def test_a_record_with_an_old_name_is_refused(tmp_path) -> None:
    path = tmp_path / "a-run/seed1/record.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"data": {"encoding": "toy-00000000"}}))
    with pytest.raises(ValueError, match=r"data\.encoding is now called data\.dataset") as refusal:
        refuse_earlier_results(tmp_path)
    assert str(path) in str(refusal.value)
    path.write_text(json.dumps({"data": {"dataset": "toy-00000000"}}))
    refuse_earlier_results(tmp_path)
    path.write_text("")
    refuse_earlier_results(tmp_path)


@pytest.mark.parametrize(("old", "new"), RENAMED_KEYS.items())
def test_an_old_key_of_a_paper_or_scale_is_refused_with_the_new_one(tmp_path, old, new) -> None:
    path = tmp_path / "file.yaml"
    path.write_text(f"label: a\n{old}: b\n")
    problems = Problems()
    problems.unknown(load(path)[old], old, [new, "label"])
    assert problems.messages == [f"{path}:2: {old}: '{old}' is now called '{new}'"]


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_an_old_setting_is_refused_with_the_new_one(old, new) -> None:
    assert check(old, "post") == f"is now called {new}"
    assert new in KEYS
