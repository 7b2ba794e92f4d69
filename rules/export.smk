# Trained models as folders that translate by themselves, and for other toolkits that have the method;
# each of these is compared with ours. These rules are all that knows of wings/export.
from wings.export.supported import TOOLKITS, exportable, left_out, unsupported_settings

EXPORTED = [folder_of(run, seed) for run in PLAN.runs for seed in SEEDS]


rule export:
    input:
        [seed.path / "export/standalone" for seed in EXPORTED],
        [
            seed.path / "export" / toolkit
            for seed in EXPORTED
            for toolkit in TOOLKITS
            if not unsupported_settings(PLAN.runs[seed.run], toolkit)
        ],
    log:
        f"logs/export/{SCALE}.log",
    localrule: True
    conda:
        "../envs/data.yaml"
    resources:
        **SHORT,
    params:
        left_out=left_out(PLAN.runs.values()),
    message:
        "Name the models that other toolkits lack"
    shell:
        "printf '%s\\n' {params.left_out:q} 2> {log:q}"


rule standalone:
    input:
        spec=SEED.spec,
        manifest=manifest_of,
        model=SEED.model,
        record=SEED.record,
        code=code_of("wings/export/standalone.py"),
        program=code_of("wings/export/standalone_program.py", *MODULES),
    output:
        directory(SEED.path / "export/standalone"),
    log:
        "logs/export/{scale}/{run}.seed{seed}.standalone.log",
    localrule: True
    conda:
        "../envs/torch.yaml"
    resources:
        **SHORT,
    message:
        "Export {wildcards.run}, seed {wildcards.seed}, to translate by itself"
    shell:
        "python -m wings.export.standalone --seeds $(dirname {input.model:q})"
        " --output {output:q} 2> {log:q}"


# The best one on dev of what is asked for.
rule translator:
    input:
        seeds=[seed.model for seed in EXPORTED],
        records=[seed.record for seed in EXPORTED],
        manifests=[
            f"data/encoded/{spec.dataset}/manifest.json" for spec in PLAN.runs.values()
        ],
        code=rules.standalone.input.code,
        program=rules.standalone.input.program,
    output:
        directory(f"{RESULTS}/translator"),
    log:
        f"logs/export/{SCALE}.translator.log",
    localrule: True
    conda:
        "../envs/torch.yaml"
    resources:
        **SHORT,
    params:
        seeds=[str(seed.path) for seed in EXPORTED],
    message:
        "Export the best model on dev, to translate by itself"
    shell:
        "python -m wings.export.standalone --seeds {params.seeds:q} --output {output:q} 2> {log:q}"


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
