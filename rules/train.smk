# From a spec to averaged weights. Rolling checkpoints and log.jsonl lie outside declared outputs.


rule resolve:
    output:
        SEED.spec,
    log:
        "logs/resolve/{scale}/{run}.log",
    wildcard_constraints:
        scale=re.escape(SCALE),
    localrule: True
    conda:
        "../envs/data.yaml"
    resources:
        **SHORT,
    params:
        spec=spec_json_of,
        # Another default is another model under the same name.
        settings=every_setting_of,
    message:
        "Resolve {wildcards.run}"
    shell:
        "printf '%s\\n' {params.spec:q} > {output:q} 2> {log:q}"


rule initialise:
    input:
        spec=SEED.spec,
        manifest=manifest_of,
        code=initialisation_code_of,
    output:
        SEED.init,
    log:
        "logs/initialise/{scale}/{run}.seed{seed}.log",
    conda:
        "../envs/torch.yaml"
    threads: PLAN.scale.threads
    resources:
        **asks_for_run(requested.initialising, "initialise"),
    message:
        "Initialise {wildcards.run}, seed {wildcards.seed}"
    shell:
        "python workflow_scripts/jobs/initialise.py --spec {input.spec:q}"
        " --dataset $(dirname {input.manifest:q}) --seed {wildcards.seed}"
        " --output {output:q} --threads {threads} 2> {log:q}"


rule train:
    input:
        spec=SEED.spec,
        manifest=manifest_of,
        init=SEED.init,
        code=training_code_of,
    output:
        SEED.outcome,
    log:
        "logs/train/{scale}/{run}.seed{seed}.log",
    # As --retries says; `onstart` gives it more on a cluster.
    retries: overwritten("train", "retries", None)
    conda:
        "../envs/torch.yaml"
    threads: PLAN.scale.threads
    resources:
        **asks_for_run(requested.training, "train"),
        gpu=gpus_of("train"),
        # Processes that share every update on the CPU; on GPUs there is one each.
        workers=1,
    params:
        # One parameter: of several, Snakemake compares the set of values without their names.
        every=PLAN.scale.intervals,
    message:
        "Train {wildcards.run}, seed {wildcards.seed}"
    shell:
        "exec python workflow_scripts/jobs/train.py --spec {input.spec:q}"
        " --dataset $(dirname {input.manifest:q}) --init {input.init:q} --seed {wildcards.seed}"
        " --output {output:q} --threads {threads} --gpus {resources.gpu}"
        " --workers {resources.workers} --dev-every {params.every[dev_every]:q}"
        " --gradients-every {params.every[gradients_every]:q}"
        " --layer-weights-every {params.every[layer_weights_every]:q} 2> >(tee -i {log:q} >&2)"


rule average:
    input:
        spec=SEED.spec,
        outcome=SEED.outcome,
        code=code_of("jobs/average.py"),
    output:
        AT_POINT.model,
    log:
        "logs/average/{scale}/{run}.seed{seed}{point}.log",
    conda:
        "../envs/torch.yaml"
    resources:
        **asks_for_run(requested.averaging, "average"),
    params:
        weights=weights_of,
    message:
        "Average {wildcards.run}, seed {wildcards.seed}{wildcards.point}"
    shell:
        "python workflow_scripts/jobs/average.py --spec {input.spec:q} --outcome {input.outcome:q}"
        " {params.weights:q} --output {output:q} 2> {log:q}"


# From the trials of every system to its learning rate (docs/protocol.md).
checkpoint rank_trials:
    input:
        trials=trials_of,
        archive=ARCHIVE,
        code=code_of("jobs/tune.py"),
    output:
        f"{RESULTS}/tuning/{{system}}.{{stage}}.csv",
    log:
        f"logs/rank_trials/{SCALE}.{{system}}.{{stage}}.log",
    wildcard_constraints:
        system="|".join(map(re.escape, PLAN.trials)) or "none",
        stage=r"\d",
    localrule: True
    conda:
        "../envs/data.yaml"
    resources:
        **SHORT,
    params:
        scale=SCALE,
    message:
        "Rank trials of {wildcards.system}, stage {wildcards.stage}"
    shell:
        "python workflow_scripts/jobs/tune.py --scale {params.scale:q}"
        " --systems {wildcards.system:q} --stages {wildcards.stage} --output {output:q} 2> {log:q}"


# Said here, since Snakemake shows errors of input functions inside a traceback.
if "tune" in sys.argv and not PLAN.tuned:
    raise WorkflowError(
        f"Configuration errors:\nscales/{SCALE}.yaml"
        + (
            ": `tuning` has no system of these rows: add it there, or name other rows"
            if PLAN.trials
            else " has no `tuning`, which says what to try: copy that of scales/multi30k-fair.yaml"
        )
    )


rule tune:
    input:
        ranked=expand(f"{RESULTS}/tuning/{{system}}.{STAGES}.csv", system=PLAN.tuned),
        records=recorded(),
        code=code_of("jobs/tune.py"),
    log:
        f"logs/tune/{SCALE}.log",
    localrule: True
    conda:
        "../envs/data.yaml"
    resources:
        **SHORT,
    params:
        scale=SCALE,
        systems=PLAN.tuned,
        # No output of the rule: Snakemake would delete the rates before the job, and end here if they are newer.
        rates=f"scales/{SCALE}.rates.csv",
    message:
        "Choose the learning rate of {params.systems}"
    shell:
        "python workflow_scripts/jobs/tune.py --scale {params.scale:q}"
        " --systems {params.systems:q} --output {params.rates:q} 2> {log:q}"
