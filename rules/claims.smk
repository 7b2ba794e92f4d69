# From cells, records and tests to whether the papers' claims hold.


rule claims:
    input:
        cells=f"{RESULTS}/cells.csv",
        runs=f"{RESULTS}/runs.json",
        papers=[paper.path for paper in REPORTED.papers],
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
    resources:
        **SHORT,
    params:
        tests=made_before("significance/*.csv"),
    message:
        "Judge the claims of the papers"
    shell:
        "python workflow_scripts/claims.py --papers {input.papers:q}"
        " --results $(dirname {input.runs:q}) --output {output:q}"
        " 2> {log:q}"
