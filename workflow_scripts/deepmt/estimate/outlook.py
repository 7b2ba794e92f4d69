"""The whole plan: what is asked for, what of it is left, and what that costs."""

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from deepmt.config.hardware import AUTO, load_hardware, parse
from deepmt.config.settings import Plan
from deepmt.estimate.budget import Budget, choose
from deepmt.estimate.disk import Sizes, Stage, stages
from deepmt.estimate.downloads import Download, downloads
from deepmt.estimate.graph import Job, needed
from deepmt.estimate.jobs import all_jobs
from deepmt.estimate.measured import Measured, factors, measured
from deepmt.estimate.runs import Machines, Run, plan_runs, tasks
from deepmt.estimate.schedule import Schedule, schedule
from deepmt.estimate.text_estimates import core_hours
from deepmt.estimate.uses import uses


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """Everything that the plan tells."""

    plan: Plan
    machines: Machines
    jobs: Mapping[str, Job]
    """All that the target needs, by output."""
    left: Mapping[str, Job]
    """Those of them that are still to be done."""
    downloads: list[Download]
    stages: list[Stage]
    """Disk."""
    runs: Mapping[str, Run]
    """The costliest first."""
    measured: list[Measured]

    @property
    def rules(self) -> dict[str, tuple[int, int]]:
        """Jobs and jobs left by rule, in the order of the work."""
        every = Counter(job.rule for job in self.jobs.values())
        left = Counter(job.rule for job in self.left.values())
        return {rule: (every[rule], left[rule]) for rule in every}

    @property
    def hours(self) -> float:
        """GPU or core hours left."""
        return sum(run.hours for run in self.runs.values())

    @property
    def text_hours(self) -> float:
        """Core hours of the text stages left."""
        return core_hours(self.plan, self.left.values())

    @cached_property
    def schedule(self) -> Schedule:
        """Of everything."""
        return schedule(tasks(self.runs), self.machines.at_once)

    @cached_property
    def budget(self) -> Budget | None:
        """What fits, if there is a limit."""
        limit = self.plan.config.budget
        hours = {name: run.hours for name, run in self.runs.items()}
        uses = {name: run.use for name, run in self.runs.items()}
        return choose(self.plan, uses, hours, limit) if limit else None

    @cached_property
    def kept(self) -> Schedule:
        """Of what the budget keeps."""
        names = self.budget.kept if self.budget else tuple(self.runs)
        return schedule(tasks({name: self.runs[name] for name in names}), self.machines.at_once)


def look(plan: Plan, root: Path) -> Outlook:
    """Count and estimate; nothing runs.

    Raises:
        ValueError: nothing is trained, or see machines_of.
    """
    if plan.config.from_ == "records":
        raise ValueError("from=records trains nothing, so there is nothing to plan: leave it out")
    machines = machines_of(plan, root)
    jobs = all_jobs(plan, root)
    whole = needed(jobs, lambda path: False)
    left = needed(jobs, lambda path: (root / path).exists())
    known = measured(plan, machines, root)
    runs = plan_runs(plan, uses(plan), left.values(), machines, factors(known))
    wanted = downloads(plan, whole.values(), root)
    sizes = Sizes(plan=plan, runs=runs, fetched={one.key: one.bytes or 0 for one in wanted})
    return Outlook(
        plan=plan,
        machines=machines,
        jobs={output: job for output, job in jobs.items() if output in whole},
        left=left,
        downloads=wanted,
        stages=stages(sizes, left.values(), root),
        runs=dict(sorted(runs.items(), key=lambda item: -item[1].hours)),
        measured=known,
    )


def machines_of(plan: Plan, root: Path) -> Machines:
    """What is counted in; `auto` on a processor is all of this one.

    Raises:
        ValueError: hardware.yaml or the hardware asked for is wrong, or one run needs more of it.
    """
    asked, scale = plan.config.hardware, plan.scale
    hardware, count = parse(asked, load_hardware(root / "hardware.yaml"), scale.gpus)
    cuda = hardware.device == "cuda"
    found = Machines(
        hardware=hardware,
        count=os.cpu_count() or 1 if asked == AUTO and not cuda else count,
        threads=scale.threads,
        gpus=max(1, scale.gpus),
    )
    if not found.at_once:
        kind = "GPUs" if cuda else "threads"
        raise ValueError(
            f"hardware={asked}: a run of the {scale.name} scale takes {found.of_a_run} {kind},"
            f" which is more than {count}: ask for {hardware.key}x{found.of_a_run}"
        )
    return found
