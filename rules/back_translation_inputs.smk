# What the rules of back-translation ask for.
TEXTS = PLAN.corpora.monolingual


def synthetic_of(wildcards):
    """How a corpus gets its synthetic pairs."""
    return CORPORA[wildcards.corpus].synthetic


def text_definition(wildcards):
    """Everything corpora.yaml says of a monolingual text."""
    return json.dumps(asdict(TEXTS[wildcards.text]), sort_keys=True)


def sources_of(wildcards):
    """Archives of a monolingual text, or the marker of the corpus that it is a side of."""
    text = TEXTS[wildcards.text]
    corpus = [f"data/raw/{text.corpus}/counts.json"] if text.corpus else []
    return [f"data/archives/{key}" for key in text.archives] + corpus


def text_of(wildcards):
    """Marker of the text that a corpus has translated."""
    return f"data/monolingual/{synthetic_of(wildcards).monolingual}/counts.json"


def text_file_of(wildcards):
    """The text beside that marker."""
    key = synthetic_of(wildcards).monolingual
    return f"data/monolingual/{key}/text.{TEXTS[key].language}"


def reverse_spec_of(wildcards):
    """The spec of the run that translates for a corpus."""
    if wildcards.corpus not in PLAN.reverse:
        belongs = synthetic_of(wildcards)
        raise WorkflowError(
            f"{wildcards.corpus} belongs to the {belongs.scale} scale and {belongs.reverse}:"
            f" run it with --config scale={belongs.scale} and rows that are trained on it"
        )
    return PLAN.reverse[wildcards.corpus]


def reverse_encoding_of(wildcards):
    """Marker of the encoding that the reverse run reads."""
    return f"data/encoded/{reverse_spec_of(wildcards).encoding}/manifest.json"


def reverse_run_of(wildcards):
    """Spec, outcome and weights of the reverse run."""
    run = f"{RESULTS}/runs/{reverse_spec_of(wildcards).run}"
    seed = f"{run}/seed{synthetic_of(wildcards).seed}"
    return {
        "spec": f"{run}/spec.json",
        "outcome": f"{seed}/outcome.json",
        "model": f"{seed}/model.safetensors",
    }


def choice_of(wildcards):
    """How tokens are chosen, as flags of the script."""
    settings = synthetic_of(wildcards)
    sample = "--sample" if settings.sample else "--no-sample"
    return [sample, "--top-k", settings.top_k, "--seed", settings.seed]


def shards_of(wildcards):
    """How many jobs translate for a corpus."""
    return synthetic_of(wildcards).shards


def reports_of(wildcards):
    """What each shard's translation says of itself, in order."""
    return expand(
        "data/back_translation/{corpus}/shard{shard}/report.json",
        corpus=wildcards.corpus,
        shard=range(shards_of(wildcards)),
    )


def bitext_of(wildcards):
    """Marker of the corpus that gets further pairs, or is turned round."""
    corpus = CORPORA[wildcards.corpus]
    return f"data/raw/{corpus.reverse_of or corpus.base}/counts.json"


def synthetic_counts_of(wildcards):
    """Shares and origin of the pairs that a run was trained on, if some are synthetic."""
    corpus = spec_of(wildcards).data.corpus
    return [f"data/raw/{corpus}/counts.json"] if CORPORA[corpus].synthetic else []
