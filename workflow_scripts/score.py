"""Score one translation of a test set by every measure."""

import dataclasses
import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from deepmt.cli import parse
from deepmt.measure.scores import read_texts, score_texts


@dataclass(frozen=True, kw_only=True)
class Args:
    """Score a translation: BLEU in the papers' conventions, chrF and TER, with signatures."""

    hypotheses: Path = field(metadata={"help": "tokenised translations, subwords joined"})
    detokenised: Path = field(metadata={"help": "the same translations, de-tokenised"})
    reference: Path = field(metadata={"help": "raw reference"})
    tokenised_reference: Path = field(metadata={"help": "reference, tokenised like the hypotheses"})
    target_language: str = field(metadata={"help": "two-letter code, e.g. de"})
    output: Path = field(metadata={"help": "scores, a JSON object"})


def main(args: Args) -> None:
    """Write value, signature and details of each measure, and how many hypotheses are empty."""
    texts = read_texts(
        hypotheses=args.hypotheses,
        detokenised=args.detokenised,
        reference=args.reference,
        tokenised_reference=args.tokenised_reference,
        target_language=args.target_language,
    )
    scores = {name: dataclasses.asdict(score) for name, score in score_texts(texts).items()}
    report = {
        "target_language": args.target_language,
        "segments": len(texts.hypotheses),
        "empty_hypotheses": texts.empty_hypotheses,
        "scores": scores,
    }
    write_whole(args.output, json.dumps(report, indent=1, ensure_ascii=False) + "\n")


def write_whole(path: Path, text: str) -> None:
    """Write under a temporary name and rename, so that no half file is ever seen."""
    temporary = path.with_name(path.name + ".partial")
    with temporary.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


if __name__ == "__main__":
    main(parse(Args))
