"""What is read back from runs.json is what was gathered from records."""

import json
from dataclasses import replace
from pathlib import Path

import made_up
import pytest

from deepmt.results.results import gather, read_results, write_results
from deepmt.results.seed_files import Refusal


def test_runs_json_holds_all_that_was_gathered(tmp_path: Path) -> None:
    root = made_up.project(tmp_path)
    plan = made_up.plan_of(root, "liu2020")
    path = made_up.fill(root, plan)
    path.write_text(path.read_text() + '{"run": "lost"}\n')
    folder = root / "results/toy"
    found = replace(gather(plan, root, folder)[0], refused_curves=(Refusal("a", "why"),))
    write_results(found, folder / "runs.json")
    assert read_results(folder) == found
    assert found.refusals[0].run == "lost"
    assert len(found.records) == 2 * len(plan.runs)
    run, record = next(iter(plan.runs)), json.loads((folder / "runs.json").read_text())["records"]
    assert {one["location"] for one in record if one["run"] == run} == {f"{path}:1", f"{path}:2"}


def test_a_file_of_another_version_says_how_to_write_it_again(tmp_path: Path) -> None:
    (tmp_path / "runs.json").write_text('{"scale": "toy"}')
    with pytest.raises(ValueError, match="another version of the code wrote it; run `snakemake"):
        read_results(tmp_path)
