"""Made-up records and training curves of a paper's figures, and what figures then read."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import invented

import projects
from deepmt.measured.table import gather
from deepmt.measured.training_curves import read_training_curves
from deepmt.report.figures.figure_data import FigureData
from deepmt.study.papers import Figure, find_figure, rows_of_figure

ROOT = Path(__file__).parents[2]
MEASURES = ("bleu", "bleu_tok", "bleu_wang", "bleu_tok_lc", "chrf")


def data_of(key: str, folder: Path) -> FigureData:
    """Return what is known of a paper at toy scale: records and curves in a folder, no archive."""
    plan = projects.plan(scale="toy", papers=key, rows="all")
    specs = plan.specs.values()
    curves, refused = read_training_curves([], folder / "curves", specs, "toy")
    results = replace(
        gather(plan, ROOT, folder), curves=tuple(curves), refused_curves=tuple(refused)
    )
    nowhere = folder / "no-archive"
    return FigureData(paper=plan.papers[0], results=results, folder=folder, root=nowhere)


def figure_of(name: str, folder: Path) -> tuple[Figure, FigureData]:
    """Return a figure and its data."""
    data = data_of(name.partition(".")[0], folder)
    return find_figure(data.paper, name), data


def write_runs(folder: Path, key: str, *, lost: str = "", skip: str = "") -> None:
    """Write two seeds of every run that the paper's figures show: 50 BLEU and one more a layer.

    Runs whose name starts with `lost` diverged at update 90; those with `skip` are left out.
    """
    data = data_of(key, folder)
    rows = {row.id for figure in data.paper.figures for row in rows_of_figure(data.paper, figure)}
    for run in sorted({data.results.rows[row] for row in rows if row in data.results.rows}):
        if not (skip and run.startswith(skip)):
            for seed in (1, 2):
                write_run(folder, run, seed, data, diverged=bool(lost) and run.startswith(lost))


def write_run(folder: Path, run: str, seed: int, data: FigureData, *, diverged: bool) -> None:
    """Write one record."""
    spec = data.results.runs[run]
    value = 0.0 if diverged else 50.0 + max(spec.encoder.layers, spec.decoder.layers) + seed / 10
    scores = {measure: {"value": value, "signature": "made up"} for measure in MEASURES}
    end = {"outcome": "diverged", "failure": {"update": 90, "reason": "loss is nan"}}
    record = invented.record_of(spec, seed, **(end if diverged else {}), scores={"test": scores})
    path = folder / "runs" / run / f"seed{seed}"
    path.mkdir(parents=True)
    (path / "record.json").write_text(invented.line(record))


def write_curves_of(folder: Path, data: FigureData, **systems: list[dict[str, Any]]) -> None:
    """Archive training curves: for each system the sections of its seeds."""
    path = folder / "curves/toy.jsonl"
    path.parent.mkdir()
    for system, seeds in systems.items():
        run = data.results.rows[data.row(system.replace("_", "-")).id]
        same = {"run": run, "spec_sha256": data.results.runs[run].sha256, "scale": "toy"}
        with path.open("a") as file:
            for seed, sections in enumerate(seeds, 1):
                line = {"schema": "curves/1", "seed": seed, "updates": 400} | same | sections
                file.write(invented.line(line))
