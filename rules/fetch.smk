# The only stage that needs the network: public archives, or those of a mirror folder.
include: "fetch_inputs.smk"


rule fetch:
    input:
        archives_asked_for(),


rule fetch_archive:
    output:
        "data/archives/{archive}",
    log:
        "logs/fetch/{archive}.log",
    wildcard_constraints:
        archive="|".join(map(re.escape, PLAN.corpora.archives)),
    conda:
        "../envs/data.yaml"
    threads: 1
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
        ' --mirror "${{DEEPMT_MIRROR:-}}" 2> {log:q} || {{ cat {log:q} >&2; exit 1; }}'
