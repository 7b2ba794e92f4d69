# What was built of the corpora: counted once, and gathered beside the tables.
from deepmt.report.statistics import encodings_asked_for


def counted(wildcards):
    """Counts of encodings that are there, or that runs still to be recorded and tables need."""
    waiting = [
        spec.encoding
        for run, spec in PLAN.runs.items()
        for s in SEEDS
        if not Path(f"{RESULTS}/runs/{run}/seed{s}/record.json").exists()
    ]
    there = [
        encoding
        for encoding in ENCODINGS
        if Path(f"data/encoded/{encoding}/manifest.json").exists()
    ]
    return expand(
        "data/encoded/{encoding}/words.json",
        encoding=dict.fromkeys(there + waiting + encodings_asked_for(PLAN)),
    )


rule count_words:
    input:
        manifest="data/encoded/{encoding}/manifest.json",
        code=library("data/word_counts.py", "data/words.py", "data/shards.py"),
    output:
        "data/encoded/{encoding}/words.json",
    log:
        "logs/count_words/{encoding}.log",
    conda:
        "../envs/data.yaml"
    threads: PLAN.scale.threads
    message:
        "Count the words of {wildcards.encoding}"
    shell:
        "python workflow_scripts/count_words.py --encoding $(dirname {input.manifest:q})"
        " --output {output:q} --threads {threads} 2> {log:q} || {{ cat {log:q} >&2; exit 1; }}"


rule corpora:
    input:
        counts=counted,
        code=library("report/encoded_sets.py"),
    output:
        f"{RESULTS}/corpora.csv",
    log:
        f"logs/corpora/{SCALE}.log",
    conda:
        "../envs/report.yaml"
    message:
        "Gather what was built of the corpora"
    shell:
        "python workflow_scripts/corpora.py --counts {input.counts:q} --raw data/raw"
        " --output {output:q} 2> {log:q} || {{ cat {log:q} >&2; exit 1; }}"
