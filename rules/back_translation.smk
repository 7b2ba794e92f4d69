# From monolingual text to a corpus with synthetic pairs: a run of the other direction translates
# it, shard by shard. Also reversed corpora.


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
    resources:
        **SHORT,
    params:
        definition=corpus_definition,
    message:
        "Reverse the corpus {wildcards.corpus}"
    shell:
        "cp -r $(dirname {input:q})/. $(dirname {output:q}) 2> {log:q}"


rule monolingual:
    input:
        sources=sources_of,
        code=code_of("jobs/monolingual.py"),
    output:
        "data/monolingual/{text}/counts.json",
    log:
        "logs/monolingual/{text}.log",
    conda:
        "../envs/data.yaml"
    resources:
        **asks_for_corpus(corpus_of_text),
    params:
        definition=text_definition,
    message:
        "Gather the text {wildcards.text}"
    shell:
        "python workflow_scripts/jobs/monolingual.py --corpora-file corpora.yaml"
        " --text {wildcards.text:q} --sources {input.sources:q} --output {output:q} 2> {log:q}"


# One thread a shard, whatever the machine has: sums, and so draws, depend on the number of threads.
rule back_translate:
    input:
        unpack(reverse_run_of),
        text=text_of,
        code=code_of("jobs/back_translate.py"),
    output:
        text="data/back_translation/{corpus}/shard{shard}/translation.txt",
        lengths="data/back_translation/{corpus}/shard{shard}/lengths.npy",
        report="data/back_translation/{corpus}/shard{shard}/report.json",
    log:
        "logs/back_translate/{corpus}.{shard}.log",
    conda:
        "../envs/torch.yaml"
    threads: 1
    resources:
        **asks(shard),
        gpu=gpus_of("back_translate"),
    params:
        text=text_file_of,
        draws=lambda wildcards: [synthetic_of(wildcards).shards, SYNTHETIC_SEED],
    message:
        "Translate shard {wildcards.shard} of the text for {wildcards.corpus}"
    shell:
        "exec python workflow_scripts/jobs/back_translate.py --spec {input.spec:q} --outcome {input.outcome:q}"
        " --model {input.model:q} --dataset $(dirname {input.manifest:q})"
        " --text {params.text:q} --shard {wildcards.shard} --shards {params.draws[0]:q}"
        " --seed {params.draws[1]:q} --threads {threads} --gpus {resources.gpu} --output {output.text:q}"
        " --lengths {output.lengths:q} --report {output.report:q} 2> >(tee -i {log:q} >&2)"


rule join_synthetic:
    input:
        bitext=bitext_of,
        text=text_of,
        reports=reports_of,
        code=code_of("jobs/join_synthetic.py"),
    output:
        "data/raw/{corpus}/counts.json",
    log:
        "logs/join_synthetic/{corpus}.log",
    wildcard_constraints:
        corpus=corpora_from("back_translation"),
    conda:
        "../envs/data.yaml"
    resources:
        **asks_for_corpus(corpus_of),
    params:
        definition=corpus_definition,
        text=text_file_of,
    message:
        "Join bitext and synthetic pairs: {wildcards.corpus}"
    shell:
        "python workflow_scripts/jobs/join_synthetic.py --corpora-file corpora.yaml"
        " --corpus {wildcards.corpus:q} --bitext $(dirname {input.bitext:q})"
        " --text {params.text:q} --reports {input.reports:q} --output {output:q} 2> {log:q}"
