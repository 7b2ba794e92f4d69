# From records, training curves and measurements to the figures of the papers.
from deepmt.config.papers import rows_of_figure

DRAWN = {key: figure for key, (_, figure) in FIGURES.items() if figure.draw is not None}
FIGURE_FILES = [f"{RESULTS}/figures/{key}.json" for key in DRAWN]
"""Summaries of all figures; picture and points are beside each."""


def paper_of_figure(wildcards):
    """Return the paper that a figure belongs to."""
    paper, _ = FIGURES[wildcards.figure]
    return paper.path


def breakdown_of_figure(wildcards):
    """Return scores by bucket if translations of its systems are requested."""
    rows = rows_of_figure(*FIGURES[wildcards.figure])
    runs = {PLAN.specs[row.id].run for row in rows if row.id in PLAN.specs}
    translated = not FROM_RECORDS and not runs.isdisjoint(PLAN.runs)
    wanted = wildcards.figure in BROKEN_DOWN and translated
    return [f"{RESULTS}/breakdowns/{wildcards.figure}.csv"] if wanted else []


rule figure:
    input:
        runs=f"{RESULTS}/runs.json",
        curves=f"{RESULTS}/curves.csv",
        breakdown=breakdown_of_figure,
        paper=paper_of_figure,
        code=code_of("figures.py"),
    output:
        svg=report(
            f"{RESULTS}/figures/{{figure}}.svg",
            caption="../report/figure.rst",
            category="Figures",
            labels={"figure": "{figure}"},
        ),
        points=f"{RESULTS}/figures/{{figure}}.csv",
        finding=f"{RESULTS}/figures/{{figure}}.json",
    log:
        f"logs/figure/{SCALE}.{{figure}}.log",
    wildcard_constraints:
        figure="|".join(map(re.escape, DRAWN)) or "none",
    localrule: True
    conda:
        "../envs/report.yaml"
    resources:
        **SHORT,
    params:
        others=made_before("probes/*.csv", "speed.csv"),
        rates=PLAN.scale.chosen,
    message:
        "Draw {wildcards.figure}"
    shell:
        "python workflow_scripts/figures.py --figure {wildcards.figure:q}"
        " --results $(dirname {input.runs:q}) --output $(dirname {output.svg:q}) 2> {log:q}"


rule figures:
    input:
        FIGURE_FILES,
