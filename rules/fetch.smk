# The only stage that needs the network: public archives, or those of a mirror folder.

# Archives are fetched where Snakemake itself runs: the jobs of a cluster need not see their folder.
if (
    PLAN.config.mirror
    and workflow.is_main_process
    and not Path(PLAN.config.mirror).is_dir()
):
    raise WorkflowError(
        f"Configuration errors:\nmirror: no such folder: {PLAN.config.mirror}"
    )


rule fetch:
    input:
        archives_asked_for(),
    localrule: True


rule fetch_archive:
    output:
        "data/archives/{archive}",
    log:
        "logs/fetch/{archive}.log",
    wildcard_constraints:
        archive="|".join(map(re.escape, PLAN.corpora.archives)),
    localrule: True
    conda:
        "../envs/data.yaml"
    resources:
        **SHORT,
        network=1,
    params:
        checksum=archive_sum,
    message:
        "Fetch {wildcards.archive}"
    shell:
        "python workflow_scripts/jobs/fetch.py --corpora-file corpora.yaml"
        " --archive {wildcards.archive:q} --output {output:q}"
        ' --mirror "${{DEEPMT_MIRROR:-}}" 2> {log:q}'
