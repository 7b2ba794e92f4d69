"""Translating shards with a reverse run: independent of each other, resumable, and never noise."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import job_files
from deepmt.data.vocabulary import Vocabulary
from deepmt.model.build import build
from deepmt.model.weights import write_weights
from deepmt.train.outcome import RecordedFailure
from tiny import tiny_spec
from tiny_runs import kill_halfway, run_here

LINES = [f"w{i % 18} w{i % 7} w{i % 5}" if i % 6 else "" for i in range(12)]
SPEC = tiny_spec(data__subword="none")


@pytest.fixture
def run(tmp_path: Path, dataset: Path) -> dict[str, Any]:
    """A reverse run with random weights."""
    torch.manual_seed(1)
    model = build(SPEC, *(len(Vocabulary.load(dataset / f"vocab.{x}")) for x in ("en", "de")))
    write_weights(
        tmp_path / "model.safetensors",
        {name: torch.randn_like(p) / 4 for name, p in model.named_parameters()},
    )
    (tmp_path / "spec.json").write_text(json.dumps(SPEC.sections))
    (tmp_path / "text.en").write_text("".join(f"{line}\n" for line in LINES))
    (tmp_path / "counts.json").write_text("{}")
    job_files.outcome().write(tmp_path / "outcome.json")
    paths = {"spec": "spec.json", "model": "model.safetensors", "outcome": "outcome.json"}
    named: dict[str, Any] = {key: tmp_path / name for key, name in paths.items()}
    return named | {"dataset": dataset, "seed": 3}


def settings(run: dict[str, Any], shard: int = 0, shards: int = 1) -> dict[str, Any]:
    """Return the flags of back_translate.py for a shard."""
    folder = run["outcome"].parent / f"{shards}.shard{shard}"
    outputs = {"output": "translation.txt", "lengths": "lengths.npy", "report": "report.json"}
    text = run["outcome"].with_name("text.en")
    numbers = {"text": text, "shard": shard, "shards": shards}
    return run | numbers | {key: folder / name for key, name in outputs.items()}


def flags_of(told: dict[str, Any]) -> list[object]:
    return [word for key, value in told.items() for word in (f"--{key}", value)]


def translations(run: dict[str, Any], shard: int = 0, shards: int = 1) -> list[str]:
    told = settings(run, shard, shards)
    run_here("jobs.back_translate", *flags_of(told))
    return told["output"].read_text().split("\n")[:-1]


def test_a_line_is_translated_alike_in_every_shard(run: dict[str, Any]) -> None:
    whole = translations(run)
    assert len(whole) == len(LINES)
    assert len(set(whole)) > 6
    assert translations(run, 0, 2) == whole[0::2]
    assert translations(run, 1, 2) == whole[1::2]


def test_lengths_are_those_of_translation_and_text_and_empty_lines_stay_empty(run) -> None:
    found = translations(run)
    lengths = np.load(run["outcome"].parent / "1.shard0" / "lengths.npy")
    assert lengths[:, 1].tolist() == [len(line.split()) for line in LINES]
    assert lengths[:, 0].tolist() == [len(line.split()) for line in found]
    assert [found[0], found[6]] == ["", ""]


@pytest.mark.slow
def test_a_killed_shard_goes_on_where_it_was(run: dict[str, Any]) -> None:
    whole = translations(run)
    told = settings(run) | {"batch-size": 1}
    kill_halfway(told["output"].with_suffix(".partial"), "jobs.back_translate", *flags_of(told))
    assert translations(run) == whole
    assert json.loads(told["report"].read_text())["resumed_lines"] >= 3


def test_a_diverged_reverse_run_makes_no_text(run: dict[str, Any]) -> None:
    failure = RecordedFailure(update=9, reason="loss is nan")
    job_files.outcome(outcome="diverged", failure=failure).write(run["outcome"])
    with pytest.raises(ValueError, match="and cannot translate"):
        translations(run)
    assert not (run["outcome"].parent / "1.shard0" / "translation.txt").exists()
