# From the translations of a table's systems to how they differ.
rule significance:
    input:
        records=records,
        recorded=recorded(),
        code=code_of("jobs/significance.py"),
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
        "python workflow_scripts/jobs/significance.py --table {wildcards.table:q}"
        " --scale {params.scale:q} --results $(dirname $(dirname {output:q})) --output {output:q} 2> {log:q}"


rule breakdown:
    input:
        records=records,
        recorded=recorded(),
        code=code_of("jobs/breakdown.py"),
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
        "python workflow_scripts/jobs/breakdown.py --figure {wildcards.figure:q}"
        " --scale {params.scale:q} --results $(dirname $(dirname {output:q})) --output {output:q}"
        " 2> {log:q}"


rule comparisons:
    input:
        comparisons_of,
    localrule: True
