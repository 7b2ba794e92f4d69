# What was built of the corpora: counted once, and gathered beside the tables.
include: "statistics_inputs.smk"


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
        **asks(corpus_of_encoding, of_text),
    message:
        "Count the words of {wildcards.encoding}"
    shell:
        "python workflow_scripts/count_words.py --encoding $(dirname {input.manifest:q})"
        " --output {output:q} --threads {threads} 2> {log:q} || {{ cat {log:q} >&2; exit 1; }}"


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
    message:
        "Gather what was built of the corpora"
    shell:
        "python workflow_scripts/corpora.py --counts {input.counts:q} --raw data/raw"
        " --output {output:q} 2> {log:q} || {{ cat {log:q} >&2; exit 1; }}"
