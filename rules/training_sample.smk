# A sample of the training set, translated and scored like a test set where a table asks for it.


rule training_sample:
    input:
        manifest="data/encoded/{dataset}/manifest.json",
        raw=raw_of,
        code=code_of("training_sample.py", without=("config",)),
    output:
        "data/encoded/{dataset}/sample/sample.json",
    log:
        "logs/training_sample/{dataset}.log",
    conda:
        "../envs/data.yaml"
    resources:
        **asks_for_corpus(corpus_of_encoding),
    message:
        "Draw and encode training pairs of {wildcards.dataset}"
    shell:
        "python workflow_scripts/training_sample.py --dataset $(dirname {input.manifest:q})"
        " --raw-dir $(dirname {input.raw:q}) --output {output:q} 2> {log:q}"
