"""Show the plan in a terminal, and as a data frame with a row for each run."""

from collections.abc import Collection, Iterator, Mapping

import pandas as pd
from rich import box
from rich.table import Table

from deepmt.machines.corpus_sizes import text_seconds
from deepmt.machines.cost import HOUR
from deepmt.machines.planned_runs import Machines, PlannedRun
from deepmt.settings.corpora import CorpusSize
from deepmt.study.plan import Plan

MOST = 20
"""Runs that are shown; plan.csv has all."""
Runs = Mapping[str, PlannedRun]


def frame(runs: Runs) -> pd.DataFrame:
    """Return a row for each run, the most expensive first."""
    lines = [
        {
            "run": name,
            "rows": " ".join(run.rows),
            "seeds_left": run.trainings,
            "updates": run.cost.spec.training.updates,
            "parameters": run.cost.work.parameters,
            "train_flops": run.cost.train_flops,
            "hours": run.hours,
            "memory_mb": round(run.cost.train_memory_mb),
            "fits": run.cost.fits,
            "disk_mb": round(run.trainings * run.cost.disk_mb),
            "corpus_known": run.cost.size.basis,
        }
        for name, run in runs.items()
    ]
    return pd.DataFrame(lines).sort_values("hours", ascending=False)


def page(
    plan: Plan, machines: Machines, runs: Runs, texts: Collection[CorpusSize]
) -> Iterator[str | Table]:
    """Yield the total, the work on text, the cost of each paper, and the dearest runs."""
    kind = ("GPU" if machines.hardware.cuda else "core") + "s" * (machines.count != 1)
    yield (
        f"Plan of the {plan.config.scale} scale on {machines.hardware.title}:"
        f" {len(plan.selected)} rows, {len(runs)} runs,"
        f" seeds {', '.join(map(str, plan.config.seeds))};"
        f" {machines.count} {kind}, {machines.per_run} per run.\n"
        f"Hours and memory are estimates. Rates: {machines.hardware.basis}."
    )
    total = _hours(runs, runs)
    yield (
        f"{_short(total)} {machines.unit} in total: at least {_short(total / machines.count)} hours"
        f" on {machines.count} {machines.hardware.key}."
    )
    yield _longest(machines, runs)
    if texts:
        seconds = sum(text_seconds(size, machines.hardware.pairs) for size in texts)
        corpora = f"{len(texts)} corpora" if len(texts) > 1 else "one corpus"
        yield f"Text of {corpora} to encode, besides: {_short(seconds / HOUR)} core hours."
    yield _papers(plan, runs)
    yield _dearest(machines, runs)
    if (others := len(runs) - MOST) > 0:
        yield f"{others} cheaper runs: see {plan.config.results}/plan.csv"
    yield "memory: of an update; !: does not fit"


def _longest(machines: Machines, runs: Runs) -> str:
    """Say how long the longest training is, by its GPUs, and what all of them need of a disk."""
    cost = max((run.cost for run in runs.values()), key=lambda cost: cost.wall_hours)
    hours = _short(cost.wall_hours)
    if machines.hardware.cuda:
        hours = ", ".join(f"{_short(time)} on {n}" for n, time in cost.by_gpus.items()) + " GPUs"
    disk = sum(run.trainings * run.cost.disk_mb for run in runs.values()) / 1024
    return f"Hours of one seed of the longest run: {hours}. Disk: {disk:,.0f} GB."


def _papers(plan: Plan, runs: Runs) -> Table:
    """Return the cost of each paper alone; shared runs count for each of their papers."""
    found = _table("Papers", "paper", ">runs", ">hours alone")
    for paper in plan.papers:
        rows = (row for row in plan.selected if row.startswith((f"{paper.key}.", f"{paper.key}/")))
        own = {plan.specs[row].run for row in rows}
        own |= {runs[run].reverse_run for run in own} - {""}
        if own:
            found.add_row(paper.key, str(len(own)), _short(_hours(runs, own)))
    return found


def _dearest(machines: Machines, runs: Runs) -> Table:
    """Return the most expensive runs."""
    found = _table(
        f"Runs, {machines.unit} left (estimate)",
        *("rows", "system", ">updates", ">size", ">FLOPs", ">hours", ">memory"),
    )
    for run in sorted(runs.values(), key=lambda run: -run.hours)[:MOST]:
        spec = run.cost.spec
        first = run.rows[0] if run.rows else "text for other runs"
        found.add_row(
            first + (f" +{len(run.rows) - 1}" if len(run.rows) > 1 else ""),
            spec.name.removesuffix(f"-{spec.data.corpus}"),
            f"{spec.training.updates:,}",
            f"{run.cost.work.parameters / 1e6:.3g}M",
            f"{run.cost.train_flops:.1e}".replace("e+", "e"),
            _short(run.hours),
            f"{run.cost.train_memory_mb / 1024:,.1f} GB{'' if run.cost.fits else ' !'}",
        )
    return found


def _table(title: str, *columns: str) -> Table:
    """Return a table; columns with a leading > hold numbers."""
    found = Table(
        title=f"\n{title}", title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    for column in columns:
        number = column.startswith(">")
        found.add_column(
            column.lstrip(">"),
            justify="right" if number else "left",
            no_wrap=number,
            overflow="fold",
        )
    return found


def _hours(runs: Runs, names: Collection[str]) -> float:
    """Return the total hours of these runs."""
    return sum(runs[name].hours for name in names)


def _short(hours: float) -> str:
    """Format hours with at most three digits."""
    return f"{hours:,.0f}" if hours >= 10 else f"{hours:.2g}"
