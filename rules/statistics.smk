# What was built of the corpora: counted once, and gathered beside the tables.
from deepmt.config.statistics import requested_datasets


def counted(wildcards):
    """Return the counts of the datasets that the requested runs and statistics need."""
    if FROM_RECORDS:
        return []
    needed = [spec.dataset for spec in PLAN.runs.values()] + requested_datasets(PLAN)
    return expand("data/encoded/{dataset}/words.json", dataset=dict.fromkeys(needed))


rule count_words:
    input:
        manifest="data/encoded/{dataset}/manifest.json",
        code=code_of("count_words.py"),
    output:
        "data/encoded/{dataset}/words.json",
    log:
        "logs/count_words/{dataset}.log",
    conda:
        "../envs/data.yaml"
    threads: PLAN.scale.threads
    resources:
        **asks_for_corpus(corpus_of_encoding),
    message:
        "Count the words of {wildcards.dataset}"
    shell:
        "python workflow_scripts/count_words.py --dataset $(dirname {input.manifest:q})"
        " --output {output:q} --threads {threads} 2> {log:q}"


rule corpora:
    input:
        counts=counted,
        code=code_of("corpora.py"),
    output:
        f"{RESULTS}/corpora.csv",
    log:
        f"logs/corpora/{SCALE}.log",
    localrule: True
    conda:
        "../envs/report.yaml"
    resources:
        **SHORT,
    params:
        datasets=[] if FROM_RECORDS else list(DATASETS),
    message:
        "Gather what was built of the corpora"
    shell:
        "python workflow_scripts/corpora.py --datasets {params.datasets:q} --data data"
        " --output {output:q} 2> {log:q}"
