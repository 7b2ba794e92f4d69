# Trained models for other toolkits, where they know the method; each is compared before it counts.
include: "export_inputs.smk"


localrules:
    export,


rule export_ctranslate2:
    input:
        spec="results/{scale}/runs/{run}/spec.json",
        manifest=manifest_of,
        model=weights_for("ctranslate2"),
        code=library(
            "model/build.py",
            "model/*.py",
            "init/fold.py",
            "decode/*.py",
            "export/*.py",
            script="export.py",
        ),
    output:
        model="results/{scale}/runs/{run}/seed{seed}/export/ctranslate2/model.bin",
        agreement="results/{scale}/runs/{run}/seed{seed}/export/ctranslate2/agreement.json",
    log:
        "logs/export/{scale}/{run}.seed{seed}.ctranslate2.log",
    conda:
        "../envs/export.yaml"
    threads: PLAN.scale.threads
    resources:
        **asks(run_of, computing(cost.decoding, "export_ctranslate2")),
    params:
        to="ctranslate2",
        set=first_decoded_set,
    message:
        "Export {wildcards.run}, seed {wildcards.seed}, to CTranslate2"
    shell:
        "python workflow_scripts/export.py --spec {input.spec:q}"
        " --encoding $(dirname {input.manifest:q}) --model {input.model:q} --to {params.to:q}"
        " --set {params.set:q} --output $(dirname {output.model:q}) --threads {threads}"
        " 2> {log:q} || {{ cat {log:q} >&2; exit 1; }}"


use rule export_ctranslate2 as export_huggingface with:
    input:
        spec="results/{scale}/runs/{run}/spec.json",
        manifest=manifest_of,
        model=weights_for("huggingface"),
        code=library(
            "model/build.py",
            "model/*.py",
            "init/fold.py",
            "decode/*.py",
            "export/*.py",
            script="export.py",
        ),
    output:
        model="results/{scale}/runs/{run}/seed{seed}/export/huggingface/model.safetensors",
        agreement="results/{scale}/runs/{run}/seed{seed}/export/huggingface/agreement.json",
    log:
        "logs/export/{scale}/{run}.seed{seed}.huggingface.log",
    params:
        to="huggingface",
        set=first_decoded_set,
    message:
        "Export {wildcards.run}, seed {wildcards.seed}, to HuggingFace"


rule export:
    input:
        exports,
