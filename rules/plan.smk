# What `all` would cost, before anything runs: printed, and kept beside the results.


# It writes nothing that Snakemake knows of, so that it looks anew each time.
rule plan:
    log:
        f"logs/plan/{SCALE}.log",
    localrule: True
    conda:
        "../envs/report.yaml"
    threads: 1
    resources:
        **SHORT,
    params:
        settings=[f"{key}={json.dumps(value)}" for key, value in config.items()],
        results=RESULTS,
    message:
        "Count jobs, bytes and hours"
    shell:
        "python workflow_scripts/plan.py --config {params.settings:q} --output {params.results:q}"
        " 2> {log:q}"
