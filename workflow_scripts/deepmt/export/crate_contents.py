"""What a crate holds: the project's own tree, thinned to what the tables were made from."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from deepmt.config.settings import Plan, load_config, near
from deepmt.results.cell_values import Ledger
from deepmt.results.cells import Cell, all_cells, read_cells
from deepmt.results.results import open_ledger

PROJECT = (
    "LICENSE", "README.md", "Snakefile", "config.yaml", "corpora.yaml", "requirements.lock",
    "papers/*.yaml", "rules/*.smk", "scales/*.yaml",
)  # fmt: skip
SHELF = (
    "{}.jsonl",
    "{}.*.jsonl",
    "courses/{}.jsonl",
    "courses/{}.*.jsonl",
    "params.csv",
    "speed.csv",
    "probes/*.csv",
)
"""Below records/, by scale."""
RENDERED = (
    "cells.csv", "claims.csv", "corpora.csv", "params.csv", "speed.csv", "report.html", "tables/*",
    "figures/*", "probes/*.csv", "significance/*", "breakdowns/*.csv",
)  # fmt: skip
NEEDED = ("cells.csv", "claims.csv", "corpora.csv", "report.html")
SEED = ("record.json", "course.json", "log.jsonl")
HYPOTHESES = ("hyp.*.txt",)
MODEL = ("model.safetensors", "outcome.json")
ENCODING = ("data.json", "manifest.json", "codes.*", "pieces.*", "vocab.*")
"""What a translation needs beside its model; the text itself stays at home."""


@dataclass(frozen=True, kw_only=True)
class Contents:
    """Files of a project by their names below it, and what they are about."""

    plan: Plan
    ledger: Ledger
    files: Mapping[str, Path]
    models: Mapping[str, str]
    """Name of each model's weights -> its run."""


def gather(
    root: Path, asked: Mapping[str, Any], models: Iterable[str], *, hypotheses: bool
) -> Contents:
    """Everything behind the results that were `asked` for, with the `models` of rows or runs.

    Raises:
        ValueError: something is missing, is no row or run, or has changed since tables were made.
    """
    results = root / load_config(root / "config.yaml", asked).results
    plan, ledger = open_ledger(root, asked, results)
    _refuse_unfinished(plan, ledger, results)
    found = [path for pattern in PROJECT for path in _plain(root, pattern)]
    shelf = [pattern.format(plan.scale.name) for pattern in SHELF]
    found += [path for pattern in shelf for path in _plain(root / "records", pattern)]
    found += [path for pattern in RENDERED for path in _plain(results, pattern)]
    for folder in _seeds(ledger):
        found += _plain(folder.parent, "spec.json")
        wanted = SEED + HYPOTHESES if hypotheses else SEED
        found += [path for pattern in wanted for path in _plain(folder, pattern)]
    weights = {}
    for run in dict.fromkeys(_run_named(word, plan) for word in models):
        encoding = root / "data/encoded" / plan.every_run[run].encoding
        for folder in _folders_of_model(run, ledger, encoding):
            found += [folder / name for name in MODEL]
            weights[(folder / MODEL[0]).relative_to(root).as_posix()] = run
        found += [path for pattern in ENCODING for path in _plain(encoding, pattern)]
    files = {path.relative_to(root).as_posix(): path for path in found}
    return Contents(plan=plan, ledger=ledger, files=files, models=weights)


def _plain(folder: Path, pattern: str) -> Iterator[Path]:
    """Files that match, without what an unfinished writer left."""
    return (path for path in sorted(folder.glob(pattern)) if path.name[0] != "." and path.is_file())


def _seeds(ledger: Ledger) -> list[Path]:
    """Folders of the seeds that were trained here."""
    entries = (entry for entry in ledger.records.entries if not entry.recorded)
    return [Path(entry.place.rpartition(":")[0]).parent for entry in entries]


def _run_named(word: str, plan: Plan) -> str:
    """The run of a row, or a run as it is called."""
    if word in plan.specs:
        return plan.specs[word].run
    if word in plan.every_run:
        return word
    raise ValueError(f"models: no row or run {word!r}{near(word, [*plan.specs, *plan.every_run])}")


def _folders_of_model(run: str, ledger: Ledger, encoding: Path) -> Sequence[Path]:
    """Folders of a run's seeds; raises ValueError unless each has all that translation needs."""
    folders = [folder for folder in _seeds(ledger) if folder.parent.name == run]
    missing = [path for f in folders for path in (f / name for name in MODEL) if not path.exists()]
    missing += [encoding / "manifest.json"] if not (encoding / "manifest.json").exists() else []
    if missing or not folders:
        what = ", ".join(map(str, missing)) or "any seed that was trained here"
        raise ValueError(f"models: {run} lacks {what}: train it here, or leave it out")
    return folders


def _refuse_unfinished(plan: Plan, ledger: Ledger, results: Path) -> None:
    """Raise ValueError if tables are missing, or hold other numbers than the records."""
    tables = [f"tables/{paper.key}.md" for paper in plan.papers]
    missing = [name for name in (*NEEDED, *tables) if not (results / name).exists()]
    make = "run `snakemake` with the same --config first"
    if missing:
        raise ValueError(f"{results} lacks {', '.join(missing)}: {make}")
    if not ledger.records.entries:
        raise ValueError(f"there is no record of the {plan.scale.name} scale: {make}")
    printed = set(map(_bare, read_cells(results / "cells.csv")))
    today = set(map(_bare, all_cells(plan.papers, ledger)))
    if changed := sorted({f"{cell.row}.{cell.column}" for cell in printed ^ today}):
        first = ", ".join(changed[:3])
        raise ValueError(
            f"{results}/cells.csv and the records differ in {len(changed)} cells ({first} ...):"
            f" {make}"
        )


def _bare(cell: Cell) -> Cell:
    """A cell without its remarks, which name paths."""
    return replace(cell, note="")
