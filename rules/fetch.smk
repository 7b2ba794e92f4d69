# The only stage that needs the network: public archives, or those of a mirror folder.
def archives_asked_for():
    """Return the archives of the corpora and texts that the requested rows need."""
    keys = {spec.data.corpus for spec in PLAN.runs.values()}
    keys |= {PLAN.reverse[key].data.corpus for key in keys & PLAN.reverse.keys()}
    synthetic = [CORPORA[key].synthetic for key in keys if CORPORA[key].synthetic]
    texts = [PLAN.corpora.monolingual[settings.monolingual] for settings in synthetic]
    keys |= {text.corpus for text in texts if text.corpus}
    needed = {archive for key in keys for archive in CORPORA[key].archives}
    needed |= {archive for text in texts for archive in text.archives}
    shipped = {key for key in needed if PLAN.corpora.archive(key).path}
    return list(map(archive_path, sorted(needed - shipped)))


# Archives are fetched where Snakemake itself runs: the jobs of a cluster need not see their folder.
if (
    PLAN.config.mirror
    and workflow.is_main_process
    and not (FROM_RECORDS or Path(PLAN.config.mirror).is_dir())
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
        "python workflow_scripts/fetch.py --corpora-file corpora.yaml"
        " --archive {wildcards.archive:q} --output {output:q}"
        ' --mirror "${{DEEPMT_MIRROR:-}}" 2> {log:q}'
