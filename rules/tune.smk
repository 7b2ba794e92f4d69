# From the trials of every system to its learning rate (docs/protocol.md).
ARCHIVE = list(map(str, parts(Path("records"), SCALE)))
ARCHIVED = (
    archived_runs(Path("records"), SCALE, SEED_OF_TRIALS) if PLAN.trials else set()
)


def trials_of(wildcards):
    """Return the records of the trials of a stage, which follow from the stages before.

    A trial in the archive is not trained again.
    """
    dev = {}
    stages = PLAN.scale.tuning.stages(wildcards.system, dev)
    for before in range(1, int(wildcards.stage)):
        next(stages)
        ranked = checkpoints.rank_trials.get(system=wildcards.system, stage=before)
        dev |= read_perplexities(ranked.output[0])
    specs = PLAN.trials[wildcards.system]
    runs = {specs[trial].run for trial in next(stages)} - ARCHIVED
    return expand(
        f"{RESULTS}/runs/{{run}}/seed{SEED_OF_TRIALS}/record.json", run=sorted(runs)
    )


def ranked_trials(wildcards):
    """Return the last ranking of every system; records/ alone may hold all trials."""
    if not PLAN.trials:
        raise WorkflowError(
            f"scales/{SCALE}.yaml has no `tuning`, which says what to try"
        )
    return expand(
        f"{RESULTS}/tuning/{{system}}.{STAGES}.csv",
        system=[] if FROM_RECORDS else PLAN.trials,
    )


checkpoint rank_trials:
    input:
        trials=trials_of,
        archive=ARCHIVE,
        code=code_of("tune.py"),
    output:
        f"{RESULTS}/tuning/{{system}}.{{stage}}.csv",
    log:
        f"logs/rank_trials/{SCALE}.{{system}}.{{stage}}.log",
    wildcard_constraints:
        system="|".join(map(re.escape, PLAN.trials)) or "none",
        stage=r"\d",
    localrule: True
    conda:
        "../envs/report.yaml"
    resources:
        **SHORT,
    params:
        scale=SCALE,
    message:
        "Rank trials of {wildcards.system}, stage {wildcards.stage}"
    shell:
        "python workflow_scripts/tune.py --scale {params.scale:q}"
        " --systems {wildcards.system:q} --stages {wildcards.stage} --output {output:q} 2> {log:q}"


rule tune:
    input:
        ranked=ranked_trials,
        records=recorded(),
        code=code_of("tune.py"),
    output:
        f"scales/{SCALE}.rates.csv",
    log:
        f"logs/tune/{SCALE}.log",
    localrule: True
    conda:
        "../envs/report.yaml"
    resources:
        **SHORT,
    params:
        scale=SCALE,
    message:
        "Choose the learning rate of every system"
    shell:
        "python workflow_scripts/tune.py --scale {params.scale:q}"
        " --output {output:q} 2> {log:q}"
