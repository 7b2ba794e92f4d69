"""A project of its own for a test: the real papers and scales, and records that are made up."""

import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import invented

import projects
from deepmt.settings.spec import Spec
from deepmt.study.plan import Plan
from deepmt.study.requested_text import requested_splits
from jobs import render as script

ROOT = projects.ROOT
SETTINGS = ("config.yaml", "corpora.yaml", "papers", "scales")
MEASURES = (
    "bleu", "bleu_atat", "bleu_lc", "bleu_tok", "bleu_tok_lc", "bleu_wang", "chrf", "chrf3", "ter",
    "meteor",
)  # fmt: skip


def project(folder: Path) -> Path:
    """A root folder for the scripts, with an empty archive and no results."""
    (folder / "records").mkdir()
    return projects.link(folder, *SETTINGS)


def render(root: Path, papers: Iterable[str], scale: str = "toy", **options: Any) -> Path:
    """Write everything of a project by the script; returns results/<scale>."""
    folder = root / "results" / scale
    asked = {"scale": scale, "papers": tuple(papers), "rows": ("all",), "root": root}
    script.main(results=folder, **asked, **options)
    return folder


def plan_of(*papers: str, scale: str = "toy") -> Plan:
    """All rows of the papers."""
    return projects.plan(scale=scale, papers=",".join(papers) or "all", rows="all")


def record(spec: Spec, seed: int, sets: Iterable[str], scale: str = "toy") -> dict[str, Any]:
    """The record of a run that never was: numbers at full precision, other ones for every seed."""
    draw = random.Random(f"{spec.run} {seed}")
    sets = dict.fromkeys(("test", *sets))
    found = invented.record_of(
        spec,
        seed,
        scale=scale,
        train_loss=draw.uniform(1, 5),
        throughput={"target_tokens_per_s": draw.uniform(1e3, 9e3)},
        parameters=random.Random(spec.run).randint(10**5, 10**6),
        perplexities={name: draw.uniform(2, 9) for name in ("dev", *sets)},
        scores={
            name: {
                measure: {"value": draw.uniform(10, 60), "signature": f"{measure}|{name}"}
                for measure in MEASURES
            }
            for name in sets
        },
    )
    found["decoding"]["sentences_per_s"] = {name: draw.uniform(9, 99) for name in sets}
    return found


def fill(root: Path, plan: Plan, seeds: Iterable[int] = (1, 2)) -> Path:
    """Put made-up records of every run of a plan in its archive."""
    asked = requested_splits(plan)
    records = [
        record(spec, seed, asked.get(run, ()), plan.scale.name)
        for run, spec in plan.runs.items()
        for seed in seeds
    ]
    path = root / "records" / f"{plan.scale.name}.jsonl"
    path.write_text("".join(map(invented.line, records)))
    return path
