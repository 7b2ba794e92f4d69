"""List the files of a crate: those files of the project that the results depend on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from deepmt.base.errors import UserError
from deepmt.base.files import visible
from deepmt.data.dataset import Dataset
from deepmt.measured.hypotheses import read_text
from deepmt.measured.record_file import RecordFile
from deepmt.model.weights import read_weights
from deepmt.settings.seed_folder import SeedFolder, seeds_in
from deepmt.settings.spec import read_spec
from deepmt.settings.strict import unknown
from deepmt.study.plan import Plan, load_plan

PROJECT = (
    "CITATION.cff", "LICENSE", "README.md", "Snakefile", "config.yaml", "corpora.yaml",
    "requirements.lock", "papers/*.yaml", "rules/*.smk", "scales/*.yaml", "corpora/*.yaml",
)  # fmt: skip
RECORDS = (
    "{}.jsonl", "{}.*.jsonl", "curves/{}.jsonl", "curves/{}.*.jsonl", "params.csv", "speed.csv",
    "reference_tokens.csv", "probes/*.csv", "hashes.json",
)  # fmt: skip
"""Patterns below records/; {} is the scale."""
RENDERED = ("*.csv", "report.html", "tables/*", "figures/*", "probes/*.csv")
NEEDED = ("cells.csv", "claims.csv", "corpora.csv", "report.html")


@dataclass(frozen=True, kw_only=True)
class Contents:
    """Hold the files of a project by relative path, with their plan, models and records."""

    plan: Plan
    files: Mapping[str, Path]
    models: Mapping[str, str]
    """Path of a model's weights -> its run."""
    records: Sequence[Path]
    """Records of the seeds trained here."""


def gather(
    root: Path, requested: Mapping[str, Any], models: Iterable[str], *, hypotheses: bool
) -> Contents:
    """List all files behind the requested results, with the `models` of rows or runs.

    Raises:
        ValueError: if a file is missing, a name is unknown, or a record is newer than the tables.
    """
    plan = load_plan(root, requested)
    results = root / plan.config.results
    records = [
        seed.record
        for run in plan.every_run
        for seed in seeds_in(results, run)
        if seed.record.exists()
    ]
    refuse_unfinished(plan, results, records)
    archived = [pattern.format(plan.scale.name) for pattern in RECORDS]
    found = plain_files(root, PROJECT) + plain_files(root / "records", archived)
    found += plain_files(results, RENDERED)
    for record in records:
        found += files_of(SeedFolder(record.parent), hypotheses=hypotheses)
    weights = {}
    for run in dict.fromkeys(find_run(name, plan) for name in models):
        dataset = Dataset(root / "data/encoded" / plan.every_run[run].dataset)
        for seed in seeds_of_model(run, records, dataset.folder):
            read_weights(seed.model)
            found += [seed.model, seed.outcome]
            weights[seed.model.relative_to(root).as_posix()] = run
        found += dataset.for_translation
    return Contents(
        plan=plan,
        files={path.relative_to(root).as_posix(): path for path in found},
        models=weights,
        records=records,
    )


def files_of(seed: SeedFolder, *, hypotheses: bool) -> list[Path]:
    """List what a record rests on; hypotheses and log probabilities if they are asked for.

    Raises:
        ValueError: one is not what the record was made from.
    """
    names, record = [seed.record.name, seed.log.name], RecordFile.read(seed.record)
    read_spec(seed.spec)
    if hypotheses:
        names += [seed.hypotheses("*").name, seed.log_probabilities("*").name]
        made = {seed.hypotheses(split): digest for split, digest in record.hypotheses.items()}
        for split, digest in record.log_probabilities.items():
            made[seed.log_probabilities(split)] = digest
        for path in made.keys() & set(plain_files(seed.path, names)):
            read_text(path, made[path])
    return plain_files(seed.spec.parent, [seed.spec.name]) + plain_files(seed.path, names)


def plain_files(folder: Path, patterns: Iterable[str]) -> list[Path]:
    """List the matching files, without hidden ones."""
    return [path for one in patterns for path in visible(folder, one) if path.is_file()]


def refuse_unfinished(plan: Plan, results: Path, records: Iterable[Path]) -> None:
    """Raise ValueError if tables are missing, or older than a record."""
    tables = [f"tables/{paper.key}.md" for paper in plan.papers]
    missing = [name for name in (*NEEDED, *tables) if not (results / name).exists()]
    remedy = "run `snakemake` with the same --config first"
    if missing:
        raise UserError(f"{results} lacks {', '.join(missing)}: {remedy}")
    made = (results / "cells.csv").stat().st_mtime
    if newer := [path for path in records if path.stat().st_mtime > made]:
        raise UserError(f"{newer[0]} is newer than {results}/cells.csv: {remedy}")


def find_run(name: str, plan: Plan) -> str:
    """Return the run of a row, or the run of this name."""
    if name in plan.specs:
        return plan.specs[name].run
    if name in plan.every_run:
        return name
    raise UserError(f"models: {unknown('row or run', name, [*plan.specs, *plan.every_run])}")


def seeds_of_model(run: str, records: Iterable[Path], dataset: Path) -> list[SeedFolder]:
    """Return the folders of a run's seeds; raise ValueError if a file to translate is missing."""
    seeds = [seed for record in records if (seed := SeedFolder(record.parent)).run == run]
    needed = [path for seed in seeds for path in (seed.model, seed.outcome)]
    missing = [str(path) for path in (*needed, dataset / "manifest.json") if not path.exists()]
    if missing or not seeds:
        lacking = ", ".join(missing) if seeds else "a seed trained here"
        raise UserError(f"models: {run} lacks {lacking}: train it here, or remove it from models")
    return seeds
