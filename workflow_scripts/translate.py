"""Translate one set with the averaged weights of a run's seed."""

from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import load_file

from deepmt.build import build
from deepmt.cli import parse
from deepmt.data.encoded import EncodedPair
from deepmt.data.settings import load_settings
from deepmt.data.subword import load_segmenter
from deepmt.data.text import Tokeniser
from deepmt.data.vocabulary import Vocabulary
from deepmt.files import write_json, write_text
from deepmt.search.translate import translate
from deepmt.spec import from_json
from deepmt.train.evaluate import perplexity
from deepmt.train.loop import load_weights


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write hypotheses, tokenised and de-tokenised, and what decoding cost."""

    spec: Path
    encoding: Path
    model: Path
    set: str
    tokenised: Path
    output: Path
    report: Path
    threads: int = 1
    device: str = "cpu"


def main(args: Args) -> None:
    """Decode by the spec's beam search, undo subwords, de-tokenise."""
    torch.set_num_threads(args.threads)
    spec = from_json(args.spec.read_text())
    source, target = spec.data.source, spec.data.target
    vocabularies = {
        language: Vocabulary.load(args.encoding / f"vocab.{language}")
        for language in (source, target)
    }
    model = build(spec, len(vocabularies[source]), len(vocabularies[target]))
    load_weights(model, load_file(args.model))
    model.to(args.device)
    pair = EncodedPair(args.encoding / "ids", args.set, source, target)
    found = translate(model, spec, pair, vocabularies[target], args.device)
    settings = load_settings(args.encoding / "data.json")
    segmenter = load_segmenter(settings.subwords, args.encoding, target)
    tokenised = [segmenter.undo(line) for line in found.lines]
    tokeniser = Tokeniser(settings.text_steps, target)
    write_text(args.tokenised, "".join(f"{line}\n" for line in tokenised))
    write_text(args.output, "".join(f"{tokeniser.detokenise(line)}\n" for line in tokenised))
    write_json(
        args.report,
        {
            "set": args.set,
            "sentences": len(pair),
            "seconds": round(found.seconds, 3),
            "perplexities": {
                name: perplexity(
                    model,
                    EncodedPair(args.encoding / "ids", name, source, target),
                    spec.training.max_length,
                )
                for name in dict.fromkeys(("dev", args.set))
            },
            "beam": spec.decoding.beam,
            "alpha": spec.decoding.alpha,
            "length_penalty": spec.decoding.length_penalty,
            "threads": args.threads,
        },
    )


if __name__ == "__main__":
    main(parse(Args))
