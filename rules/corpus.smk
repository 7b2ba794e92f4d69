# From archives to token ids on disk.


rule extract:
    input:
        archives=archives_of,
        code=code_of("jobs/extract.py"),
    output:
        "data/raw/{corpus}/counts.json",
    log:
        "logs/extract/{corpus}.log",
    wildcard_constraints:
        corpus=corpora_from("archives"),
    conda:
        "../envs/data.yaml"
    resources:
        **asks_for_corpus(corpus_of),
    params:
        definition=corpus_definition,
    message:
        "Extract {wildcards.corpus}"
    shell:
        "python workflow_scripts/jobs/extract.py --corpora-file corpora.yaml"
        " --corpus {wildcards.corpus:q} --archives {input.archives:q}"
        " --output-dir $(dirname {output:q}) 2> {log:q}"


rule encode:
    input:
        raw=raw_of,
        code=code_of("jobs/encode.py"),
    output:
        data="data/encoded/{dataset}/data.json",
        manifest="data/encoded/{dataset}/manifest.json",
        words="data/encoded/{dataset}/words.json",
    log:
        "logs/encode/{dataset}.log",
    conda:
        "../envs/data.yaml"
    threads: PLAN.scale.threads
    resources:
        **asks_for_corpus(corpus_of_encoding),
    params:
        settings=data_settings,
    message:
        "Tokenise {wildcards.dataset}, learn its subwords and encode it"
    shell:
        "(printf '%s\\n' {params.settings:q} > {output.data:q}"
        " && python workflow_scripts/jobs/encode.py --corpora-file corpora.yaml --data {output.data:q}"
        " --raw-dir $(dirname {input.raw:q}) --threads {threads}) 2> {log:q}"
