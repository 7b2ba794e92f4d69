# What jobs ask of a machine: memory, minutes and disk, by deepmt/cost from each run's own size.
from dataclasses import replace
from functools import cache
from math import ceil

from deepmt.config import hardware as machines
from deepmt.estimate import resources as cost
from deepmt.estimate.estimate import estimate
from deepmt.estimate.sentences import to_back_translate

try:
    HARDWARE = machines.load_hardware(Path(workflow.basedir) / "hardware.yaml")
    machines.parse(PLAN.config.hardware, HARDWARE, PLAN.scale.gpus)
except ValueError as error:
    raise WorkflowError(f"The settings need mending:\n{error}") from None

SHORT = vars(cost.SHORT)
"""Of jobs that take a minute or so, whatever they are for."""
FULL_SIZE = {**SHORT, "mem_mb": 16_000, "runtime": 240}
"""Of jobs that build untrained models of the papers' sizes, at any scale."""
GPUS = {
    "train": PLAN.scale.gpus,
    "translate": min(1, PLAN.scale.gpus),
    "back_translate": min(1, PLAN.scale.gpus),
    "speed": min(1, PLAN.scale.gpus),
}
WORKERS = {"translate": PLAN.scale.workers}


def gpus_of(rule):
    """GPUs of a rule's jobs: the scale's, unless --set-resources says otherwise."""
    return overwritten(rule, "gpu", GPUS.get(rule, 0))


def processes_of(rule):
    """Processes of a rule's jobs: one a GPU, on the CPU as many as share the work."""
    return gpus_of(rule) or overwritten(rule, "workers", WORKERS.get(rule, 1))


def overwritten(rule, resource, otherwise):
    """What --set-resources gives to a rule's jobs, or else what the rule does."""
    asked = workflow.resource_settings.overwrite_resources.get(rule, {})
    return asked[resource].value if resource in asked else otherwise


def hardware_of(rule):
    """What config.yaml names if it is what the rule's jobs compute on, else a common one."""
    gpus = gpus_of(rule)
    named, _ = machines.parse(PLAN.config.hardware, HARDWARE, gpus)
    suits = (named.device == "cuda") == (gpus > 0)
    return named if suits else machines.parse("auto", HARDWARE, gpus)[0]


def asks(subject, request):
    """Memory, minutes and disk of a job, each as a function for `resources:`.

    `request(what, threads, attempt)` gives all three for what `subject(wildcards)` says the job is
    for: the jobs of a run have one answer.
    """
    request = cache(request)

    def one(name):
        def value(wildcards, threads, attempt):
            return getattr(request(subject(wildcards), threads, attempt), name)

        return value

    return {name: one(name) for name in SHORT}


def run_of(wildcards):
    """The run that a job is for."""
    return wildcards.run


def corpus_of(wildcards):
    """The corpus that a job is for."""
    return wildcards.corpus


def corpus_of_encoding(wildcards):
    """The corpus that an encoding is made of."""
    return ENCODINGS[wildcards.encoding].corpus


def corpus_of_text(wildcards):
    """A corpus that has a monolingual text translated."""
    return next(
        key
        for key, corpus in CORPORA.items()
        if corpus.synthetic and corpus.synthetic.monolingual == wildcards.text
    )


def computing(request, rule):
    """A request of deepmt/cost for a run, by what the rule's jobs compute on."""

    def of_run(run, threads, attempt):
        asked = request(
            PLAN.every_run[run],
            hardware_of(rule),
            threads=threads,
            gpus=max(1, gpus_of(rule)),
            attempt=attempt,
        )
        return replace(asked, mem_mb=asked.mem_mb * processes_of(rule))

    return of_run


def of_weights(run, threads, attempt):
    """Of reading weights and writing their mean: four copies, of four bytes a parameter."""
    found = estimate(PLAN.every_run[run], hardware_of("average"), threads=threads)
    return replace(
        cost.SHORT, mem_mb=cost.SHORT.mem_mb + found.parameters * 16 // 10**6
    )


def of_first_weights(run, threads, attempt):
    """Of drawing weights; ADMIN then runs a batch forward: assumed are 3 F + 8 D floats a token."""
    spec, drawn = PLAN.every_run[run], of_weights(run, threads, attempt)
    if spec.method.initialisation.name != "admin":
        return drawn
    wide = max(3 * s.feed_forward + 8 * s.d_model for s in (spec.encoder, spec.decoder))
    return replace(
        drawn, mem_mb=drawn.mem_mb + spec.training.batch_tokens * wide * 4 // 10**6
    )


def of_shard(corpus, threads, attempt):
    """Of a shard of monolingual text: as often a test set's time as it has its lines."""
    run, settings = PLAN.reverse[corpus].run, CORPORA[corpus].synthetic
    lines = to_back_translate(TEXTS[settings.monolingual], PLAN.corpora) or 0
    asked = computing(cost.decoding, "back_translate")(run, threads, attempt)
    sets = ceil(lines / settings.shards / cost.SENTENCES)
    return replace(asked, runtime=asked.runtime * max(1, sets))


def of_text(corpus, threads, attempt):
    """Of a pass over a corpus."""
    return cost.text(CORPORA[corpus], attempt, key=corpus, threads=threads)
