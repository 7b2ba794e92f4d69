# From monolingual text to a corpus with synthetic pairs: a run of the other direction translates
# it, shard by shard. Also corpora that are others the other way round.
include: "back_translation_inputs.smk"


wildcard_constraints:
    text="|".join(map(re.escape, TEXTS)) or "none",
    shard=r"\d+",


rule reverse_corpus:
    input:
        bitext_of,
    output:
        "data/raw/{corpus}/counts.json",
    log:
        "logs/reverse_corpus/{corpus}.log",
    wildcard_constraints:
        corpus=corpora_from("reversal"),
    localrule: True
    conda:
        "../envs/data.yaml"
    threads: 1
    resources:
        **SHORT,
    params:
        definition=corpus_definition,
    message:
        "Turn a corpus round: {wildcards.corpus}"
    shell:
        "(ln -f $(dirname {input:q})/*.?? $(dirname {output:q}) && cp {input:q} {output:q}) 2> {log:q}"


rule monolingual:
    input:
        sources=sources_of,
        code=code_of("monolingual.py", without=["config"]),
    output:
        "data/monolingual/{text}/counts.json",
    log:
        "logs/monolingual/{text}.log",
    conda:
        "../envs/data.yaml"
    threads: 1
    resources:
        **asks(corpus_of_text, of_text),
    params:
        definition=text_definition,
    message:
        "Gather the text {wildcards.text}"
    shell:
        "python workflow_scripts/monolingual.py --corpora-file corpora.yaml"
        " --text {wildcards.text:q} --sources {input.sources:q} --output {output:q} 2> {log:q}"
        " || {{ cat {log:q} >&2; exit 1; }}"


rule encode_shard:
    input:
        text=text_of,
        manifest=reverse_encoding_of,
        code=code_of("encode_shard.py", without=["config"]),
    output:
        "data/back_translation/{corpus}/shard{shard}/encoded.json",
    log:
        "logs/encode_shard/{corpus}.{shard}.log",
    conda:
        "../envs/data.yaml"
    threads: 1
    resources:
        **SHORT,
    params:
        text=text_file_of,
        shards=shards_of,
    message:
        "Encode shard {wildcards.shard} of the text for {wildcards.corpus}"
    shell:
        "python workflow_scripts/encode_shard.py --encoding $(dirname {input.manifest:q})"
        " --text {params.text:q} --shard {wildcards.shard} --shards {params.shards:q}"
        " --output {output:q} 2> {log:q} || {{ cat {log:q} >&2; exit 1; }}"


# One thread a shard, whatever the machine has: sums, and so draws, depend on the number of threads.
rule back_translate:
    input:
        unpack(reverse_run_of),
        manifest=reverse_encoding_of,
        encoded="data/back_translation/{corpus}/shard{shard}/encoded.json",
        code=code_of("back_translate.py", without=["config"]),
    output:
        text="data/back_translation/{corpus}/shard{shard}/translation.txt",
        lengths="data/back_translation/{corpus}/shard{shard}/lengths.npy",
        report="data/back_translation/{corpus}/shard{shard}/report.json",
    log:
        "logs/back_translate/{corpus}.{shard}.log",
    benchmark:
        "benchmarks/back_translate/{corpus}.{shard}.tsv"
    conda:
        "../envs/torch.yaml"
    threads: 1
    resources:
        **asks(corpus_of, of_shard),
        gpu=gpus_of("back_translate"),
    params:
        shards=shards_of,
        choice=choice_of,
    message:
        "Translate shard {wildcards.shard} of the text for {wildcards.corpus}"
    shell:
        "exec python workflow_scripts/back_translate.py --spec {input.spec:q} --outcome {input.outcome:q}"
        " --model {input.model:q} --encoding $(dirname {input.manifest:q})"
        " --folder $(dirname {input.encoded:q}) --shard {wildcards.shard} --shards {params.shards:q}"
        " {params.choice:q} --threads {threads} --gpus {resources.gpu} --output {output.text:q}"
        " --lengths {output.lengths:q} --report {output.report:q} 2> >(tee -i {log:q} >&2)"


rule join_synthetic:
    input:
        bitext=bitext_of,
        text=text_of,
        reports=reports_of,
        code=code_of("join_synthetic.py", without=["config"]),
    output:
        "data/raw/{corpus}/counts.json",
    log:
        "logs/join_synthetic/{corpus}.log",
    wildcard_constraints:
        corpus=corpora_from("back_translation"),
    conda:
        "../envs/data.yaml"
    threads: 1
    resources:
        **asks(corpus_of, of_text),
    params:
        definition=corpus_definition,
        text=text_file_of,
    message:
        "Join bitext and synthetic pairs: {wildcards.corpus}"
    shell:
        "python workflow_scripts/join_synthetic.py --corpora-file corpora.yaml"
        " --corpus {wildcards.corpus:q} --bitext $(dirname {input.bitext:q})"
        " --text {params.text:q} --reports {input.reports:q} --output {output:q} 2> {log:q}"
        " || {{ cat {log:q} >&2; exit 1; }}"
