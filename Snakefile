# Regenerates the results tables of the papers on deep Transformers for translation: what README says was measured, and
# with GPUs and the papers' corpora the rest.
# config.yaml says what to run; `snakemake --cores all` ends in results/<scale>/tables.
import os
import re

from snakemake.exceptions import WorkflowError
from snakemake.utils import min_version

# `make check-oldest` tries this version.
min_version("9.17")


ROOT = str(workflow.current_basedir.get_path_or_uri(secret_free=False))

if not os.path.isdir(ROOT):
    raise WorkflowError(
        f"{ROOT}: this workflow runs in its own folder, which holds its settings, scripts and results;"
        " clone its repository, and name the Snakefile of the clone"
    )


# Sources and results are named from here, wherever Snakemake is called and whoever imports this.
workdir: ROOT


# Ask for large pages of memory in all jobs: deep narrow models train 5 % faster.
os.environ.setdefault("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")


include: "rules/common.smk"
include: "rules/inputs.smk"
include: "rules/resources.smk"
include: "rules/fetch.smk"
include: "rules/corpus.smk"
include: "rules/back_translation.smk"
include: "rules/train.smk"
include: "rules/evaluate.smk"
include: "rules/measure.smk"
include: "rules/report.smk"
include: "rules/plan.smk"


# A wing goes with its folder.
if os.path.exists("workflow_scripts/wings/export/supported.py"):

    include: "rules/export.smk"


onstart:
    # Every stop at a limit of a cluster is a try. It is set here, where --set-resources, which
    # replaces all that a profile says, does not drop it.
    if workflow.non_local_exec:
        asked = max(STOPS_AT_A_LIMIT, workflow.execution_settings.retries)
        tries = overwritten("train", "retries", asked)
        workflow.get_rule("train").restart_times = tries
        if minutes := overwritten("train", "runtime", None):
            for sentence in beyond_limit(runs_ahead()[1], minutes / 60, tries + 1):
                logger.warning(sentence)
    if not TRAINING.isdisjoint(workflow.dag_settings.targets or TRAINING):
        seeds_ahead(*runs_ahead()).write(path_in(Path(RESULTS)))
        # `make text` has said what a text of one's own takes, as timed here.
        if not PLAN.scale.begins_with:
            logger.info(work_ahead())


onsuccess:
    if Path(HEADLINE).exists() and Path(HEADLINE).stat().st_mtime > STARTED:
        said = Path(HEADLINE).read_text(encoding="utf-8")
        logger.info(f"{said}Open {RESULTS}/report.html")


onerror:
    for sentence in broken_off(Path(ROOT), SCALE, STARTED):
        logger.info(sentence)
    said = "".join(Path(file).read_text(errors="replace") for file in log)
    if re.search("SIGKILL|exit status 137|OUT_OF_MEMORY", said):
        logger.info(
            "A job was killed (SIGKILL, exit 137), most often for memory: run again with fewer jobs at once"
            " (--resources mem_mb=8000) or on a larger machine; training can take less (docs/options.md)"
        )


rule all:
    default_target: True
    input:
        rules.report.input,
    localrule: True
