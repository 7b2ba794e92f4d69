# From the translations of a table's systems to how they differ.
from deepmt.config.papers import rows_of_figure

TABLES = {table.id: table for paper in REPORTED.papers for table in paper.tables}
FIGURES = {
    figure.id: (paper, figure)
    for paper in REPORTED.reported
    for figure in paper.figures
}
# Tables that print which systems differ, and figures that compare-mt made.
TESTED = [
    table.id
    for table in TABLES.values()
    if any(row.significance or row.beats for row in table.rows)
]
BROKEN_DOWN = [
    key
    for key, (_, figure) in FIGURES.items()
    if figure.draw is not None and figure.draw.kind == "breakdown"
]


def runs_of_rows(rows):
    """Return the runs of rows that have one at this scale."""
    return {PLAN.specs[row.id].run for row in rows if row.id in PLAN.specs}


rule significance:
    input:
        records=records,
        recorded=recorded(),
        code=code_of("significance.py"),
    output:
        f"{RESULTS}/significance/{{table}}.csv",
    log:
        f"logs/significance/{SCALE}.{{table}}.log",
    wildcard_constraints:
        table="|".join(map(re.escape, TABLES)),
    conda:
        "../envs/data.yaml"
    resources:
        **SHORT,
    params:
        scale=SCALE,
    message:
        "Test which systems of {wildcards.table} differ"
    shell:
        "python workflow_scripts/significance.py --table {wildcards.table:q}"
        " --scale {params.scale:q} --results $(dirname $(dirname {output:q})) --output {output:q} 2> {log:q}"


rule breakdown:
    input:
        records=records,
        recorded=recorded(),
        code=code_of("breakdown.py"),
    output:
        f"{RESULTS}/breakdowns/{{figure}}.csv",
    log:
        f"logs/breakdown/{SCALE}.{{figure}}.log",
    wildcard_constraints:
        figure="|".join(map(re.escape, FIGURES)),
    conda:
        "../envs/data.yaml"
    resources:
        **SHORT,
    params:
        scale=SCALE,
    message:
        "Break the scores of {wildcards.figure} down by word frequency and length"
    shell:
        "python workflow_scripts/breakdown.py --figure {wildcards.figure:q}"
        " --scale {params.scale:q} --results $(dirname $(dirname {output:q})) --output {output:q}"
        " 2> {log:q}"


def comparisons_of(wildcards):
    """Return tests and breakdowns of the tables and figures with several requested systems."""
    requested = {
        **{
            f"{RESULTS}/significance/{table}.csv": TABLES[table].rows
            for table in TESTED
        },
        **{
            f"{RESULTS}/breakdowns/{figure}.csv": rows_of_figure(*FIGURES[figure])
            for figure in BROKEN_DOWN
        },
    }
    found = [
        path
        for path, rows in requested.items()
        if len({PLAN.specs[row.id].run for row in rows if row.id in PLAN.selected}) > 1
    ]
    if not found:
        raise WorkflowError(
            "nothing to compare: request several rows of a table or figure that compares"
            " systems"
            f" ({', '.join(TESTED + BROKEN_DOWN) or 'none in the papers'})"
        )
    return found


rule comparisons:
    input:
        comparisons_of,
    localrule: True
