# What jobs ask of a machine: memory, minutes and disk, by deepmt/machines from each run's own size.
from dataclasses import replace
from functools import cache
from math import ceil

from deepmt.machines import hardware as machines
from deepmt.machines import cluster_requests as requested
from deepmt.machines.corpus_sizes import lines_to_back_translate, size_of
from deepmt.machines.cost import Cost
from deepmt.machines.planned_runs import (
    Machines,
    beyond_limit,
    planned_runs,
    seeds_ahead,
)
from deepmt.machines.seeds_ahead import path_in

try:
    HARDWARE = machines.load_hardware(Path(ROOT) / "hardware.yaml")
    machines.parse(PLAN.config.hardware, HARDWARE, PLAN.scale.gpus)
except ValueError as error:
    raise WorkflowError(printable(f"Configuration errors:\n{error}")) from None

SHORT = vars(requested.SHORT)
"""Resources of jobs that take a minute or so."""
FULL_SIZE = {**SHORT, "mem_mb": 16_000, "runtime": 240}
"""Resources of jobs that build untrained models of the papers' sizes, at any scale."""
GPUS = {
    "train": PLAN.scale.gpus,
    "translate": min(1, PLAN.scale.gpus),
    "back_translate": min(1, PLAN.scale.gpus),
    "speed": min(1, PLAN.scale.gpus),
}
WORKERS = {"translate": PLAN.scale.workers}


STOPS_AT_A_LIMIT = 10
"""Times that a training on a cluster is submitted again."""


def gpus_of(rule):
    """Return the GPUs of a rule's jobs: the scale's, unless --set-resources says otherwise."""
    return overwritten(rule, "gpu", GPUS.get(rule, 0))


def processes_of(rule):
    """Return the processes of a rule's jobs: one a GPU, on the CPU as many as share the work."""
    return gpus_of(rule) or overwritten(rule, "workers", WORKERS.get(rule, 1))


def overwritten(rule, resource, otherwise):
    """Return what --set-resources gives to a rule's jobs, or else what the rule does."""
    asked = workflow.resource_settings.overwrite_resources.get(rule, {})
    return asked[resource].value if resource in asked else otherwise


@cache
def hardware_of(rule):
    """Return config.yaml's hardware if the rule's jobs compute on such, else a common one."""
    gpus = gpus_of(rule)
    named, _ = machines.parse(PLAN.config.hardware, HARDWARE, gpus)
    suits = (named.device == "cuda") == (gpus > 0)
    return named if suits else machines.parse("auto", HARDWARE, gpus)[0]


def asks(request):
    """Return memory, minutes and disk of a job, each as a function for `resources:`.

    `request(wildcards, input, threads, attempt)` gives all three.
    """

    def one(name):
        def value(wildcards, input, threads, attempt):
            # `-n --cores 0` gives none.
            return getattr(request(wildcards, input, max(1, threads), attempt), name)

        return value

    return {name: one(name) for name in SHORT}


def asks_for_run(request, rule):
    """Return what `request` asks for a run, by what the rule's jobs compute on."""

    def of_run(wildcards, input, threads, attempt):
        cost = cost_of(wildcards.run, rule, threads)
        asked = request(cost, attempt)
        return replace(asked, mem_mb=asked.mem_mb * processes_of(rule))

    return asks(of_run)


@cache
def cost_of(run, rule, threads):
    """Return the cost of a run."""
    spec = PLAN.every_run[run]
    return Cost(
        spec=spec,
        size=size_of(spec.data, PLAN.corpora),
        hardware=hardware_of(rule),
        threads=threads,
        gpus=max(1, gpus_of(rule)),
    )


TRAINING = {"all", "tables", "report"}
"""Targets that train what is requested."""


@cache
def runs_ahead():
    """Return the machines and the runs that have seeds to train."""
    cores = 1 if workflow.non_local_exec else max(1, workflow.cores)
    share = Machines(
        hardware=hardware_of("train"),
        count=cores,
        threads=PLAN.scale.threads,
        gpus=max(1, gpus_of("train")),
    )
    runs = planned_runs(PLAN, Path(ROOT), share)
    return share, [run for run in runs.values() if run.trainings]


def work_ahead():
    """Say how much is to be trained, and about how long that takes here, or costs on a cluster."""
    share, ahead = runs_ahead()
    cores = share.count
    if not ahead:
        return "Nothing is left to train."
    seeds = sum(run.trainings for run in ahead)
    hours = sum(run.hours for run in ahead)
    if not share.hardware.cuda:
        hours /= cores
    duration = f"{ceil(hours * 60)} min" if hours < 2 else f"{hours:.0f} h"
    several = f"with {cores} cores" if cores > 1 else "of one core"
    unit = "of one GPU" if share.hardware.cuda else several
    return f"Seeds to train: {seeds}, of {len(ahead)} runs; about {duration} {unit}."


def shard(wildcards, input, threads, attempt):
    """Return what a shard of monolingual text asks for, at least as much as a test split."""
    run, settings = (
        PLAN.reverse[wildcards.corpus].run,
        CORPORA[wildcards.corpus].synthetic,
    )
    whole = lines_to_back_translate(settings, PLAN.corpora)
    lines = max(requested.SENTENCES, whole // settings.shards)
    cost = cost_of(run, "back_translate", threads)
    asked = requested.decoding(cost, attempt, lines)
    return replace(asked, mem_mb=asked.mem_mb * processes_of("back_translate"))


def asks_for_corpus(key_of):
    """Return what a pass over the corpus `key_of(wildcards)` asks for."""

    def of_text(wildcards, input, threads, attempt):
        return requested.text(CORPORA[key_of(wildcards)], attempt, threads=threads)

    return asks(of_text)


def corpus_of(wildcards):
    """Return the corpus that a job is for."""
    return wildcards.corpus


def corpus_of_encoding(wildcards):
    """Return the corpus that a dataset is made of."""
    return DATASETS[wildcards.dataset].corpus


def corpus_of_text(wildcards):
    """Return a corpus that has a monolingual text translated."""
    return next(
        key
        for key, corpus in CORPORA.items()
        if corpus.synthetic and corpus.synthetic.monolingual == wildcards.text
    )
