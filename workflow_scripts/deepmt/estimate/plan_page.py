"""Show the plan as tables for a terminal, and as a table with a line for each run."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import pandas as pd
from rich import box
from rich.table import Table

from deepmt.config.settings import Plan
from deepmt.estimate.dry_run import JobsLeft
from deepmt.estimate.planned_runs import Machines, PlannedRun
from deepmt.estimate.resources import text_disk_mb, text_pairs

NEAR = 1.3
"""A prediction is near if measured over predicted lies in 1/NEAR..NEAR."""
Row = tuple[str, ...]


def frame(runs: Mapping[str, PlannedRun], kept: Collection[str]) -> pd.DataFrame:
    """Return a line for each run, the costliest first."""
    lines = [
        {
            "run": name,
            "rows": " ".join(run.rows),
            "kept": name in kept,
            "seeds_left": run.trainings,
            "updates": run.cost.spec.training.updates,
            "parameters": run.cost.counts.parameters,
            "train_flops": run.cost.train_flops,
            "hours": run.hours,
            "memory_mb": round(run.cost.train_memory_mb),
            "micro_batches": run.cost.micro_batches,
            "disk_mb": round(run.disk_mb),
            "corpus_known": run.cost.size.basis,
        }
        for name, run in runs.items()
    ]
    return pd.DataFrame(lines).sort_values("hours", ascending=False)


@dataclass(frozen=True, kw_only=True)
class PlanPage:
    """Everything that the plan shows."""

    plan: Plan
    machines: Machines
    left: JobsLeft
    runs: Mapping[str, PlannedRun]
    kept: Collection[str]
    ratios: Sequence[float]
    """Measured over predicted seconds of seeds trained on such machines."""

    def __iter__(self) -> Iterator[Table | str]:
        """Yield texts and tables in order."""
        yield self.heading()
        yield table("Jobs left", ("rule", ">jobs"), self.jobs())
        yield table("Disk to come (estimate)", ("", ">size"), self.disk())
        title = f"Runs, {self.machines.unit} left (estimate)"
        columns = ("rows", "system", ">updates", ">size", ">FLOPs", ">hours", ">memory", "")
        yield table(title, columns, self.lines())
        yield "memory: of an update; /4: it fits in 4 micro-batches, !: in none; -: over budget"
        yield table("Papers", ("paper", ">runs", ">hours alone"), self.papers())
        yield self.total()
        if self.plan.config.budget:
            yield table("Rows that the budget drops", ("table", ">rows", ">of"), self.dropped())
        yield self.accuracy()

    def heading(self) -> str:
        """Return what is counted, and in what."""
        machines, config = self.machines, self.plan.config
        seeds = ", ".join(map(str, config.seeds))
        kind = "GPUs" if machines.cuda else "cores"
        known = "".join(f"\n{names}: {basis}" for names, basis in machines.hardware.basis.items())
        return (
            f"Plan of the {config.scale} scale on {machines.hardware.title}:"
            f" {len(self.plan.selected)} rows, {len(self.runs)} runs, seeds {seeds};"
            f" {machines.count} {kind}, {machines.of_a_run} a run.\n"
            f"Hours, memory and disk are estimates.{known}"
        )

    def jobs(self) -> Iterator[Row]:
        """Yield the number of jobs by rule."""
        counts = self.left.by_rule
        for rule, count in {**counts, "total": sum(counts.values())}.items():
            yield rule, f"{count:,}"

    def disk(self) -> Iterator[Row]:
        """Yield what is still to be written; nothing is deleted by itself."""
        keys = [Path(flags["output"]).name for flags in self.left.of("fetch")]
        archives = [self.plan.corpora.archive(key) for key in keys]
        known = sum(archive.bytes or 0 for archive in archives) / 2**20
        silent = sum(archive.bytes is None for archive in archives)
        encodings = {spec.encoding: spec.data.corpus for spec in self.plan.every_run.values()}
        corpora = [encodings[Path(flags["data"]).parts[-2]] for flags in self.left.of("tokenise")]
        text = [text_pairs(self.plan.corpora.corpus(key), key) for key in corpora]
        yield f"{len(keys)} archives, {silent} of them of unknown size", size(known)
        yield f"text of {len(corpora)} corpora", size(sum(map(text_disk_mb, text)))
        yield "checkpoints and weights", size(sum(run.disk_mb for run in self.runs.values()))

    def lines(self) -> Iterator[Row]:
        """Yield every run, the costliest first."""
        for run in sorted(self.runs.values(), key=lambda run: -run.hours):
            counts, spec = run.cost.counts, run.cost.spec
            parts = run.cost.micro_batches
            fit = "" if parts == 1 else f" /{parts}" if parts else " !"
            yield (
                few(run.rows),
                system(spec.name.removesuffix(f"-{spec.data.corpus}")),
                short(spec.training.updates),
                short(counts.parameters),
                f"{run.cost.train_flops:.1e}".replace("e+", "e"),
                hours(run.hours),
                size(run.cost.train_memory_mb) + fit,
                "" if run.run in self.kept else "-",
            )

    def papers(self) -> Iterator[Row]:
        """Yield what each paper costs alone; runs that papers share count for each."""
        for paper in self.plan.papers:
            own = {
                spec.run
                for row, spec in self.plan.specs.items()
                if row in self.plan.selected and row.startswith((f"{paper.key}.", f"{paper.key}/"))
            }
            own |= {self.runs[run].maker for run in own} - {""}
            if own:
                yield paper.key, str(len(own)), hours(self.hours(own))

    def total(self) -> str:
        """Return all hours, and how long they take at least."""
        machines = self.machines
        found = f"{hours(self.hours(self.runs))} {machines.unit} in all"
        if budget := self.plan.config.budget:
            found += (
                f", {hours(self.hours(self.kept))} for the {len(self.kept)} runs that fit into a"
                f" budget of {hours(budget)} (headline rows first, then the fewest hours a row)"
            )
        least = hours(self.hours(self.kept) / machines.count)
        return f"\n{found}: at least {least} hours on {machines.count} {machines.hardware.key}."

    def hours(self, names: Iterable[str]) -> float:
        """Return the hours of these runs."""
        return sum(self.runs[name].hours for name in names)

    def dropped(self) -> Iterator[Row]:
        """Yield the tables that the report lacks rows of."""
        lost = {row for name, run in self.runs.items() if name not in self.kept for row in run.rows}
        for part in (part for paper in self.plan.papers for part in paper.tables):
            asked = {row.id for row in part.rows} & self.plan.selected
            if asked & lost:
                yield part.id, str(len(asked & lost)), str(len(asked))

    def accuracy(self) -> str:
        """Return how predictions compare with what was measured."""
        if not self.ratios:
            return "\nNo seed was trained on such hardware yet, so nothing is corrected."
        near = sum(1 / NEAR <= ratio <= NEAR for ratio in self.ratios)
        return (
            f"\nMeasured over predicted seconds of {len(self.ratios)} seeds on such hardware:"
            f" {min(self.ratios):.2f} to {max(self.ratios):.2f}, {near} within {NEAR - 1:.0%};"
            f" predictions above are multiplied by the median, {median(self.ratios):.2f}."
        )


def table(title: str, columns: Sequence[str], rows: Iterable[Row]) -> Table:
    """Return a table; columns that start with > are numbers."""
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


def few(rows: Sequence[str]) -> str:
    """Return the first row, and how many more there are."""
    more = f" +{len(rows) - 1}" if len(rows) > 1 else ""
    return f"{rows[0]}{more}" if rows else "makes text for others"


def system(name: str) -> str:
    """Return a run's name with spaces to break lines at."""
    return re.sub(r"-(?!\d)|(?<!\d)-", " ", name)


def hours(value: float) -> str:
    """Return three digits, which are more than an estimate knows."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def short(number: float) -> str:
    """Return 300k or 61M."""
    units = {1e9: "G", 1e6: "M", 1e3: "k"}
    unit = next((unit for unit in units if number >= unit), 1)
    return f"{number / unit:.3g}{units.get(unit, '')}"


def size(megabytes: float) -> str:
    """Return MB or GB."""
    return f"{megabytes / 1024:,.1f} GB" if megabytes >= 1024 else f"{megabytes:,.0f} MB"
