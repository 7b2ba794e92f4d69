"""Tiny runs: their folders, and training in this process or another."""

import importlib
import json
import subprocess
import sys
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor

import job_files
from deepmt.base.cli import parse
from deepmt.base.files import hashes_of, write_text
from deepmt.data.encode_text import HASHED, TEXTS, write_encoded
from deepmt.data.manifest import SplitSizes
from deepmt.data.vocabulary import Vocabulary
from deepmt.settings.spec import Spec
from deepmt.train import run as training
from deepmt.train.execution import ExecutionConfig
from deepmt.train.run_paths import RunPaths
from tiny import tiny_spec

SCRIPTS = Path(__file__).parents[1] / "workflow_scripts"
training.commit = cache(training.commit)  # git looks at each file


def script(name: str, *flags: object) -> "subprocess.Popen[str]":
    """Start one of the workflow's scripts in a process of its own."""
    command = [
        sys.executable,
        str(SCRIPTS.joinpath(*name.split(".")).with_suffix(".py")),
        *map(str, flags),
    ]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def kill_halfway(partial: Path, name: str, *flags: object) -> None:
    """Kill a script after three lines at least; again where it was faster than the signal."""
    while not partial.exists():
        process = script(name, *flags)
        while process.poll() is None:
            if partial.exists() and partial.read_text().count("\n") >= 4:
                break
        process.kill()
        message = process.communicate()[1]
        assert process.returncode in (0, -9), message


def run_here(name: str, *flags: object) -> None:
    """Run one of the workflow's scripts in this process, where torch is loaded already."""
    module = importlib.import_module(name)
    module.main(**parse(module.main, [*map(str, flags)]))


def new_dataset(folder: Path) -> Path:
    """An encoded corpus of made-up words: w3 w4 w5, and in German w5 w4 w3."""
    draw = torch.Generator().manual_seed(3)
    words = [f"w{i}" for i in range(20)]
    vocabulary = Vocabulary.from_counts(dict.fromkeys(words, 1))
    for name, count in (("train", 60), ("dev", 8), ("test", 8)):
        starts, lengths = (
            torch.randint(low, high, (count,), generator=draw).tolist()
            for low, high in ((0, 12), (1, 9))
        )
        lines = [words[i : i + n] for i, n in zip(starts, lengths, strict=True)]
        for language, step in (("en", 1), ("de", -1)):
            text = [" ".join(line[::step]) for line in lines]
            write_encoded(text, vocabulary, folder / "ids", f"{name}.{language}")
    for language in ("en", "de"):
        vocabulary.save(folder / f"vocab.{language}")
    write_text(folder / "data.json", json.dumps(asdict(tiny_spec(data__subword="none").data)))
    write_manifest(folder)
    return folder


def write_manifest(folder: Path) -> None:
    """Describe the encoded text of a folder, as jobs/encode.py does."""
    if not (folder / "data.json").exists():
        settings = asdict(tiny_spec(data__subword="none").data)
        write_text(folder / "data.json", json.dumps(settings))
    sums, texts = (hashes_of(folder, *patterns) for patterns in (HASHED, TEXTS))
    names = {path.name.split(".")[0] for path in folder.glob("ids/*.npy")}
    splits = dict.fromkeys(names, SplitSizes(sentences=0, tokens={}, unknown={}))
    described = job_files.manifest(sha256=sums, text_sha256=texts, splits=splits)
    described.write(folder / "manifest.json")


def new_run(folder: Path, dataset: Path, spec: Spec) -> RunPaths:
    """Make a folder with spec and first weights."""
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "spec.json", json.dumps(spec.sections))
    flags = ["--spec", folder / "spec.json", "--dataset", dataset, "--seed", 1]
    run_here("jobs.initialise", *flags, "--output", folder / "init.safetensors")
    files = {"spec": "spec.json", "init": "init.safetensors", "output": "outcome.json"}
    return RunPaths(dataset=dataset, **{key: folder / name for key, name in files.items()})


def trained(run: RunPaths, how: ExecutionConfig | None = None, **options: Any) -> dict[str, Any]:
    """Train a run in this process; return its outcome."""
    training.train(run, seed=1, execution=how or ExecutionConfig(), **options)
    return json.loads(run.output.read_text())


def last_weights(run: RunPaths) -> dict[str, Tensor]:
    """Return the weights of the last checkpoint."""
    return load_file(max((run.folder / "resume").glob("weights-*")))


def apart(*runs: RunPaths) -> float:
    """Return the largest difference between the last weights of two runs."""
    ours, theirs = map(last_weights, runs)
    return max((ours[name] - theirs[name]).abs().max().item() for name in ours)


def events(run: RunPaths, kind: str) -> list[dict[str, Any]]:
    """Return the events of one kind in the log."""
    lines = (run.folder / "log.jsonl").read_text().splitlines()
    return [event for event in map(json.loads, lines) if event["event"] == kind]
