"""Jobs from archives to token ids: as rules/{fetch,corpus,back_translation,statistics}.smk ask."""

from collections.abc import Iterator

from deepmt.config.corpora import Corpus
from deepmt.config.settings import Plan
from deepmt.estimate.graph import Job

RAW_RULES = {
    "archives": "extract",
    "generator": "generate",
    "reversal": "reverse_corpus",
    "back_translation": "join_synthetic",
}
"""What makes the raw text of a corpus of each origin."""


def text_jobs(plan: Plan) -> Iterator[Job]:
    """Jobs of every archive, text, corpus and encoding that this scale may need."""
    for key in plan.corpora.archives:
        yield Job("fetch_archive", archive(key))
    for key, text in plan.corpora.monolingual.items():
        of_corpus = [raw(text.corpus)] if text.corpus else []
        yield Job("monolingual", monolingual(key), (*map(archive, text.archives), *of_corpus))
    for key, corpus in plan.corpora.corpora.items():
        yield Job(RAW_RULES[corpus.origin], raw(key), tuple(sources(key, corpus)))
    for key in plan.reverse:
        yield from back_translation(key, plan)
    for encoding, data in {s.encoding: s.data for s in plan.every_run.values()}.items():
        yield from encoding_jobs(encoding, data.corpus)


def archive(key: str) -> str:
    """A downloaded file."""
    return f"data/archives/{key}"


def monolingual(key: str) -> str:
    """Marker of a monolingual text."""
    return f"data/monolingual/{key}/counts.json"


def raw(corpus: str) -> str:
    """Marker of a corpus's raw text."""
    return f"data/raw/{corpus}/counts.json"


def shard(corpus: str, number: int) -> str:
    """Folder of a part of the text that is translated for a corpus."""
    return f"data/back_translation/{corpus}/shard{number}"


def manifest(encoding: str) -> str:
    """Marker of an encoding."""
    return f"data/encoded/{encoding}/manifest.json"


def word_counts(encoding: str) -> str:
    """Words of an encoding's sets."""
    return f"data/encoded/{encoding}/words.json"


def encoded_set(encoding: str, name: str) -> str:
    """Marker of a set of an encoding: a sample stands for the training set."""
    return f"data/encoded/{encoding}/sample/sample.json" if name == "train" else manifest(encoding)


def sources(key: str, corpus: Corpus) -> Iterator[str]:
    """What a corpus's raw text is made of."""
    synthetic = corpus.synthetic
    if synthetic:
        yield monolingual(synthetic.monolingual)
        yield from (f"{shard(key, n)}/report.json" for n in range(synthetic.shards))
    if synthetic or corpus.reverse_of:
        yield raw(str(corpus.reverse_of or corpus.base))
    else:
        yield from map(archive, corpus.archives)


def back_translation(key: str, plan: Plan) -> Iterator[Job]:
    """Encoding and translation of every part of a text by the reverse run."""
    synthetic, reverse = plan.corpora.corpus(key).synthetic, plan.reverse[key]
    assert synthetic is not None
    text, ids = monolingual(synthetic.monolingual), manifest(reverse.encoding)
    folder = f"results/{plan.scale.name}/runs/{reverse.run}"
    seed = f"{folder}/seed{synthetic.seed}"
    model = (f"{folder}/spec.json", f"{seed}/outcome.json", f"{seed}/model.safetensors")
    for number in range(synthetic.shards):
        encoded = f"{shard(key, number)}/encoded.json"
        yield Job("encode_shard", encoded, (text, ids))
        yield Job(
            "back_translate",
            f"{shard(key, number)}/report.json",
            (*model, ids, encoded),
            run=reverse.run,
            seed=synthetic.seed,
            set=key,
        )


def encoding_jobs(encoding: str, corpus: str) -> Iterator[Job]:
    """From raw text to ids, and what is counted and drawn of them."""
    folder = f"data/encoded/{encoding}"
    settings, tokens, subwords = (
        f"{folder}/{name}" for name in ("data.json", "tok/cleaning.json", "bpe/done")
    )
    yield Job("data_settings", settings)
    yield Job("tokenise", tokens, (settings, raw(corpus)))
    yield Job("segment", subwords, (settings, tokens))
    yield Job("encode", manifest(encoding), (settings, subwords))
    yield Job("count_words", word_counts(encoding), (manifest(encoding),))
    yield Job("training_sample", encoded_set(encoding, "train"), (manifest(encoding), raw(corpus)))
