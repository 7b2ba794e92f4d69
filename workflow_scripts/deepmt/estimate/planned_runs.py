"""Estimate the remaining work of every run, corrected by measurements.

With the GPUs or threads of one run, a seed takes

    training = factor * train_seconds + other_seconds
    decoding = search_seconds(sentences) + translations * start

Costs are GPU hours, where decoding uses one GPU, or core hours: seconds times threads.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

from deepmt.config.hardware import Hardware, load_hardware, parse
from deepmt.config.settings import Plan
from deepmt.config.spec import Spec
from deepmt.estimate.corpus_sizes import NEWSTEST, lines_to_back_translate, lines_to_translate
from deepmt.estimate.cost import Cost
from deepmt.estimate.counts import counts_of
from deepmt.estimate.dry_run import RemainingJobs
from deepmt.estimate.measured_seeds import MeasuredSeed

HOUR = 3600


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
        raise ValueError(
            f"hardware={setting}: a run of the {scale.name} scale takes {found.per_run} {kind},"
            f" which is more than {count}: set hardware={hardware.key}x{found.per_run}"
        )
    return found


@dataclass(kw_only=True)
class PlannedRun:
    """Describe a run and the remaining work of all its seeds."""

    cost: Cost
    machines: Machines
    rows: Sequence[str]
    """Selected rows that show the run; empty if it only makes text for other runs."""
    headline: bool
    reverse_run: str
    """The run that back-translates a part of its text, if any."""
    factor: float = 1.0
    """Measured over predicted seconds of training on this hardware."""
    trainings: int = 0
    translations: list[int] = field(default_factory=list)
    """Sentences of each remaining translation."""

    @property
    def run(self) -> str:
        """Return the name of the run."""
        return self.cost.spec.run

    @property
    def hours(self) -> float:
        """Return the remaining GPU or core hours."""
        training = self.factor * self.cost.train_seconds + self.cost.other_seconds
        decoding = self.cost.search_seconds(sum(self.translations))
        decoding += len(self.translations) * self.machines.hardware.start
        each = 1 if self.machines.hardware.cuda else self.machines.threads
        return (self.trainings * training * self.machines.per_run + decoding * each) / HOUR

    def predicted(self, seed: MeasuredSeed) -> float:
        """Return the predicted seconds of an update with the threads or GPUs of a measured seed."""
        workers = seed.hardware["workers"]
        cost = replace(
            self.cost, threads=seed.threads, gpus=workers if self.machines.hardware.cuda else 1
        )
        return cost.train_seconds / cost.spec.training.updates

    @property
    def disk_mb(self) -> float:
        """Return the disk still needed."""
        return self.trainings * self.cost.disk_mb


def planned_runs(
    plan: Plan, root: Path, machines: Machines, jobs: RemainingJobs
) -> dict[str, PlannedRun]:
    """Return every run that the selected rows need, including finished ones.

    Raises:
        ValueError: a run is not counted yet.
    """
    reverse = {run: plan.reverse.get(spec.data.corpus) for run, spec in plan.runs.items()}
    specs = plan.runs | {spec.run: spec for spec in reverse.values() if spec}
    rows: dict[str, list[str]] = {run: [] for run in specs}
    for row in plan.selected:
        rows[plan.specs[row].run].append(row)
    headline = {row for rows_of_paper in plan.config.headline.values() for row in rows_of_paper}
    found = {}
    for run, spec in specs.items():
        reverse_spec = reverse.get(run)
        found[run] = PlannedRun(
            cost=cost_of(spec, plan, root, machines),
            machines=machines,
            rows=sorted(rows[run]),
            headline=not headline.isdisjoint(rows[run]),
            reverse_run=reverse_spec.run if reverse_spec else "",
        )
    for flags in jobs.flags_of("train"):
        found[_run_of(flags)].trainings += 1
    for flags in jobs.flags_of("translate"):
        corpus = plan.corpora.corpus(specs[_run_of(flags)].data.corpus)
        found[_run_of(flags)].translations.append(lines_to_translate(corpus, flags["split"]))
    for flags in jobs.flags_of("back_translate"):
        found[_run_of(flags)].translations.append(_lines_of_shard(flags, plan))
    return found


def cost_of(spec: Spec, plan: Plan, root: Path, machines: Machines) -> Cost:
    """Return the cost of a run on these machines.

    Raises:
        ValueError: the run is not counted yet.
    """
    path = root / plan.config.results / "runs" / spec.run / "estimate.json"
    try:
        counts = counts_of(spec, path)
    except FileNotFoundError:
        raise ValueError(
            f"{path}: does not exist yet: run `snakemake --cores 1 plan` first"
        ) from None
    return Cost(
        spec=spec,
        counts=counts,
        hardware=machines.hardware,
        threads=machines.threads,
        gpus=machines.gpus,
    )


def correct(runs: Mapping[str, PlannedRun], found: Iterable[MeasuredSeed]) -> list[float]:
    """Multiply predictions by the median of measured over predicted seconds; return the ratios."""
    ratios = [
        seed.seconds / runs[seed.run].predicted(seed)
        for seed in found
        if seed.run in runs and seed.trained_on(runs[seed.run].machines.hardware)
    ]
    for run in runs.values():
        run.factor = median(ratios) if ratios else 1.0
    return ratios


def within_budget(runs: Mapping[str, PlannedRun], limit: float) -> set[str]:
    """Return the runs that fit a budget of hours.

    Runs are added one by one if they still fit: those of headline rows first, then those with the
    fewest hours per row. A run that makes text for other runs is added with the first of them.
    """
    kept: set[str] = set()
    chains = {
        name: [runs[each] for each in (run.reverse_run, name) if each]
        for name, run in runs.items()
        if run.rows
    }
    price = {name: sum(run.hours for run in chain) for name, chain in chains.items()}
    order = sorted(
        chains, key=lambda name: (not runs[name].headline, price[name] / len(runs[name].rows), name)
    )
    for name in order:
        new = {run.run for run in chains[name]} - kept
        if sum(runs[each].hours for each in kept | new) <= limit:
            kept |= new
    return kept


def _run_of(flags: Mapping[str, str]) -> str:
    return Path(flags["spec"]).parts[-2]


def _lines_of_shard(flags: Mapping[str, str], plan: Plan) -> int:
    """Return the lines of a shard; assume NEWSTEST lines if the length of the text is unknown."""
    synthetic = plan.corpora.corpus(Path(flags["output"]).parts[-3]).synthetic
    assert synthetic is not None
    text = plan.corpora.monolingual[synthetic.monolingual]
    whole = lines_to_back_translate(text, plan.corpora)
    return NEWSTEST if whole is None else whole // synthetic.shards
