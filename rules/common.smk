# Settings, names of things, and the functions that rules ask for their inputs.
import gc
import hashlib
from functools import cache
import json
import os
import sys
import time
from dataclasses import asdict
from pathlib import Path

from snakemake.exceptions import WorkflowError

sys.path.insert(0, str(Path(ROOT) / "workflow_scripts"))
# Jobs call `python`: that of .venv if Snakemake is, even where nobody has activated it.
if Path(sys.prefix).resolve() == (Path(ROOT) / ".venv").resolve():
    os.environ.update(PATH=":".join([f"{sys.prefix}/bin", *os.get_exec_path()]))
    # It has all that jobs import: what a cluster's modules leave here is for another Python.
    os.environ.pop("PYTHONPATH", None)
# Ours first: jobs import `deepmt` and `wings` of this checkout.
PYTHONPATH = [f"{ROOT}/workflow_scripts", os.environ.get("PYTHONPATH", "")]
os.environ.update(PYTHONPATH=os.pathsep.join(filter(None, PYTHONPATH)))
from deepmt.base.code_sums import SCRIPTS, closure, lines, path_of
from deepmt.settings.method import defaults_of, model_modules, modules_of
from deepmt.base.files import json_text, sha256, visible, write_text
from deepmt.settings.point_names import POINT, weights_at
from deepmt.settings.seed_folder import SeedFolder
from deepmt.base.printable import print_in_any_locale, printable, say
from deepmt.study.requested_text import requested_splits
from deepmt.study.plan import load_plan
from deepmt.study.scale import files_of_scale
from deepmt.settings.strict import NAME
from deepmt.settings.strict_yaml import names_in
from deepmt.study.tuning import SEED as SEED_OF_TRIALS
from deepmt.study.tuning import STAGES, read_perplexities
from deepmt.study.scored_points import points_of
from deepmt.measured.record_archive import archived_runs, parts
from deepmt.machines.seed_status import broken_off

print_in_any_locale()

if Path.cwd() != Path(ROOT).resolve():
    raise WorkflowError(
        f"{ROOT}: this workflow runs in its own folder; omit --directory"
    )

if {"{", "}"} & set(ROOT):
    raise WorkflowError(
        f"{ROOT}: Snakemake reads braces in a path as wildcards; rename the folder"
    )

try:
    PLAN = load_plan(Path(ROOT), config)
    # Tables, figures and claims show every paper, whichever are trained, except for a user's text.
    whole = PLAN.scale.begins_with or len(PLAN.papers) == len(names_in(Path("papers")))
    REPORTED = PLAN if whole else load_plan(Path(ROOT), {**config, "papers": "all"})
except ValueError as error:
    raise WorkflowError(printable(f"Configuration errors:\n{error}")) from None

if workflow.is_main_process:
    for sentence in PLAN.without_effect:
        say(sentence)

# Thousands of jobs are millions of small objects, none of them garbage.
gc.set_threshold(100_000, 50, 100)

STARTED = time.time()
SCALE = PLAN.scale.name
RESULTS = PLAN.config.results
SEEDS = PLAN.config.seeds
KEYS = [paper.key for paper in REPORTED.papers]
# The files of a seed, and those of a point that it is scored at, by their wildcards.
SEED = SeedFolder.of(Path("results/{scale}"), "{run}", "{seed}")
AT_POINT = SeedFolder.of(Path("results/{scale}"), "{run}", "{seed}{point}")
CORPORA = PLAN.corpora.corpora
DATASETS = {spec.dataset: spec.data for spec in REPORTED.every_run.values()}
REQUESTED_SPLITS = requested_splits(PLAN)
MODULES = sorted(
    {name for spec in REPORTED.every_run.values() for name in modules_of(spec.method)}
)
"""The modules of all methods in the papers, for jobs that build models of several."""
ROWS = {spec.run for spec in (*PLAN.specs.values(), *PLAN.reverse.values())}
TRIALS = PLAN.every_run.keys() - ROWS

# Where to look for archives does not affect results, so it is passed in the environment: as a
# parameter it would make Snakemake rerun jobs.
os.environ["DEEPMT_MIRROR"] = PLAN.config.mirror


envvars:
    "DEEPMT_MIRROR",


# Short, because Snakemake writes them into every path: lists of all runs cost seconds.
wildcard_constraints:
    corpus=NAME,
    dataset=rf"{NAME}-[0-9a-f]{{8}}",
    run=rf"{NAME}-[0-9a-f]{{8}}",
    seed=r"\d+",
    point=rf"(/{POINT})?",
    split=r"[a-z][a-z0-9_]*",


@cache
def code_of(script, *modules, defaults=()):
    """Write a file with the sums of our code that a script or `modules` import; return its name.

    Defaults that a spec leaves out follow. As an input, it makes Snakemake rerun jobs whose code
    changed. Thousands of jobs share it: the DAG is built faster than with each file in its place
    among their inputs.
    """
    files = closure([SCRIPTS / script, *map(path_of, modules)])
    sums = "".join(lines(files, defaults))
    names = [*modules, *(default.partition(" ")[0] for default in defaults)]
    key = hashlib.sha256(" ".join(names).encode()).hexdigest()[:8]
    name = ".".join(Path(script).with_suffix("").parts)
    path = Path(f"data/code/{name}-{key}.sums")
    if not path.exists():
        write_text(path, sums)
        # Results that were brought from elsewhere are as good as the code is old.
        edited = max(file.stat().st_mtime for file in files)
        os.utime(path, (edited, edited))
    elif path.read_bytes() != sums.encode():
        # Now: `git checkout` and `rsync -a` may bring other code that is older than its results.
        write_text(path, sums)
    return str(path)


