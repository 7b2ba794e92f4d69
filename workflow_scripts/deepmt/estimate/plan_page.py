"""Show the plan as tables in a terminal, and as a data frame with a row for each run."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

import pandas as pd
from rich import box
from rich.table import Table

from deepmt.config.settings import Plan
from deepmt.estimate.planned_runs import Machines, PlannedRun

NEAR = 1.3
"""A prediction is near if measured over predicted lies between 1/NEAR and NEAR."""
MOST = 20
"""Runs that are shown; plan.csv has all."""
Row = tuple[str, ...]


def frame(runs: Mapping[str, PlannedRun], kept: Collection[str]) -> pd.DataFrame:
    """Return a row for each run, the most expensive first."""
    lines = [
        {
            "run": name,
            "rows": " ".join(run.rows),
            "kept": name in kept,
            "seeds_left": run.trainings,
            "updates": run.cost.spec.training.updates,
            "parameters": run.cost.work.parameters,
            "train_flops": run.cost.train_flops,
            "hours": run.hours,
            "memory_mb": round(run.cost.train_memory_mb),
            "micro_batches": run.cost.micro_batches,
            "disk_mb": round(run.trainings * run.cost.disk_mb),
            "corpus_known": run.cost.size.basis,
        }
        for name, run in runs.items()
    ]
    return pd.DataFrame(lines).sort_values("hours", ascending=False)


@dataclass(frozen=True, kw_only=True)
class PlanPage:
    """Hold everything that the plan shows."""

    plan: Plan
    machines: Machines
    runs: Mapping[str, PlannedRun]
    kept: Collection[str]
    ratios: Sequence[float]
    """Measured over predicted seconds of seeds trained on this hardware."""

    def __iter__(self) -> Iterator[Table | str]:
        """Yield texts and tables in order."""
        yield self.heading()
        yield self.total()
        yield table("Papers", ("paper", ">runs", ">hours alone"), self.papers())
        title = f"Runs, {self.machines.unit} left (estimate)"
        columns = ("rows", "system", ">updates", ">size", ">FLOPs", ">hours", ">memory", "")
        yield table(title, columns, self.lines())
        if (others := len(self.runs) - MOST) > 0:
            yield f"{others} cheaper runs: see {self.plan.config.results}/plan.csv"
        yield "memory: of an update; /4: fits in 4 micro-batches, !: does not fit; -: over budget"
        yield self.accuracy()

    def heading(self) -> str:
        """Return the scale, hardware and number of runs that the plan counts."""
        machines, config = self.machines, self.plan.config
        seeds = ", ".join(map(str, config.seeds))
        kind = ("GPU" if machines.hardware.cuda else "core") + "s" * (machines.count != 1)
        return (
            f"Plan of the {config.scale} scale on {machines.hardware.title}:"
            f" {len(self.plan.selected)} rows, {len(self.runs)} runs, seeds {seeds};"
            f" {machines.count} {kind}, {machines.per_run} per run.\n"
            f"Hours and memory are estimates. Rates: {machines.hardware.basis}."
        )

    def lines(self) -> Iterator[Row]:
        """Yield the most expensive runs."""
        for run in sorted(self.runs.values(), key=lambda run: -run.hours)[:MOST]:
            spec = run.cost.spec
            count = run.cost.micro_batches
            fit = "" if count == 1 else f" /{count}" if count else " !"
            yield (
                rows_label(run.rows),
                system_label(spec.name.removesuffix(f"-{spec.data.corpus}")),
                abbreviated(spec.training.updates),
                abbreviated(run.cost.work.parameters),
                f"{run.cost.train_flops:.1e}".replace("e+", "e"),
                hours(run.hours),
                size(run.cost.train_memory_mb) + fit,
                "" if run.run in self.kept else "-",
            )

    def papers(self) -> Iterator[Row]:
        """Yield the cost of each paper alone; shared runs count for each of their papers."""
        for paper in self.plan.papers:
            own = {
                spec.run
                for row, spec in self.plan.specs.items()
                if row in self.plan.selected and row.startswith((f"{paper.key}.", f"{paper.key}/"))
            }
            own |= {self.runs[run].reverse_run for run in own} - {""}
            if own:
                yield paper.key, str(len(own)), hours(self.hours(own))

    def total(self) -> str:
        """Return the total hours, and the least time that they take."""
        machines = self.machines
        found = f"{hours(self.hours(self.runs))} {machines.unit} in total"
        if budget := self.plan.config.budget:
            found += (
                f", {hours(self.hours(self.kept))} for the {len(self.kept)} runs that fit the"
                f" budget of {hours(budget)} (headline rows first, then the fewest hours per row)"
            )
        least = hours(self.hours(self.kept) / machines.count)
        return f"{found}: at least {least} hours on {machines.count} {machines.hardware.key}."

    def hours(self, names: Iterable[str]) -> float:
        """Return the total hours of these runs."""
        return sum(self.runs[name].hours for name in names)

    def accuracy(self) -> str:
        """Return how predictions compare with measurements."""
        if not self.ratios:
            return "\nNo seed was trained on this hardware yet, so predictions are not corrected."
        near = sum(1 / NEAR <= ratio <= NEAR for ratio in self.ratios)
        return (
            f"\nMeasured over predicted seconds of {len(self.ratios)} seeds on this hardware:"
            f" {min(self.ratios):.2f} to {max(self.ratios):.2f}, {near} within {NEAR - 1:.0%};"
            f" the predictions above include the median, {median(self.ratios):.2f}, as a factor."
        )


def table(title: str, columns: Sequence[str], rows: Iterable[Row]) -> Table:
    """Return a table; columns with a leading > hold numbers."""
    found = Table(
        title=f"\n{title}",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
        padding=(0, 1, 0, 0),
    )
    for column in columns:
        number = column.startswith(">")
        found.add_column(
            column.lstrip(">"),
            justify="right" if number else "left",
            no_wrap=number,
            overflow="fold",
        )
    for row in rows:
        found.add_row(*row)
    return found


def rows_label(rows: Sequence[str]) -> str:
    """Return the first row and the number of others."""
    more = f" +{len(rows) - 1}" if len(rows) > 1 else ""
    return f"{rows[0]}{more}" if rows else "text for other runs"


def system_label(name: str) -> str:
    """Return the name of a run with spaces where lines may break."""
    return re.sub(r"-(?!\d)|(?<!\d)-", " ", name)


def hours(value: float) -> str:
    """Format hours with at most three digits."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def abbreviated(number: float) -> str:
    """Format a number as 300k or 61M."""
    units = {1e9: "G", 1e6: "M", 1e3: "k"}
    unit = next((unit for unit in units if number >= unit), 1)
    return f"{number / unit:.3g}{units.get(unit, '')}"


def size(megabytes: float) -> str:
    """Format megabytes as MB or GB."""
    return f"{megabytes / 1024:,.1f} GB" if megabytes >= 1024 else f"{megabytes:,.0f} MB"
