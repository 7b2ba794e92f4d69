"""A run with milestones: the workflow scores each, and more updates continue it."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter
from run_snakemake import jobs_of, run_snakemake
from small_toy import ROW, done, make

from deepmt.base.files import sha256
from deepmt.measured.hypotheses import read_hypotheses
from deepmt.measured.records import Record
from deepmt.measured.teacher_forced import read_log_probabilities
from tiny_runs import run_here

ASKED = ("--config", "papers=unified", f"rows={ROW}", "seeds=1")


def with_updates(root: Path, updates: int, milestones: list[int]) -> None:
    """Edit the toy scale; its other recipes ask for other numbers of updates."""
    path = root / "scales/toy.yaml"
    head = path.read_text().partition("  training.updates:")[0]
    rest = path.read_text().partition("  training.updates:")[2].partition("\n")[2]
    lines = [line for line in rest.splitlines() if "milestones" not in line]
    lines = [f"  training.updates: {updates}", f"  training.milestones: {milestones}", *lines]
    text = head + "\n".join(lines) + "\n"
    text = text.replace("divergence_patience: 1.0", "divergence_patience: 100")
    text = text.replace("training.average: weights", "training.average: better")
    path.write_text(text.replace("decode: [test]", "decode: [dev, test]\ntest_at: [4]"))


def record(root: Path, updates: int) -> tuple[dict[str, Any], Path]:
    """Return the record with so many updates, and its folder."""
    for path in (root / "results/toy/runs").glob("*/seed1/record.json"):
        if (found := json.loads(path.read_text()))["updates"] == updates:
            return found, path.parent
    raise AssertionError(updates)


@pytest.mark.slow
def test_milestones_are_scored_and_a_longer_run_continues(tmp_path: Path) -> None:
    root = make(tmp_path)
    with_updates(root, 12, [4, 8])
    done(root, "--cores", "2", "--until", "record", *ASKED)
    short, folder = record(root, 12)
    assert [one["update"] for one in short["milestones"]] == [4, 8]
    assert [set(one["scores"]) for one in short["milestones"]] == [{"dev", "test"}, set()]
    assert [one["perplexities"].keys() for one in short["milestones"]] == [{"dev", "test"}, {"dev"}]
    assert not (folder / "update8").exists()
    with_updates(root, 16, [4, 8, 12])
    assert jobs_of(run_snakemake(root, "-n", "--until", "record", *ASKED).stdout)["train"] == 1
    done(root, "--cores", "2", "--until", "record", *ASKED)
    long, folder = record(root, 16)
    assert '"continues"' in (folder / "log.jsonl").read_text()
    assert long["milestones"][:2] == short["milestones"]
    last = long["milestones"][2]
    assert last["dev_perplexities"] == short["dev_perplexities"]
    assert last["perplexities"] == {"dev": pytest.approx(short["perplexities"]["dev"])}
    references = long["references"]["test"]
    assert references["reference"] == sha256(root / "data/raw/toy.en-de/test.de")
    assert len(long["initial_weights"]) == 64
    run_here("commands.archive", "--records", folder / "record.json", "--output", root / "records")
    kept = read_hypotheses(root / "records", long["run"], 1, long["hypotheses"])
    for split, lines in kept.items():
        assert "".join(f"{x}\n" for x in lines) == (folder / f"hyp.{split}.txt").read_text()
    archived = TypeAdapter(Record).validate_json((root / "records/toy.jsonl").read_bytes())
    logs = read_log_probabilities(replace(archived, archived=True), root / "records")
    for split in ("dev", "test"):
        perplexity = math.exp(-logs[split].sums.sum() / logs[split].tokens.sum())
        assert perplexity == pytest.approx(long["perplexities"][split], rel=1e-6)
        assert logs[split].tokens.sum() == long["reference_tokens"][split]


@pytest.mark.slow
def test_a_run_that_fails_before_a_milestone_is_recorded(tmp_path: Path) -> None:
    root = make(tmp_path)
    with_updates(root, 16, [4, 12])
    scale = root / "scales/toy.yaml"
    text = re.sub(r"training\.lr: \S+", "training.lr: 300", scale.read_text())
    scale.write_text(text.replace("training.epsilon: 1.0", "training.epsilon: 1.0e-9"))
    done(root, "--cores", "2", "--until", "record", *ASKED)
    [path] = (root / "results/toy/runs").glob("*/seed1/record.json")
    found = json.loads(path.read_text())
    assert found["outcome"] == "diverged"
    assert found["updates"] < 12
    assert [one["update"] for one in found["milestones"]] == [4]
    assert found["scores"].keys() == {"dev", "test"}
