# Trained models for other toolkits that have the method; each is compared with ours. These rules
# are all that knows of wings/export.
from wings.export.supported import TOOLKITS, exportable, unsupported_settings


rule export:
    input:
        lambda wildcards: [
            folder_of(run, seed).path / "export" / toolkit
            for run, spec in PLAN.runs.items()
            for seed in SEEDS
            for toolkit in TOOLKITS
            if not unsupported_settings(spec, toolkit)
        ],
    localrule: True


rule export_model:
    input:
        # What a toolkit lacks is refused before anything is trained for it.
        spec=lambda wildcards: folder_of(
            exportable(spec_of(wildcards), wildcards.toolkit).run, wildcards.seed
        ).spec,
        manifest=manifest_of,
        model=SEED.model,
        # The two are compared on the first split.
        scores=lambda wildcards: scores_of(wildcards)[0],
        # It imports the module of its toolkit by name.
        code=code_of(
            "wings/export/__main__.py", *(f"wings.export.{name}" for name in TOOLKITS)
        ),
    output:
        directory(SEED.path / "export/{toolkit}"),
    log:
        "logs/export/{scale}/{run}.seed{seed}.{toolkit}.log",
    wildcard_constraints:
        toolkit="|".join(TOOLKITS),
    conda:
        "../envs/torch.yaml"
    threads: PLAN.scale.threads
    resources:
        **asks_for_run(requested.decoding, "export_model"),
    params:
        title=lambda wildcards: CORPORA[spec_of(wildcards).data.corpus].title,
        licence=lambda wildcards: CORPORA[spec_of(wildcards).data.corpus].licence,
    message:
        "Export {wildcards.run}, seed {wildcards.seed}, to {wildcards.toolkit}"
    shell:
        "python -m wings.export --spec {input.spec:q}"
        " --dataset $(dirname {input.manifest:q}) --model {input.model:q} --to {wildcards.toolkit}"
        " --scores {input.scores:q} --title {params.title:q} --licence {params.licence:q}"
        " --output {output:q} --threads {threads}"
        " 2> {log:q}"


rule crate:
    input:
        rendered=rules.render.output,
        code=code_of("wings/export/crate.py"),
    output:
        f"{RESULTS}/crate.zip",
    log:
        f"logs/crate/{SCALE}.log",
    localrule: True
    conda:
        "../envs/data.yaml"
    resources:
        **SHORT,
    params:
        settings=[f"{key}={json.dumps(value)}" for key, value in config.items()],
    message:
        "Bundle {output}"
    shell:
        "python -m wings.export.crate --config {params.settings:q} --output {output:q} 2> {log:q}"
