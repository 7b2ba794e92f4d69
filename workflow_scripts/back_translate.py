"""Translate one shard of monolingual text with a finished reverse run."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from deepmt.cli import run
from deepmt.config.spec import Spec
from deepmt.data.back_translation import TEXT
from deepmt.data.back_translation import shard as every_nth
from deepmt.data.data_settings import load_settings
from deepmt.data.encode_text import write_encoded
from deepmt.data.encoded import EncodedText
from deepmt.data.lines import read_lines, replacing, write_lines
from deepmt.data.subword import load_segmenter
from deepmt.data.tokeniser import Tokeniser, steps_for
from deepmt.data.vocabulary import Vocabulary
from deepmt.decode.sampler import Sampler
from deepmt.decode.translate import TranslationArgs, TranslationJob
from deepmt.files import read_json, sha256, write_json
from deepmt.train.gpus import acquire_gpus
from deepmt.train.history import hardware


def main(
    args: TranslationArgs,
    *,
    outcome: Path,
    text: Path,
    shard: int,
    shards: int,
    lengths: Path,
) -> None:
    """Write one translation per line, the subword counts of both sides, and their provenance.

    Encode every `shards`-th line of the text like the dataset's training text, sample from the
    model or search, then undo subwords and detokenise.
    """
    acquire_gpus(args.gpus)
    job = TranslationJob(args)
    refuse_diverged(outcome, job.spec)
    lines = every_nth(read_lines(text), shard, shards)
    source = encoded(lines, args.dataset, args.output.parent)
    ids = sha256(next((args.output.parent / "ids").glob("*.ids.npy")))
    unfinished = job.open_partial(shard=shard, shards=shards, text=ids)
    sampler = Sampler(args.seed, args.top_k, first=shard, step=shards)
    search = job.search(sampler)
    found, seconds = job.translate(source, unfinished, search, name=f"shard {shard}")
    best = [each[0].tokens if each else [] for each in found]
    write_lines(args.output, (job.detokenise(job.tokens(ids)) for ids in best))
    counts = np.stack([np.array([len(ids) for ids in best], np.int64), source.lengths], 1)
    with replacing(lengths, "wb") as stream:
        np.save(stream, counts.astype(np.int32))
    found_out = {
        "lines": len(source),
        "seconds": round(seconds, 3),
        "resumed_lines": unfinished.resumed,
        "hardware": hardware(torch.device(job.device)),
    }
    origin = provenance(args, job.spec) | {"shard": shard, "shards": shards}
    write_json(args.report, origin | found_out)
    unfinished.remove()


def encoded(lines: Iterable[str], dataset: Path, folder: Path) -> EncodedText:
    """Write bpe/ and ids/ of lines, by the text steps, subwords and vocabulary of a dataset."""
    settings = load_settings(dataset / "data.json")
    language = settings.source
    tokeniser = Tokeniser(steps_for(settings, "train", ()), language)
    segmenter = load_segmenter(settings, dataset, language)
    name = f"{TEXT}.{language}"
    write_lines(folder / "bpe" / name, (segmenter.segment(tokeniser.tokenise(x)) for x in lines))
    vocabulary = Vocabulary.load(dataset / f"vocab.{language}")
    write_encoded(folder / "bpe" / name, vocabulary, folder / "ids", name)
    return EncodedText(folder / "ids", TEXT, language)


def refuse_diverged(outcome: Path, spec: Spec) -> None:
    """Raise ValueError if the reverse run did not finish, since its text would be noise."""
    if (found := read_json(outcome))["outcome"] != "finished":
        raise ValueError(
            f"the reverse run {spec.run} {found['outcome']} and cannot translate;"
            " choose another reverse system or seed in corpora.yaml"
        )


def provenance(args: TranslationArgs, spec: Spec) -> dict[str, Any]:
    """Return everything that determines the translations."""
    names = ("seed", "sample", "top_k", "precision")
    return {name: getattr(args, name) for name in names} | {
        "run": spec.run,
        "spec_sha256": spec.sha256,
        "weights_sha256": sha256(args.model),
        "dataset_sha256": sha256(args.dataset / "manifest.json"),
    }


if __name__ == "__main__":
    run(main)
