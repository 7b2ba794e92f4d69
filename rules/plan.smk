# The cost of `all` before anything runs: printed, and kept beside the results.
def estimates_to_make(wildcards):
    """Return the estimates of the runs asked for whose counts are not shipped."""
    specs = [*PLAN.runs.values(), *PLAN.reverse.values()]
    return [path for path in map(estimate_of_run, specs) if path]


# It writes nothing that Snakemake knows of, so that it looks anew each time.
rule plan:
    input:
        estimates_to_make,
    log:
        f"logs/plan/{SCALE}.log",
    localrule: True
    conda:
        "../envs/report.yaml"
    resources:
        **SHORT,
    params:
        settings=[f"{key}={json.dumps(value)}" for key, value in config.items()],
    message:
        "Count jobs, hours and bytes"
    shell:
        "python workflow_scripts/plan.py --config {params.settings:q} 2> {log:q}"
