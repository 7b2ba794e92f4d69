"""Results of a version whose settings had other names are refused, not trained again."""

import json

import pytest

from deepmt.config.earlier_results import refuse_earlier_results
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
    with pytest.raises(ValueError, match=r"method\.skip is called method\.residual now") as refusal:
        refuse_earlier_results(tmp_path)
    assert str(path) in str(refusal.value)
    assert f"Move {tmp_path} away" in str(refusal.value)
    assert path.exists()
