# From records to the comparison tables and the report.
COUNTED = any(paper.vocabulary for paper in PLAN.papers) and not FROM_RECORDS
SIZES = [f"{RESULTS}/params.csv"] if COUNTED else []
# The report shows the boards of these scales beside its own.
RECORDED_SCALES = sorted(
    {scale_of(path) for path in Path("records").glob("*.jsonl")} - {SCALE}
)


rule cells:
    input:
        records=records,
        recorded=recorded(),
        sizes=SIZES,
        corpora=f"{RESULTS}/corpora.csv",
        papers=[paper.path for paper in REPORTED.papers],
        settings=settings_of(SCALE),
        code=code_of("cells.py"),
    output:
        cells=report(
            f"{RESULTS}/cells.csv",
            caption="../report/cells.rst",
            category="Data",
            labels={"file": "cells.csv", "holds": "every printed number"},
        ),
        curves=f"{RESULTS}/curves.csv",
        runs=f"{RESULTS}/runs.json",
    log:
        f"logs/cells/{SCALE}.log",
    localrule: True
    conda:
        "../envs/report.yaml"
    resources:
        **SHORT,
    params:
        scale=SCALE,
        papers=[paper.key for paper in REPORTED.papers],
        rows=PLAN.config.rows,
        others=made_before("runs/*/seed*/record.json", "probes/table1.csv", "speed.csv"),
    message:
        "Compare records with the papers, cell by cell"
    shell:
        "python workflow_scripts/cells.py --scale {params.scale:q} --papers {params.papers:q}"
        " --rows {params.rows:q} --results $(dirname {output.cells:q}) --output {output.cells:q}"
        " 2> >(tee -i {log:q} >&2)"


rule recorded_cells:
    input:
        recorded=recorded(),
        paper="papers/unified.yaml",
        settings=lambda wildcards: settings_of(wildcards.archived),
        code=code_of("cells.py"),
    output:
        cells="results/recorded/{archived}/cells.csv",
        curves="results/recorded/{archived}/curves.csv",
        runs="results/recorded/{archived}/runs.json",
    log:
        "logs/recorded_cells/{archived}.log",
    localrule: True
    conda:
        "../envs/report.yaml"
    resources:
        **SHORT,
    message:
        "Read the recorded runs of {wildcards.archived}"
    shell:
        "python workflow_scripts/cells.py --scale {wildcards.archived:q} --papers unified"
        " --rows all --results $(dirname {output.cells:q}) --output {output.cells:q} 2> {log:q}"


rule paper_tables:
    input:
        cells=f"{RESULTS}/cells.csv",
        runs=f"{RESULTS}/runs.json",
        paper="papers/{paper}.yaml",
        code=code_of("tables.py"),
    output:
        md=f"{RESULTS}/tables/{{paper}}.md",
        html=report(
            f"{RESULTS}/tables/{{paper}}.html",
            caption="../report/table.rst",
            category="Tables",
            labels={"paper": "{paper}"},
        ),
        tex=f"{RESULTS}/tables/{{paper}}.tex",
    log:
        f"logs/paper_tables/{SCALE}.{{paper}}.log",
    localrule: True
    conda:
        "../envs/report.yaml"
    resources:
        **SHORT,
    params:
        tests=made_before("significance/*.csv"),
    message:
        "Render the tables of {wildcards.paper}"
    shell:
        "python workflow_scripts/tables.py --paper {input.paper:q}"
        " --results $(dirname {input.runs:q}) --output $(dirname {output.md:q})"
        " 2> {log:q}"


rule tables:
    input:
        f"{RESULTS}/cells.csv",
        f"{RESULTS}/corpora.csv",
        expand(
            "{folder}/tables/{paper}.{format}",
            folder=RESULTS,
            paper=[paper.key for paper in REPORTED.papers],
            format=["md", "html", "tex"],
        ),


rule report_page:
    input:
        cells=f"{RESULTS}/cells.csv",
        curves=f"{RESULTS}/curves.csv",
        runs=f"{RESULTS}/runs.json",
        boards=expand(
            "results/recorded/{scale}/{file}",
            scale=RECORDED_SCALES,
            file=["cells.csv", "curves.csv", "runs.json"],
        ),
        methods="papers/unified.yaml",
        claims=f"{RESULTS}/claims.csv",
        figures=FIGURE_FILES,
        papers=[paper.path for paper in REPORTED.papers],
        corpora=f"{RESULTS}/corpora.csv",
        code=code_of("report.py"),
    output:
        report(
            f"{RESULTS}/report.html",
            caption="../report/page.rst",
            category="Report",
            labels={"page": "all papers"},
        ),
    log:
        f"logs/report_page/{SCALE}.log",
    localrule: True
    conda:
        "../envs/report.yaml"
    resources:
        **SHORT,
    params:
        tests=made_before("significance/*.csv"),
        recorded=expand("results/recorded/{scale}", scale=RECORDED_SCALES),
    message:
        "Render the report"
    shell:
        "python workflow_scripts/report.py --papers {input.papers:q}"
        " --results $(dirname {input.runs:q}) --recorded {params.recorded:q}"
        " --methods {input.methods:q} --output {output:q} 2> {log:q}"


rule report:
    input:
        f"{RESULTS}/report.html",
        rules.tables.input,
