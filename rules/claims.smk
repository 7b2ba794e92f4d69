# From cells, records, tests and figures to whether the papers' claims hold.
include: "claims_inputs.smk"


rule claims:
    input:
        cells=f"{RESULTS}/cells.csv",
        figures=FIGURE_FILES,
        tests=tests_over_sentences,
        records=records,
        recorded=recorded(),
        papers=[paper.path for paper in PLAN.papers],
        settings=SETTINGS,
        code=code_of("claims.py"),
    output:
        report(
            f"{RESULTS}/claims.csv",
            caption="../report/claims.rst",
            category="Data",
            labels={"file": "claims.csv", "holds": "every claim, judged"},
        ),
    log:
        f"logs/claims/{SCALE}.log",
    localrule: True
    conda:
        "../envs/report.yaml"
    threads: 1
    resources:
        **SHORT,
    params:
        scale=SCALE,
        papers=[paper.key for paper in PLAN.papers],
        rows=PLAN.config.rows,
    message:
        "Judge the claims of the papers"
    shell:
        "python workflow_scripts/claims.py --scale {params.scale:q} --papers {params.papers:q}"
        " --rows {params.rows:q} --cells {input.cells:q} --results $(dirname {output:q})"
        " --figures {input.figures:q} --output {output:q} 2> {log:q}"
        " || {{ cat {log:q} >&2; exit 1; }}"
