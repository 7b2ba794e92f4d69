"""Translate one shard of monolingual text with a finished reverse run."""

import sys
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from deepmt.cli import run
from deepmt.code_sums import search_code
from deepmt.config.data_settings import check_subwords, load_settings
from deepmt.config.method import modules_of
from deepmt.config.spec import Spec, read_spec
from deepmt.data.encoded import EncodedText
from deepmt.data.lines import replacing
from deepmt.data.subword import load_segmenter
from deepmt.data.text_shards import TEXT
from deepmt.data.tokeniser import Tokeniser
from deepmt.data.vocabulary import Vocabulary
from deepmt.decode.load_model import load_model
from deepmt.decode.partial_translation import PartialTranslation
from deepmt.decode.sampler import Sampler
from deepmt.decode.translate import TranslatedText, create_search, translate
from deepmt.files import read_json, sha256, write_json, write_text
from deepmt.train.gpus import acquire_gpus
from deepmt.train.history import hardware


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write one translation per line, the subword counts of both sides, and their provenance."""

    spec: Path
    dataset: Path
    outcome: Path
    model: Path
    folder: Path
    shard: int
    shards: int
    output: Path
    lengths: Path
    report: Path
    seed: int = field(metadata={"help": "seed of the reverse run and of sampling"})
    sample: bool = field(default=True, metadata={"help": "sample tokens instead of searching"})
    top_k: int = field(
        default=0, metadata={"help": "sample from the k most likely tokens; 0 = from all"}
    )
    threads: int = 1
    gpus: int = field(default=0, metadata={"help": "1 = take a GPU; 0 = use --device"})
    device: str = "cpu"
    precision: str = field(
        default="float32", metadata={"help": "precision of the weights: float32, bfloat16 or int8"}
    )
    batch_size: int = field(default=64, metadata={"help": "sentences decoded at once"})


def main(args: Args) -> None:
    """Sample from the model or search, then undo subwords and detokenise."""
    torch.set_num_threads(args.threads)
    acquire_gpus(args.gpus)
    device = "cuda" if args.gpus else args.device
    spec = read_spec(args.spec)
    refuse_diverged(args.outcome, spec)
    check_subwords(args.dataset)
    vocabularies = [Vocabulary.load(args.dataset / f"vocab.{x}") for x in spec.data.languages]
    source = EncodedText(args.folder / "ids", TEXT, spec.data.source)
    made_by = provenance(args, spec)
    unfinished = PartialTranslation(args.output.with_suffix(".partial"), key(args, spec, made_by))
    sizes = [len(vocabulary) for vocabulary in vocabularies]
    sampler = Sampler(args.seed, args.top_k, first=args.shard, step=args.shards)
    found = translate(
        create_search(
            partial(load_model, spec, args.model, sizes, device),
            replace(spec.decoding, beam=1) if args.sample else spec.decoding,
            precision=args.precision,
            batch_size=args.batch_size,
            workers=1,
            threads=args.threads,
            sampler=sampler if args.sample else None,
        ),
        source,
        unfinished,
        max_length=spec.training.max_length,
        report=lambda line: print(f"shard {args.shard}  {line}", file=sys.stderr, flush=True),
    )
    write_translations(args, spec, vocabularies[1], source, found)
    report = {
        "lines": len(source),
        "seconds": round(found.seconds, 3),
        "resumed_lines": found.resumed,
        "hardware": hardware(torch.device(device)),
    }
    write_json(args.report, made_by | report)
    unfinished.remove()


def refuse_diverged(outcome: Path, spec: Spec) -> None:
    """Raise ValueError if the reverse run did not finish, since its text would be noise."""
    if (found := read_json(outcome))["outcome"] != "finished":
        raise ValueError(
            f"the reverse run {spec.run} {found['outcome']} and cannot translate;"
            " choose another reverse system or seed in corpora.yaml"
        )


def provenance(args: Args, spec: Spec) -> dict[str, Any]:
    """Return everything that determines the translations."""
    names = ("shard", "shards", "seed", "sample", "top_k", "precision")
    return {name: getattr(args, name) for name in names} | {
        "run": spec.run,
        "spec_sha256": spec.sha256,
        "weights_sha256": sha256(args.model),
        "dataset_sha256": sha256(args.dataset / "manifest.json"),
    }


def key(args: Args, spec: Spec, made_by: dict[str, Any]) -> dict[str, Any]:
    """Return the key that identifies a partial translation."""
    return made_by | {
        "text": sha256(next((args.folder / "ids").glob("*.ids.npy"))),
        "code": search_code(modules_of(spec.method)),
    }


def write_translations(
    args: Args, spec: Spec, vocabulary: Vocabulary, source: EncodedText, found: TranslatedText
) -> None:
    """Write the text, and the subword counts of each translation and its source line."""
    settings = load_settings(args.dataset / "data.json")
    segmenter = load_segmenter(settings, args.dataset, spec.data.target)
    tokeniser = Tokeniser(settings, spec.data.target)
    best = [each[0].tokens if each else [] for each in found.hypotheses]
    text = (segmenter.undo(" ".join(vocabulary.decode(tokens))) for tokens in best)
    write_text(args.output, "".join(f"{tokeniser.detokenise(line)}\n" for line in text))
    lengths = np.stack([np.array([len(tokens) for tokens in best], np.int64), source.lengths], 1)
    with replacing(args.lengths, "wb") as stream:
        np.save(stream, lengths.astype(np.int32))


if __name__ == "__main__":
    run(main, Args)
