# From records and measurements to cells, tables, figures, claims and the report, in one job.
COUNTED = any(paper.vocabulary for paper in PLAN.papers)
HEADLINE = f"{RESULTS}/headline.txt"
DRAWN = [
    figure.id
    for paper in REPORTED.reported
    for figure in paper.figures
    if figure.draw is not None
]
# The page of any scale has the board of this one.
BOARDS = [paper.board.scale for paper in REPORTED.papers if paper.board]


rule render:
    input:
        records=records,
        recorded=recorded(),
        sizes=[f"{RESULTS}/params.csv"] if COUNTED else [],
        counts=counted,
        papers=expand("papers/{key}.yaml", key=KEYS),
        settings=settings_of(SCALE, *BOARDS),
        code=code_of("jobs/render.py", *filter(None, [PLAN.scale.begins_with])),
    output:
        cells=f"{RESULTS}/cells.csv",
        claims=f"{RESULTS}/claims.csv",
        corpora=f"{RESULTS}/corpora.csv",
        # `report` puts a file into Snakemake's own report as well: --report page.html or page.zip.
        page=report(
            f"{RESULTS}/report.html",
            category="Report",
            labels={"page": "ranking, tables, figures and claims"},
        ),
        tables=[
            report(
                f"{RESULTS}/tables/{paper}.{kind}",
                category="Tables",
                labels={"paper": paper, "format": kind},
            )
            for paper in KEYS
            for kind in ("md", "tex")
        ],
        headline=HEADLINE,
        points=expand(f"{RESULTS}/figures/{{figure}}.csv", figure=DRAWN),
    log:
        f"logs/render/{SCALE}.log",
    localrule: True
    conda:
        "../envs/data.yaml"
    resources:
        **SHORT,
    params:
        scale=SCALE,
        papers=KEYS,
        rows=PLAN.config.rows,
        rates=PLAN.scale.chosen,
        datasets=list(DATASETS),
        others=made_before(
            "runs/*/seed*/record.json",
            "probes/*.csv",
            "speed.csv",
        ),
    message:
        "Render the results of {params.scale}"
    shell:
        "python workflow_scripts/jobs/render.py --scale {params.scale:q} --papers {params.papers:q}"
        " --rows {params.rows:q} --results $(dirname {output.page:q})"
        " --datasets {params.datasets:q} 2> >(tee -i {log:q} >&2)"


rule tables:
    input:
        rules.render.output.cells,
        rules.render.output.tables,
        rules.render.output.corpora,
    localrule: True


rule report:
    input:
        rules.render.output.page,
        rules.tables.input,
    localrule: True
    message:
        "Show the report {input[0]}"
