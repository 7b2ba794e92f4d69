"""Score one translation of a test set by every measure."""

import dataclasses
from dataclasses import dataclass, field
from pathlib import Path

from deepmt.cli import parse
from deepmt.files import write_json
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
    write_json(args.output, report)


if __name__ == "__main__":
    main(parse(Args))
