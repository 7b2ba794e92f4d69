"""Made-up records of a paper's figures, and what a kind of figure then may read."""

import json
from dataclasses import asdict
from pathlib import Path

import invented

from deepmt.config.papers import Figure, Paper, find_figure, rows_of_figure
from deepmt.report.figures.sources import Sources
from deepmt.results.results import open_ledger

ROOT = Path(__file__).parents[2]
MEASURES = ("bleu", "bleu_tok", "bleu_wang", "bleu_tok_lc", "chrf")


def sources(key: str, results: Path, root: Path = ROOT) -> Sources:
    """A paper at toy scale with the records in a folder, and an empty shelf."""
    asked = {"scale": "toy", "papers": [key], "rows": "all"}
    plan, ledger = open_ledger(root, asked, results)
    shelf = results.parent / "no-shelf"
    return Sources(
        paper=plan.papers[0], ledger=ledger, scale=plan.scale, results=results, shelf=shelf
    )


def figure_of(key: str, name: str, results: Path) -> tuple[Figure, Sources]:
    """A figure and its sources."""
    found = sources(key, results)
    return find_figure(found.paper, f"{key}.{name}"), found


def write_runs(results: Path, key: str, *, lost: str = "", skip: str = "") -> None:
    """Two seeds of every run that the paper's figures show: 50 BLEU and one more a layer.

    Runs whose name starts with `lost` diverged at update 90; those with `skip` are left out.
    """
    empty = sources(key, results)
    for run in sorted(runs_of(empty.paper, empty)):
        if not (skip and run.startswith(skip)):
            for seed in (1, 2):
                write_run(results, run, seed, empty, diverged=bool(lost) and run.startswith(lost))


def runs_of(paper: Paper, found: Sources) -> set[str]:
    """Names of the runs that the figures show."""
    rows = [row for figure in paper.figures for row in rows_of_figure(paper, figure)]
    return {found.ledger.specs[row.id].run for row in rows if row.id in found.ledger.specs}


def write_run(results: Path, run: str, seed: int, found: Sources, *, diverged: bool) -> None:
    """One record."""
    spec = next(spec for spec in found.ledger.specs.values() if spec.run == run)
    value = 0.0 if diverged else 50.0 + max(spec.encoder.layers, spec.decoder.layers) + seed / 10
    record = (invented.diverged if diverged else invented.record)("p.r1", seed)
    record |= {"run": run, "spec": asdict(spec), "spec_sha256": spec.sha256}
    scores = {measure: {"value": value, "signature": "made up"} for measure in MEASURES}
    folder = results / "runs" / run / f"seed{seed}"
    folder.mkdir(parents=True)
    (folder / "record.json").write_text(json.dumps(record | {"scores": {"test": scores}}))