def settings_of(*scales):
    """Return the files, besides papers, that tables and figures print and judge by."""
    files = [
        path
        for scale in scales
        for path in files_of_scale(Path(ROOT) / f"scales/{scale}.yaml")
    ]
    return ["corpora.yaml", *dict.fromkeys(f"scales/{path.name}" for path in files)]


def initialisation_code_of(wildcards):
    """Return the code that draws the first weights of a run: its own method's, and no other's."""
    method = spec_of(wildcards).method
    defaults = tuple(defaults_of(method))
    return code_of("jobs/initialise.py", *modules_of(method), defaults=defaults)


def training_code_of(wildcards):
    """Return the code that trains a run."""
    method = spec_of(wildcards).method
    return code_of(
        "jobs/train.py", *model_modules(method), defaults=tuple(defaults_of(method))
    )


def corpora_from(origin):
    """Return a pattern of the corpora whose raw text is made in one of three ways."""
    keys = [key for key, corpus in CORPORA.items() if corpus.origin == origin]
    return "|".join(map(re.escape, keys)) or "none"


def archive_path(key):
    """Return the path of an archive: in the project, or where it is fetched to."""
    return PLAN.corpora.archive(key).path or f"data/archives/{key}"


def archives_of(wildcards):
    """Return the archives of a corpus, in the order in which it names them."""
    return list(map(archive_path, CORPORA[wildcards.corpus].archives))


def archive_sum(wildcards):
    """Return the checksum that an archive must have."""
    return ":".join(PLAN.corpora.archive(wildcards.archive).checksum or ("unknown",))


def corpus_definition(wildcards):
    """Return the entry of a corpus in corpora.yaml, without the size that estimates use."""
    entry = asdict(CORPORA[wildcards.corpus])
    del entry["size"]
    return json.dumps(entry, sort_keys=True)


def raw_of(wildcards):
    """Return the marker of the raw text that a dataset is made of."""
    return f"data/raw/{DATASETS[wildcards.dataset].corpus}/counts.json"


def data_settings(wildcards):
    """Return the data section of the specs that share a dataset."""
    return json.dumps(DATASETS[wildcards.dataset].section, sort_keys=True)


def spec_of(wildcards):
    """Return the spec of a run."""
    if wildcards.run not in PLAN.every_run:
        raise WorkflowError(
            f"no row of the papers asked for has the run {wildcards.run} at the {SCALE} scale"
        )
    return PLAN.every_run[wildcards.run]


def spec_json_of(wildcards):
    """Return the spec of a run as JSON."""
    return json_text(spec_of(wildcards).sections)


def every_setting_of(wildcards):
    """Return all settings of a run, with the defaults that spec.json leaves out."""
    return json.dumps(asdict(spec_of(wildcards)), sort_keys=True)


def manifest_of(wildcards):
    """Return the marker of the encoded corpus that a run reads."""
    return f"data/encoded/{spec_of(wildcards).dataset}/manifest.json"


def folder_of(run, seed):
    """Return the folder of a seed of a run."""
    return SeedFolder.of(Path(RESULTS), run, seed)


def seed_of(wildcards):
    """Return the folder of a seed."""
    return folder_of(wildcards.run, wildcards.seed)


def translations_of(wildcards):
    """Return the folders of a seed's translations, each with its splits.

    Trials that no row shows are ranked on dev and translate nothing.
    """
    if wildcards.run in TRIALS:
        return {}
    points = points_of(PLAN, spec_of(wildcards), REQUESTED_SPLITS)
    seed = seed_of(wildcards)
    return {seed.point(name): splits for name, splits in points.items()}


def weights_of(wildcards):
    """Return the flags that say which weights a folder scores; none for the seed's own folder."""
    chosen = weights_at(Path(wildcards.point).name)
    return [
        word
        for option, number in chosen.items()
        for word in (f"--{option}", str(number))
    ]


def scores_of(wildcards):
    """Return the scores of all translations of a seed."""
    found = translations_of(wildcards).items()
    return [point.scored(split) for point, splits in found for split in splits]


def records(wildcards):
    """Return the records of the requested runs."""
    return [folder_of(run, seed).record for run in PLAN.runs for seed in SEEDS]


def recorded():
    """Return the records that are kept in git."""
    return [str(path) for path in visible(Path("records"), "**/*") if path.is_file()]


def made_before(*patterns):
    """Return names and sums of files that only other commands write, such as probes.

    A job that shows them if they are there takes them as a parameter: new ones make it run again,
    and none of them is ever made for it.
    """
    paths = {path for pattern in patterns for path in visible(Path(RESULTS), pattern)}
    others = sorted(paths - set(records(None)))
    return [f"{path.relative_to(RESULTS)} {sha256(path)[:8]}" for path in others]
