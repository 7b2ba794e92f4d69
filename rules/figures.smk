# From records, courses, probes and speeds to the figures of the papers.
include: "figures_inputs.smk"


rule figure:
    input:
        records=records_of_figure,
        courses=courses_of_figure,
        measured=measured_for_figure,
        recorded=recorded(),
        papers=[paper.path for paper in PLAN.papers],
        settings=SETTINGS,
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
    threads: 1
    resources:
        **SHORT,
    params:
        scale=SCALE,
    message:
        "Draw {wildcards.figure}"
    shell:
        "python workflow_scripts/figures.py --figure {wildcards.figure:q} --scale {params.scale:q}"
        " --results $(dirname $(dirname {output.svg:q})) --output $(dirname {output.svg:q}) 2> {log:q}"
        " || {{ cat {log:q} >&2; exit 1; }}"


rule figures:
    input:
        FIGURE_FILES,
