# Printed times and speeds: the papers' sizes with random weights, decoded and trained in turn.
from functools import cache

from deepmt.config.settings import load_papers, names_in
from deepmt.metrics.speed_rows import comparisons


@cache
def files_with_speeds():
    """Return the papers that print times or speeds, requested or not: one measurement serves all."""
    folder = Path(ROOT) / "papers"
    papers = load_papers(folder, names_in(folder))
    measured = [p.key for p in papers if p.vocabulary and comparisons(p)]
    return [f"papers/{key}.yaml" for key in measured]


rule speed:
    input:
        papers=lambda wildcards: files_with_speeds(),
        scale="scales/paper.yaml",
        code=code_of("speed.py", *MODULES),
    output:
        f"{RESULTS}/speed.csv",
    log:
        f"logs/speed/{SCALE}.log",
    benchmark:
        f"benchmarks/speed/{SCALE}.tsv"
    conda:
        "../envs/torch.yaml"
    # All of them: a job beside it would be measured too. `snakemake --unlock` knows no cores.
    threads: lambda wildcards: workflow.cores
    resources:
        **FULL_SIZE,
        gpu=gpus_of("speed"),
    params:
        papers=lambda wildcards, input: [Path(path).stem for path in input.papers],
    message:
        "Time every row that prints a time or a speed"
    shell:
        "python workflow_scripts/speed.py --papers {params.papers:q} --threads {threads}"
        " --gpus {resources.gpu} --output {output:q} 2> >(tee -i {log:q} >&2)"
