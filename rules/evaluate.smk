# From weights to hypotheses, scores and the record of a seed.


rule translate:
    input:
        spec=SEED.spec,
        manifest=manifest_of,
        model=AT_POINT.model,
        # What a model computes is among the inputs of its training.
        code=code_of("jobs/translate.py"),
    output:
        tokenised=AT_POINT.tokenised("{split}"),
        text=AT_POINT.hypotheses("{split}"),
        logprobs=AT_POINT.log_probabilities("{split}"),
        report=AT_POINT.decoded("{split}"),
    log:
        "logs/translate/{scale}/{run}.seed{seed}{point}.{split}.log",
    conda:
        "../envs/torch.yaml"
    threads: PLAN.scale.threads
    resources:
        **asks_for_run(requested.decoding, "translate"),
        gpu=gpus_of("translate"),
        workers=WORKERS["translate"],
    message:
        "Translate {wildcards.split} with {wildcards.run}, seed {wildcards.seed}{wildcards.point}"
    shell:
        "exec python workflow_scripts/jobs/translate.py --spec {input.spec:q}"
        " --dataset $(dirname {input.manifest:q}) --model {input.model:q}"
        " --seed {wildcards.seed} --split {wildcards.split}"
        " --tokenised {output.tokenised:q} --output {output.text:q} --report {output.report:q}"
        " --threads {threads} --gpus {resources.gpu} --workers {resources.workers}"
        " 2> >(tee -i {log:q} >&2)"


rule score:
    input:
        manifest=manifest_of,
        tokenised=AT_POINT.tokenised("{split}"),
        text=AT_POINT.hypotheses("{split}"),
        logprobs=AT_POINT.log_probabilities("{split}"),
        report=AT_POINT.decoded("{split}"),
        code=code_of("jobs/score.py"),
    output:
        AT_POINT.scored("{split}"),
    log:
        "logs/score/{scale}/{run}.seed{seed}{point}.{split}.log",
    conda:
        "../envs/data.yaml"
    threads: PLAN.scale.threads if PLAN.config.comet else 1
    resources:
        **(FULL_SIZE if PLAN.config.comet else SHORT),
    params:
        meteor=["--meteor", PLAN.config.meteor] if PLAN.config.meteor else [],
        comet=["--comet", PLAN.config.comet] if PLAN.config.comet else [],
    message:
        "Score {wildcards.split} of {wildcards.run}, seed {wildcards.seed}{wildcards.point}"
    shell:
        "python workflow_scripts/jobs/score.py --dataset $(dirname {input.manifest:q})"
        " --split {wildcards.split} {params.meteor:q} {params.comet:q}"
        " --output {output:q} 2> {log:q}"


rule record:
    input:
        spec=SEED.spec,
        manifest=manifest_of,
        outcome=SEED.outcome,
        scores=scores_of,
        synthetic=synthetic_counts_of,
        code=code_of("jobs/record.py"),
    output:
        SEED.record,
    log:
        "logs/record/{scale}/{run}.seed{seed}.log",
    localrule: True
    conda:
        "../envs/data.yaml"
    resources:
        **SHORT,
    message:
        "Record {wildcards.run}, seed {wildcards.seed}"
    shell:
        "python workflow_scripts/jobs/record.py --spec {input.spec:q} --outcome {input.outcome:q}"
        " --manifest {input.manifest:q} --scores {input.scores:q}"
        " --synthetic {input.synthetic:q} --scale {wildcards.scale:q} --seed {wildcards.seed}"
        " --output {output:q} 2> {log:q}"
