# From public archives, or the embedded grammar, to token ids on disk.


rule generate:
    input:
        code=code_of("generate.py", without=("config",)),
    output:
        "data/raw/{corpus}/counts.json",
    log:
        "logs/generate/{corpus}.log",
    wildcard_constraints:
        corpus=corpora_from("generator"),
    conda:
        "../envs/data.yaml"
    threads: 1
    resources:
        **asks_for_corpus(corpus_of),
    params:
        definition=corpus_definition,
    message:
        "Write the corpus {wildcards.corpus}"
    shell:
        "python workflow_scripts/generate.py --corpora-file corpora.yaml"
        " --corpus {wildcards.corpus:q} --output {output:q} 2> {log:q}"


rule extract:
    input:
        archives=archives_of,
        code=code_of("extract.py", without=("config",)),
    output:
        "data/raw/{corpus}/counts.json",
    log:
        "logs/extract/{corpus}.log",
    wildcard_constraints:
        corpus=corpora_from("archives"),
    conda:
        "../envs/data.yaml"
    threads: 1
    resources:
        **asks_for_corpus(corpus_of),
    params:
        definition=corpus_definition,
    message:
        "Extract {wildcards.corpus}"
    shell:
        "python workflow_scripts/extract.py --corpora-file corpora.yaml"
        " --corpus {wildcards.corpus:q} --archives {input.archives:q}"
        " --output-dir $(dirname {output:q}) 2> {log:q}"


rule data_settings:
    output:
        "data/encoded/{encoding}/data.json",
    log:
        "logs/data_settings/{encoding}.log",
    localrule: True
    conda:
        "../envs/data.yaml"
    threads: 1
    resources:
        **SHORT,
    params:
        settings=data_settings,
    message:
        "Settings of {wildcards.encoding}"
    shell:
        "printf '%s\\n' {params.settings:q} > {output:q} 2> {log:q}"


rule tokenise:
    input:
        data="data/encoded/{encoding}/data.json",
        raw=raw_of,
        code=code_of("tokenise.py", without=("config",)),
    output:
        "data/encoded/{encoding}/tok/cleaning.json",
    log:
        "logs/tokenise/{encoding}.log",
    benchmark:
        "benchmarks/tokenise/{encoding}.tsv"
    conda:
        "../envs/data.yaml"
    threads: PLAN.scale.threads
    resources:
        **asks_for_corpus(corpus_of_encoding),
    message:
        "Tokenise {wildcards.encoding}"
    shell:
        "python workflow_scripts/tokenise.py --data {input.data:q}"
        " --raw-dir $(dirname {input.raw:q}) --output-dir $(dirname {output:q})"
        " --threads {threads} 2> {log:q}"


rule segment:
    input:
        data="data/encoded/{encoding}/data.json",
        tokens="data/encoded/{encoding}/tok/cleaning.json",
        code=code_of("segment.py", without=("config",)),
    output:
        touch("data/encoded/{encoding}/bpe/done"),
    log:
        "logs/segment/{encoding}.log",
    benchmark:
        "benchmarks/segment/{encoding}.tsv"
    conda:
        "../envs/data.yaml"
    threads: PLAN.scale.threads
    resources:
        **asks_for_corpus(corpus_of_encoding),
    message:
        "Learn and apply subwords of {wildcards.encoding}"
    shell:
        "python workflow_scripts/segment.py --data {input.data:q}"
        " --tok-dir $(dirname {input.tokens:q})"
        " --output-dir $(dirname {input.data:q}) --threads {threads} 2> {log:q}"


rule encode:
    input:
        data="data/encoded/{encoding}/data.json",
        segmented="data/encoded/{encoding}/bpe/done",
        code=code_of("encode.py", without=("config",)),
    output:
        "data/encoded/{encoding}/manifest.json",
    log:
        "logs/encode/{encoding}.log",
    benchmark:
        "benchmarks/encode/{encoding}.tsv"
    conda:
        "../envs/data.yaml"
    threads: PLAN.scale.threads
    resources:
        **asks_for_corpus(corpus_of_encoding),
    message:
        "Encode {wildcards.encoding}"
    shell:
        "python workflow_scripts/encode.py --corpora-file corpora.yaml --data {input.data:q}"
        " --folder $(dirname {output:q}) --threads {threads} 2> {log:q}"
