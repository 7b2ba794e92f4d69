# What was built of the corpora: counted once, and gathered beside the tables.
from deepmt.config.statistics import encodings_asked_for


def counted(wildcards):
    """Counts of encodings that runs and statistics need which were asked for."""
    if FROM_RECORDS:
        return []
    needed = [spec.encoding for spec in PLAN.runs.values()] + encodings_asked_for(PLAN)
    return expand("data/encoded/{encoding}/words.json", encoding=dict.fromkeys(needed))


rule count_words:
    input:
        manifest="data/encoded/{encoding}/manifest.json",
        code=code_of("count_words.py"),
    output:
        "data/encoded/{encoding}/words.json",
    log:
        "logs/count_words/{encoding}.log",
    conda:
        "../envs/data.yaml"
    threads: PLAN.scale.threads
    resources:
        **asks_for_corpus(corpus_of_encoding),
    message:
        "Count the words of {wildcards.encoding}"
    shell:
        "python workflow_scripts/count_words.py --encoding $(dirname {input.manifest:q})"
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
    threads: 1
    resources:
        **SHORT,
    params:
        encodings=[] if FROM_RECORDS else list(ENCODINGS),
    message:
        "Gather what was built of the corpora"
    shell:
        "python workflow_scripts/corpora.py --encodings {params.encodings:q} --data data"
        " --output {output:q} 2> {log:q}"
