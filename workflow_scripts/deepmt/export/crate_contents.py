"""Lists the files of a crate: the project's own tree, thinned to what the results came from."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deepmt.config.settings import Plan, load_plan, near

PROJECT = (
    "LICENSE", "README.md", "Snakefile", "config.yaml", "corpora.yaml", "requirements.lock",
    "papers/*.yaml", "rules/*.smk", "scales/*.yaml",
)  # fmt: skip
RECORDS = (
    "{}.jsonl", "{}.*.jsonl", "curves/{}.jsonl", "curves/{}.*.jsonl", "params.csv", "speed.csv",
    "probes/*.csv",
)  # fmt: skip
"""Below records/, by scale."""
RENDERED = (
    "*.csv", "runs.json", "report.html", "tables/*", "figures/*", "probes/*.csv", "significance/*",
    "breakdowns/*.csv",
)  # fmt: skip
NEEDED = ("cells.csv", "claims.csv", "corpora.csv", "report.html")
SEED = ("record.json", "log.jsonl")
HYPOTHESES = ("hyp.*.txt",)
MODEL = ("model.safetensors", "outcome.json")
ENCODING = ("data.json", "manifest.json", "codes.*", "pieces.*", "vocab.*")
"""Files that translating needs beside a model; the text itself is left out."""


@dataclass(frozen=True, kw_only=True)
class Contents:
    """Files of a project by their names below it, with their plan, models and records."""

    plan: Plan
    files: Mapping[str, Path]
    models: Mapping[str, str]
    """Name of each model's weights -> its run."""
    records: Sequence[Mapping[str, Any]]
    """Records of the seeds that were trained here."""


def gather(
    root: Path, requested: Mapping[str, Any], models: Iterable[str], *, hypotheses: bool
) -> Contents:
    """List everything behind the requested results, with the `models` of rows or runs.

    Raises:
        ValueError: something is missing, is no row or run, or is newer than the tables.
    """
    plan = load_plan(root, requested)
    results = root / plan.config.results
    records = [
        path
        for run in plan.every_run
        for path in sorted(results.glob(f"runs/{run}/seed*/record.json"))
    ]
    refuse_unfinished(plan, results, records)
    archived = [pattern.format(plan.scale.name) for pattern in RECORDS]
    found = plain_files(root, PROJECT) + plain_files(root / "records", archived)
    found += plain_files(results, RENDERED)
    for record in records:
        found += plain_files(record.parents[1], ["spec.json"])
        found += plain_files(record.parent, SEED + HYPOTHESES if hypotheses else SEED)
    weights = {}
    for run in dict.fromkeys(run_named(word, plan) for word in models):
        encoding = root / "data/encoded" / plan.every_run[run].encoding
        for folder in folders_of_model(run, records, encoding):
            found += [folder / name for name in MODEL]
            weights[(folder / MODEL[0]).relative_to(root).as_posix()] = run
        found += plain_files(encoding, ENCODING)
    return Contents(
        plan=plan,
        files={path.relative_to(root).as_posix(): path for path in found},
        models=weights,
        records=[json.loads(path.read_text()) for path in records],
    )


def plain_files(folder: Path, patterns: Iterable[str]) -> list[Path]:
    """List the files that match, without those that an unfinished writer left."""
    found = (path for pattern in patterns for path in sorted(folder.glob(pattern)))
    return [path for path in found if path.name[0] != "." and path.is_file()]


def refuse_unfinished(plan: Plan, results: Path, records: Iterable[Path]) -> None:
    """Raise ValueError if tables are missing, or older than a record."""
    tables = [f"tables/{paper.key}.md" for paper in plan.papers]
    missing = [name for name in (*NEEDED, *tables) if not (results / name).exists()]
    make = "run `snakemake` with the same --config first"
    if missing:
        raise ValueError(f"{results} lacks {', '.join(missing)}: {make}")
    made = (results / "cells.csv").stat().st_mtime
    if newer := [path for path in records if path.stat().st_mtime > made]:
        raise ValueError(f"{newer[0]} is newer than {results}/cells.csv: {make}")


def run_named(word: str, plan: Plan) -> str:
    """Return the run of a row, or a run under its own name."""
    if word in plan.specs:
        return plan.specs[word].run
    if word in plan.every_run:
        return word
    raise ValueError(f"models: no row or run {word!r}{near(word, [*plan.specs, *plan.every_run])}")


def folders_of_model(run: str, records: Iterable[Path], encoding: Path) -> list[Path]:
    """Return a run's seeds; raise ValueError unless each has all that translating needs."""
    folders = [record.parent for record in records if record.parents[1].name == run]
    needed = [folder / name for folder in folders for name in MODEL] + [encoding / "manifest.json"]
    missing = [str(path) for path in needed if not path.exists()]
    if missing or not folders:
        what = ", ".join(missing) if folders else "any seed that was trained here"
        raise ValueError(f"models: {run} lacks {what}: train it here, or leave it out")
    return folders
