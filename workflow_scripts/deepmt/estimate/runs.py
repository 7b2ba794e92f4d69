"""What is left of every run, and what it costs: estimates, times what was measured.

One seed takes, on what one run is given (its GPUs, or the threads of a processor):

    training = factor * train_seconds + other_seconds
    decoding = sentences / 1000 * decode_seconds_per_1000 + translations * start

It is paid in GPU hours, where decoding takes one GPU, or in core hours: seconds times threads.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from deepmt.config.hardware import Hardware
from deepmt.config.settings import Plan
from deepmt.config.spec import Spec
from deepmt.estimate.estimate import Cost, estimate
from deepmt.estimate.graph import Job
from deepmt.estimate.schedule import Task
from deepmt.estimate.sentences import NEWSTEST, to_back_translate, to_translate
from deepmt.estimate.uses import Use

HOUR = 3600


@dataclass(frozen=True, kw_only=True)
class Machines:
    """What runs share: so many devices of a kind, and how many of them one run takes."""

    hardware: Hardware
    count: int
    threads: int
    gpus: int

    @property
    def cuda(self) -> bool:
        """Whether they are GPUs."""
        return self.hardware.device == "cuda"

    def made(self, ran: Mapping[str, Any]) -> bool:
        """Whether a run, as its `hardware` tells, was made on such machines and on no others."""
        known = self.hardware.name
        alike = bool(known) and ran["device"] == self.hardware.device and known in ran["name"]
        return alike and "earlier" not in ran

    @property
    def of_a_run(self) -> int:
        """GPUs, or cores."""
        return self.gpus if self.cuda else self.threads

    @property
    def unit(self) -> str:
        """What is paid for."""
        return "GPU hours" if self.cuda else "core hours"

    @property
    def at_once(self) -> int:
        """Runs beside each other."""
        return self.count // self.of_a_run


@dataclass(frozen=True)
class Left:
    """What is still to be done of a seed."""

    train: bool = False
    translations: int = 0
    sentences: int = 0


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run as it is planned."""

    spec: Spec
    use: Use
    cost: Cost
    left: Mapping[int, Left]
    """By seed; those with nothing left are missing."""
    machines: Machines
    factor: float = 1.0
    """Real over predicted seconds of training, where such runs were measured here."""

    def training(self, seed: int) -> float:
        """Seconds that a seed still trains."""
        whole = self.factor * self.cost.train_seconds + self.cost.other_seconds
        return whole * self.left[seed].train

    def decoding(self, seed: int) -> float:
        """Seconds that its translations still take, one after the other."""
        left = self.left[seed]
        found = left.sentences / 1000 * self.cost.decode_seconds_per_1000
        return found + left.translations * self.machines.hardware.start

    @property
    def hours(self) -> float:
        """GPU or core hours of all seeds."""
        machines = self.machines
        each = (machines.of_a_run, 1 if machines.cuda else machines.threads)
        return (
            sum(each[0] * self.training(seed) + each[1] * self.decoding(seed) for seed in self.left)
            / HOUR
        )

    @property
    def tasks(self) -> list[Task]:
        """Its seeds as one after the other could take a machine."""
        return [
            Task(
                name=task_name(self.spec.run, seed),
                hours=(self.training(seed) + self.decoding(seed)) / HOUR,
            )
            for seed in self.left
        ]


def task_name(run: str, seed: int) -> str:
    """A seed of a run."""
    return f"{run}/seed{seed}"


def plan_runs(
    plan: Plan,
    uses: Mapping[str, Use],
    left: Iterable[Job],
    machines: Machines,
    factors: Mapping[str, float],
) -> dict[str, Run]:
    """Every run that is used, also those that are done."""
    seeds = still_left(left, plan)
    return {
        run: Run(
            spec=spec,
            use=use,
            cost=estimate(spec, machines.hardware, threads=machines.threads, gpus=machines.gpus),
            left=seeds.get(run, {}),
            machines=machines,
            factor=factors.get(family(spec), 1.0),
        )
        for run, use in uses.items()
        for spec in [plan.every_run[run]]
    }


def family(spec: Spec) -> str:
    """Runs that a measured factor is taken over for."""
    return spec.method.family.name


def still_left(jobs: Iterable[Job], plan: Plan) -> dict[str, dict[int, Left]]:
    """Training and sentences by run and seed."""
    found: dict[str, dict[int, Left]] = defaultdict(dict)
    for job in jobs:
        if job.rule in ("train", "translate", "back_translate"):
            before = found[job.run].get(job.seed, Left())
            found[job.run][job.seed] = Left(
                train=before.train or job.rule == "train",
                translations=before.translations + (job.rule != "train"),
                sentences=before.sentences + sentences(job, plan),
            )
    return found


def sentences(job: Job, plan: Plan) -> int:
    """What one job translates; of a text of unknown length each shard is taken for a newstest."""
    if job.rule == "translate":
        corpus = plan.corpora.corpus(plan.every_run[job.run].data.corpus)
        return to_translate(corpus, job.set)
    if job.rule == "train":
        return 0
    synthetic = plan.corpora.corpus(job.set).synthetic
    assert synthetic is not None
    text = plan.corpora.monolingual[synthetic.monolingual]
    whole = to_back_translate(text, plan.corpora)
    return NEWSTEST if whole is None else whole // synthetic.shards


def tasks(runs: Mapping[str, Run]) -> list[Task]:
    """Every seed; those on made-up text wait for the run that makes it."""
    makers = {
        fed: [task.name for task in run.tasks] for run in runs.values() for fed in run.use.feeds
    }
    return [
        Task(name=task.name, hours=task.hours, after=tuple(makers.get(name, ())))
        for name, run in runs.items()
        for task in run.tasks
    ]
