# Printed numbers that need no training: sizes, measurements at initialisation, times and speeds.
from deepmt.untrained.speed_rows import comparisons

PROBES = {kind: f"papers/{p.key}.yaml" for p in REPORTED.papers for kind in p.probes}
"""Probes with the papers that define them: together under ten minutes on two cores."""


rule params:
    input:
        papers=expand("papers/{key}.yaml", key=KEYS),
        scale="scales/paper.yaml",
        code=code_of("jobs/params.py", *MODULES),
    output:
        f"{RESULTS}/params.csv",
    log:
        f"logs/params/{SCALE}.log",
    conda:
        "../envs/torch.yaml"
    resources:
        **FULL_SIZE,
    params:
        papers=[paper.key for paper in REPORTED.papers if paper.vocabulary],
    message:
        "Count the parameters of every printed row"
    shell:
        "python workflow_scripts/jobs/params.py --output {output:q} --papers {params.papers:q}"
        " 2> {log:q}"


rule probe:
    input:
        paper=lambda wildcards: PROBES[wildcards.kind],
        code=code_of("jobs/probe.py", *MODULES),
    output:
        f"{RESULTS}/probes/{{kind}}.csv",
    log:
        f"logs/probe/{SCALE}.{{kind}}.log",
    wildcard_constraints:
        kind="|".join(PROBES),
    conda:
        "../envs/torch.yaml"
    # The kinds differ in length: two threads each leave no core idle while the longest ends.
    threads: 2
    resources:
        **FULL_SIZE,
    message:
        "Measure untrained models: {wildcards.kind}"
    shell:
        "python workflow_scripts/jobs/probe.py --kind {wildcards.kind} --paper $(basename {input.paper:q} .yaml)"
        " --threads {threads} --output {output:q} 2> {log:q}"


rule probes:
    input:
        expand("{folder}/probes/{kind}.csv", folder=RESULTS, kind=PROBES),
    localrule: True


# Those that print times or speeds, requested or not: one measurement serves all.
WITH_SPEEDS = [p.key for p in REPORTED.papers if p.vocabulary and comparisons(p)]


# The papers' sizes with random weights, decoded and trained in turn.
rule speed:
    input:
        papers=expand("papers/{key}.yaml", key=WITH_SPEEDS),
        scale="scales/paper.yaml",
        code=code_of("jobs/speed.py", *MODULES),
    output:
        f"{RESULTS}/speed.csv",
    log:
        f"logs/speed/{SCALE}.log",
    conda:
        "../envs/torch.yaml"
    # All of them: a job beside it would be measured too. `snakemake --unlock` knows no cores.
    threads: lambda wildcards: workflow.cores
    resources:
        **FULL_SIZE,
        gpu=gpus_of("speed"),
    params:
        papers=WITH_SPEEDS,
    message:
        "Time every row that prints a time or a speed"
    shell:
        "python workflow_scripts/jobs/speed.py --papers {params.papers:q} --threads {threads}"
        " --gpus {resources.gpu} --output {output:q} 2> >(tee -i {log:q} >&2)"
