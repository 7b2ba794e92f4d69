# The cost of `all` before anything runs: printed, and kept beside the results.
# It writes nothing that Snakemake knows of, so that it looks anew each time.
rule plan:
    log:
        f"logs/plan/{SCALE}.log",
    localrule: True
    conda:
        "../envs/data.yaml"
    resources:
        **SHORT,
    params:
        settings=[f"{key}={json.dumps(value)}" for key, value in config.items()],
    message:
        "Estimate hours and memory"
    shell:
        "python workflow_scripts/commands/plan.py --config {params.settings:q} 2> {log:q}"
