# What jobs of single stages take as inputs and parameters: the rules hold no functions, as
# `snakemake --lint` wants it. Functions of several stages are in common.smk.
from deepmt.study.requested_text import requested_datasets
from deepmt.settings.synthetic import SYNTHETIC_SEED

TEXTS = PLAN.corpora.monolingual
# Trials that are recorded already.
ARCHIVE = list(map(str, parts(Path("records"), SCALE)))
ARCHIVED = (
    archived_runs(Path("records"), SCALE, SEED_OF_TRIALS) if PLAN.trials else set()
)


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


def synthetic_of(wildcards):
    """Return how a corpus gets its synthetic pairs."""
    return CORPORA[wildcards.corpus].synthetic


def text_definition(wildcards):
    """Return the entry of a monolingual text in corpora.yaml."""
    return json.dumps(asdict(TEXTS[wildcards.text]), sort_keys=True)


def sources_of(wildcards):
    """Return the archives of a monolingual text, or the marker of the corpus that it is a side of."""
    text = TEXTS[wildcards.text]
    corpus = [f"data/raw/{text.corpus}/counts.json"] if text.corpus else []
    return [*map(archive_path, text.archives), *corpus]


def text_of(wildcards):
    """Return the marker of the text that a corpus has translated."""
    return f"data/monolingual/{synthetic_of(wildcards).monolingual}/counts.json"


def text_file_of(wildcards):
    """Return the text beside that marker."""
    key = synthetic_of(wildcards).monolingual
    return f"data/monolingual/{key}/text.{TEXTS[key].language}"


def reverse_run_of(wildcards):
    """Return spec, outcome and weights of the run that translates for a corpus, and its dataset."""
    if wildcards.corpus not in PLAN.reverse:
        belongs = synthetic_of(wildcards)
        raise WorkflowError(
            f"{wildcards.corpus} belongs to the {belongs.scale} scale and {belongs.reverse}:"
            f" run it with --config scale={belongs.scale} and rows that are trained on it"
        )
    spec = PLAN.reverse[wildcards.corpus]
    seed = folder_of(spec.run, SYNTHETIC_SEED)
    return {
        "spec": seed.spec,
        "outcome": seed.outcome,
        "model": seed.model,
        "manifest": f"data/encoded/{spec.dataset}/manifest.json",
    }


def reports_of(wildcards):
    """Return the reports of each shard's translation, in order."""
    return expand(
        "data/back_translation/{corpus}/shard{shard}/report.json",
        corpus=wildcards.corpus,
        shard=range(synthetic_of(wildcards).shards),
    )


def bitext_of(wildcards):
    """Return the marker of the corpus that gets further pairs, or is reversed."""
    corpus = CORPORA[wildcards.corpus]
    return f"data/raw/{corpus.reverse_of or corpus.base}/counts.json"


def synthetic_counts_of(wildcards):
    """Return shares and origin of the pairs that a run was trained on, if some are synthetic."""
    corpus = spec_of(wildcards).data.corpus
    return [f"data/raw/{corpus}/counts.json"] if CORPORA[corpus].synthetic else []


def trials_of(wildcards):
    """Return the records of the trials of a stage, which follow from the stages before.

    A trial in the archive is not trained again.
    """
    dev = {}
    stages = PLAN.scale.tuning.stages(wildcards.system, dev)
    for before in range(1, int(wildcards.stage)):
        next(stages)
        ranked = checkpoints.rank_trials.get(system=wildcards.system, stage=before)
        dev |= read_perplexities(ranked.output[0])
    specs = PLAN.trials[wildcards.system]
    runs = {specs[trial].run for trial in next(stages)} - ARCHIVED
    return [folder_of(run, SEED_OF_TRIALS).record for run in sorted(runs)]


def counted(wildcards):
    """Return the counts of the datasets that the requested runs and statistics need."""
    needed = [spec.dataset for spec in PLAN.runs.values()] + requested_datasets(PLAN)
    return expand("data/encoded/{dataset}/words.json", dataset=dict.fromkeys(needed))
