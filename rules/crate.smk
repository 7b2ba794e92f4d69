# Everything that was rendered, and all that it came from, in one archive with RO-Crate metadata.


rule crate:
    input:
        records=records,
        recorded=recorded(),
        tables=rules.tables.input,
        figures=rules.figures.input,
        claims=rules.claims.output,
        report=rules.report.input,
        code=code_of("crate.py"),
    output:
        f"{RESULTS}/crate.zip",
    log:
        f"logs/crate/{SCALE}.log",
    conda:
        "../envs/report.yaml"
    resources:
        **SHORT,
    params:
        settings=[f"{key}={json.dumps(value)}" for key, value in config.items()],
    message:
        "Bundle {RESULTS}"
    shell:
        "python workflow_scripts/crate.py --config {params.settings:q} --output {output:q} 2> {log:q}"
