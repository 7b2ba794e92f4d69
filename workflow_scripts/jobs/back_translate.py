"""Translate one shard of monolingual text with a finished reverse run."""

from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch

from deepmt.base.cli import run
from deepmt.base.errors import UserError
from deepmt.base.files import sha256, write_json
from deepmt.data.back_translation import shard as every_nth
from deepmt.data.encoded import EncodedText
from deepmt.data.line_encoder import LineEncoder
from deepmt.data.lines import read_lines, replacing, write_lines
from deepmt.data.raw_corpus import RawCorpus
from deepmt.decode.sampler import Sampler
from deepmt.decode.translate import TranslationArgs, TranslationJob
from deepmt.settings.spec import Spec
from deepmt.settings.strict import CountOrNone, Few, Seed
from deepmt.train.gpus import acquire_gpus
from deepmt.train.history import hardware
from deepmt.train.outcome import Outcome


def main(
    args: TranslationArgs,
    *,
    outcome: Path,
    text: Path,
    shard: CountOrNone,
    shards: Few,
    seed: Annotated[Seed, "seed of sampling"],
    lengths: Path,
) -> None:
    """Write one translation per line, the subword counts of both sides, and their provenance.

    Encode every `shards`-th line of the text like the dataset's training text, sample from the
    model, then undo subwords and detokenise.
    """
    acquire_gpus(args.gpus)
    job = TranslationJob(args, Sampler(seed, first=shard, step=shards))
    refuse_diverged(outcome, job.spec)
    text = RawCorpus.checked(text)
    lines = every_nth(read_lines(text), shard, shards)
    source = EncodedText.of(map(LineEncoder(job.dataset, "train").ids, lines))
    key = {"shard": shard, "shards": shards, "text": sha256(text)}
    best, seconds, unfinished = job.translate(source, key, name=f"shard {shard}")
    write_lines(args.output, (job.detokenise(job.tokens(ids)) for ids in best))
    counts = np.stack([np.array([len(ids) for ids in best], np.int64), source.lengths], 1)
    with replacing(lengths, "wb") as stream:
        np.save(stream, counts.astype(np.int32))
    found_out = {
        "lines": len(source),
        "seconds": seconds,
        "resumed_lines": unfinished.resumed,
        "hardware": hardware(torch.device(job.device)),
    }
    origin = provenance(args, job.spec) | {"seed": seed, "shard": shard, "shards": shards}
    write_json(args.report, origin | found_out)
    unfinished.remove()


def refuse_diverged(outcome: Path, spec: Spec) -> None:
    """Raise ValueError if the reverse run did not finish, since its text would be noise."""
    if (ended := Outcome.read(outcome).outcome) != "finished":
        raise UserError(
            f"the reverse run {spec.run} {ended} and cannot translate;"
            " choose another reverse system or seed in corpora.yaml"
        )


def provenance(args: TranslationArgs, spec: Spec) -> dict[str, Any]:
    """Return what determines the translations, besides the seed."""
    return {
        "precision": args.precision,
        "run": spec.run,
        "spec_sha256": spec.sha256,
        "weights_sha256": sha256(args.model),
        "dataset_sha256": sha256(args.dataset / "manifest.json"),
    }


if __name__ == "__main__":
    run(main)
