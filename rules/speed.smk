# Printed times and speeds: the papers' sizes with random weights, decoded and trained in turn.
include: "speed_inputs.smk"


rule speed:
    input:
        papers=files_with_speeds,
        scale="scales/paper.yaml",
        code=code_of("speed.py"),
    output:
        f"{RESULTS}/speed.csv",
    log:
        f"logs/speed/{SCALE}.log",
    benchmark:
        f"benchmarks/speed/{SCALE}.tsv"
    conda:
        "../envs/torch.yaml"
    # All of them: a job beside it would be measured too.
    threads: workflow.cores
    resources:
        **FULL_SIZE,
        gpu=gpus_of("speed"),
    params:
        papers=papers_with_speeds,
    message:
        "Time every row that prints a time or a speed"
    shell:
        "python workflow_scripts/speed.py --papers {params.papers:q} --threads {threads}"
        " --gpus {resources.gpu} --output {output:q} 2> >(tee -i {log:q} >&2)"
