"""Estimate the remaining work of every run.

With the GPUs or threads of one run, a seed takes

    training = train_seconds + start
    decoding = search_seconds(sentences)

Costs are GPU hours, where decoding uses one GPU, or core hours: seconds times threads.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from deepmt.base.errors import UserError
from deepmt.machines.corpus_sizes import (
    lines_to_back_translate,
    lines_to_translate,
    size_of,
)
from deepmt.machines.cost import HOUR, Cost
from deepmt.machines.hardware import Hardware, load_hardware, parse
from deepmt.machines.seeds_ahead import SeedAhead, SeedsAhead
from deepmt.settings.corpora import CorpusSize
from deepmt.settings.seed_folder import SeedFolder
from deepmt.settings.spec import Spec
from deepmt.settings.synthetic import SYNTHETIC_SEED
from deepmt.study.plan import Plan
from deepmt.study.requested_text import requested_splits
from deepmt.study.scored_points import points_of


@dataclass(frozen=True, kw_only=True)
class Machines:
    """Describe the devices that runs share, and the number that one run takes."""

    hardware: Hardware
    count: int
    threads: int
    gpus: int

    @property
    def per_run(self) -> int:
        """Return the number of GPUs or cores that one run takes."""
        return self.gpus if self.hardware.cuda else self.threads

    @property
    def unit(self) -> str:
        """Return the unit of costs."""
        return "GPU hours" if self.hardware.cuda else "core hours"

    @property
    def at_once(self) -> int:
        """Return how many runs train at the same time."""
        return max(1, self.count // self.per_run)

    def cost(self, spec: Spec, size: CorpusSize) -> Cost:
        """Return the cost of a run."""
        return Cost(
            spec=spec, size=size, hardware=self.hardware, threads=self.threads, gpus=self.gpus
        )


def machines_of(plan: Plan, root: Path) -> Machines:
    """Return the machines of a plan.

    Raises:
        ValueError: hardware.yaml or the setting is wrong, or one run needs more devices.
    """
    setting, scale = plan.config.hardware, plan.scale
    hardware, count = parse(setting, load_hardware(root / "hardware.yaml"), scale.gpus)
    found = Machines(hardware=hardware, count=count, threads=scale.threads, gpus=max(1, scale.gpus))
    if found.per_run > count:
        kind = "GPUs" if hardware.cuda else "threads"
        raise UserError(
            f"hardware={setting}: a run of the {scale.name} scale takes {found.per_run} {kind},"
            f" which is more than {count}: set hardware={hardware.key}x{found.per_run}"
        )
    return found


@dataclass(kw_only=True)
class PlannedRun:
    """Describe a run and the remaining work of all its seeds."""

    cost: Cost
    rows: Sequence[str]
    """Selected rows that show the run; empty if it only makes text for other runs."""
    reverse_run: str
    """The run that back-translates a part of its text, if any."""
    untrained: Sequence[int]
    """Seeds that are not trained yet."""
    sentences: int
    """Sentences that are not translated yet."""

    @property
    def run(self) -> str:
        """Return the name of the run."""
        return self.cost.spec.run

    @property
    def trainings(self) -> int:
        """Return how many seeds are not trained yet."""
        return len(self.untrained)

    @property
    def hours(self) -> float:
        """Return the remaining GPU or core hours."""
        decoding = self.cost.search_seconds(self.sentences)
        trainers, searchers = (
            (self.cost.gpus, 1) if self.cost.hardware.cuda else (self.cost.threads,) * 2
        )
        training = self.trainings * self.cost.wall_hours
        return training * trainers + decoding * searchers / HOUR


def planned_runs(plan: Plan, root: Path, machines: Machines) -> dict[str, PlannedRun]:
    """Return every run that the selected rows need, including finished ones."""
    reverse = {run: plan.reverse.get(spec.data.corpus) for run, spec in plan.runs.items()}
    specs = plan.runs | {spec.run: spec for spec in reverse.values() if spec}
    rows: dict[str, list[str]] = {run: [] for run in specs}
    for row in plan.selected:
        rows[plan.specs[row].run].append(row)
    splits = requested_splits(plan)
    made_for = {
        spec.run: plan.corpora.corpus(corpus).synthetic for corpus, spec in plan.reverse.items()
    }
    found = {}
    for run, spec in specs.items():
        reverse_spec, synthetic = reverse.get(run), made_for.get(run)
        seeds = [SYNTHETIC_SEED] if synthetic and not rows[run] else plan.config.seeds
        folders = [SeedFolder.of(root / plan.config.results, run, seed) for seed in seeds]
        untrained = [folder.seed for folder in folders if not folder.outcome.exists()]
        recordings = sum(not folder.record.exists() for folder in folders)
        sentences = 0
        if synthetic and untrained:
            sentences += lines_to_back_translate(synthetic, plan.corpora)
        if rows[run]:
            corpus = plan.corpora.corpus(spec.data.corpus)
            points = points_of(plan, spec, splits).values()
            decoded = [split for point in points for split in point]
            sentences += recordings * sum(lines_to_translate(corpus, split) for split in decoded)
        found[run] = PlannedRun(
            cost=machines.cost(spec, size_of(spec.data, plan.corpora)),
            rows=sorted(rows[run]),
            reverse_run=reverse_spec.run if reverse_spec else "",
            untrained=untrained,
            sentences=sentences,
        )
    return found


def seeds_ahead(machines: Machines, runs: Iterable[PlannedRun]) -> SeedsAhead:
    """Return the seeds of runs that are not trained yet, with what each training costs."""
    seeds = (
        SeedAhead(
            run=run.run,
            seed=seed,
            updates=run.cost.spec.training.updates,
            hours=run.cost.wall_hours * machines.per_run,
        )
        for run in runs
        for seed in run.untrained
    )
    return SeedsAhead(unit=machines.unit, seeds=tuple(seeds))


def texts_ahead(runs: Iterable[PlannedRun], root: Path) -> dict[str, CorpusSize]:
    """Return the size of each dataset that is to be encoded, by its name."""
    sizes = {run.cost.spec.dataset: run.cost.size for run in runs if run.trainings}
    encoded = root / "data/encoded"
    return {
        name: size
        for name, size in sizes.items()
        if not (encoded / name / "manifest.json").exists()
    }


def beyond_limit(runs: Iterable[PlannedRun], limit: float, tries: int) -> Iterator[str]:
    """Yield each run whose training outlasts all its tries of so many hours, and what would do."""
    for run in runs:
        if run.trainings and run.cost.wall_hours > limit * tries:
            by_gpus = run.cost.by_gpus if run.cost.hardware.cuda else {}
            do = [gpus for gpus, hours in by_gpus.items() if hours <= limit * tries]
            enough = f", or `gpu: {do[0]}`" if do else ""
            yield (
                f"{run.run} takes about {run.cost.wall_hours:,.0f} hours and gets {tries} tries of"
                f" {limit:,.1f}: give `train` a longer `runtime` or more `retries` in the profile"
                f"{enough}"
            )
