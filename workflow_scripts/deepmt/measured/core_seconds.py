"""Read what an update of each system costs on one core of one processor."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from deepmt.base.files import read_json
from deepmt.settings.spec import Spec

HOUR = 3600
RATES = ("dropout", "embedding_dropout", "attention_dropout", "feed_forward_dropout")
SOME = 0.5
"""Stands for every rate of dropout but 0."""


def core_seconds(archive: Path, runs: Mapping[str, Spec]) -> dict[str, float]:
    """Return the core seconds of an update by run, as bench/core_seconds.py timed them.

    They are of one machine, by turns and on equal batches: the process time of a recorded seed
    depends on what ran beside it, and processors of one name differ twofold. A run that was not
    timed costs as much as one with the same operations.
    """
    path = archive / "bench/core-seconds.json"
    timed = read_json(path, hashed=False)["systems"].values() if path.exists() else ()
    seconds = {one["run"]: one["core_seconds"] for one in timed}
    alike = {operations(spec): seconds[run] for run, spec in runs.items() if run in seconds}
    known = {run: alike.get(operations(spec)) for run, spec in runs.items()} | seconds
    return {run: cost for run, cost in known.items() if cost is not None}


def operations(spec: Spec) -> str:
    """Return the hash that two runs share whose updates differ at most in their rates."""
    rates: dict[str, Any] = {name: SOME for name in RATES if getattr(spec.training, name)}
    recipe = replace(spec.training, lr=1.0, warmup=1, updates=1, milestones=(), **rates)
    return replace(spec, training=recipe).sha256
