"""Translate one split with the averaged weights of a run's seed."""

import sys
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import torch

from deepmt.cli import run
from deepmt.code_sums import search_code
from deepmt.config.data_settings import check_subwords, folder_of, load_settings
from deepmt.config.method import modules_of
from deepmt.config.spec import Decoding, Spec, read_spec
from deepmt.data.encoded import EncodedPair
from deepmt.data.subword import load_segmenter
from deepmt.data.tokeniser import Tokeniser
from deepmt.data.vocabulary import Vocabulary
from deepmt.decode.load_model import load_model
from deepmt.decode.partial_translation import PartialTranslation
from deepmt.decode.sampler import Sampler
from deepmt.decode.translate import TranslatedText, create_search, translate
from deepmt.files import sha256, write_hashed_json, write_text
from deepmt.train.evaluate import perplexity
from deepmt.train.gpus import acquire_gpus
from deepmt.train.history import hardware


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write tokenised and detokenised hypotheses, and a report on decoding."""

    spec: Path
    dataset: Path
    model: Path
    split: str
    tokenised: Path
    output: Path
    report: Path
    threads: int = 1
    gpus: int = field(default=0, metadata={"help": "1 = take a GPU; 0 = use --device"})
    device: str = "cpu"
    precision: str = field(
        default="float32", metadata={"help": "precision of the weights: float32, bfloat16 or int8"}
    )
    batch_size: int = field(default=64, metadata={"help": "sentences decoded at once"})
    workers: int = field(
        default=1, metadata={"help": "processes with a copy of the model each; 1 on a GPU"}
    )
    n_best: Path | None = field(
        default=None, metadata={"help": "all hypotheses: number ||| tokens ||| score"}
    )
    sample: bool = field(default=False, metadata={"help": "sample tokens instead of searching"})
    top_k: int = field(
        default=0, metadata={"help": "sample from the k most likely tokens; 0 = from all"}
    )
    seed: int = field(default=1, metadata={"help": "seed of sampling"})


def main(args: Args) -> None:
    """Decode by the spec's beam search, undo subwords, detokenise."""
    torch.set_num_threads(args.threads)
    acquire_gpus(args.gpus)
    device, workers = ("cuda", 1) if args.gpus else (args.device, args.workers)
    spec = read_spec(args.spec)
    check_subwords(args.dataset)
    source, target = spec.data.source, spec.data.target
    vocabularies = [Vocabulary.load(args.dataset / f"vocab.{name}") for name in (source, target)]
    sizes = [len(vocabulary) for vocabulary in vocabularies]
    load = partial(load_model, spec, args.model, sizes, device)
    pairs = {
        name: EncodedPair(folder_of(args.dataset, name) / "ids", name, source, target)
        for name in ("dev", args.split)
    }
    max_length = spec.training.max_length
    model = load()
    perplexities = {name: perplexity(model, pair, max_length) for name, pair in pairs.items()}
    decoding = replace(spec.decoding, beam=1) if args.sample else spec.decoding
    unfinished = PartialTranslation(args.output.with_suffix(".partial"), key(args, spec, decoding))
    found = translate(
        create_search(
            load,
            decoding,
            precision=args.precision,
            batch_size=args.batch_size,
            workers=workers,
            threads=args.threads,
            sampler=Sampler(args.seed, args.top_k) if args.sample else None,
        ),
        pairs[args.split].source,
        unfinished,
        max_length=max_length,
        report=lambda line: print(f"{spec.run}  {line}", file=sys.stderr, flush=True),
    )
    write_hypotheses(args, target, vocabularies[1], found)
    write_hashed_json(
        args.report,
        {
            "split": args.split,
            "sentences": len(pairs[args.split]),
            "seconds": round(found.seconds, 3),
            "resumed_sentences": found.resumed,
            "perplexities": perplexities,
            "beam": decoding.beam,
            "alpha": decoding.alpha,
            "length_penalty": decoding.length_penalty,
            "precision": args.precision,
            "batch_size": args.batch_size,
            "workers": workers,
            "hardware": hardware(torch.device(device)),
            "code": search_code(modules_of(spec.method)),
            "sha256": {path.name: sha256(path) for path in (args.tokenised, args.output)},
        },
    )
    unfinished.remove()


def key(args: Args, spec: Spec, decoding: Decoding) -> dict[str, Any]:
    """Return the key that identifies a partial translation."""
    names = ("split", "precision", "sample", "top_k", "seed")
    return {name: getattr(args, name) for name in names} | {
        "decoding": repr(decoding),
        "model": sha256(args.model),
        "data": sha256(args.dataset / "manifest.json"),
        "spec": spec.sha256,
        "code": search_code(modules_of(spec.method)),
    }


def write_hypotheses(
    args: Args, target: str, vocabulary: Vocabulary, found: TranslatedText
) -> None:
    """Write the best hypotheses, tokenised and as text, and all of them if requested."""
    settings = load_settings(args.dataset / "data.json")
    segmenter = load_segmenter(settings, args.dataset, target)
    tokeniser = Tokeniser(settings, target)

    def words(tokens: list[int]) -> str:
        return segmenter.undo(" ".join(vocabulary.decode(tokens)))

    best = [words(each[0].tokens) if each else "" for each in found.hypotheses]
    write_text(args.tokenised, "".join(f"{line}\n" for line in best))
    write_text(args.output, "".join(f"{tokeniser.detokenise(line)}\n" for line in best))
    if args.n_best is not None:
        lines = [
            f"{number} ||| {words(hypothesis.tokens)} ||| {hypothesis.score:.6f}\n"
            for number, each in enumerate(found.hypotheses)
            for hypothesis in each
        ]
        write_text(args.n_best, "".join(lines))


if __name__ == "__main__":
    run(main, Args)
