"""Score one translation of a test set by every measure."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from deepmt.cli import run
from deepmt.files import check_listed, write_hashed_json, write_text
from deepmt.languages import language
from deepmt.metrics.conventions import Conventions, reconciliation
from deepmt.metrics.original_meteor import OriginalMeteor
from deepmt.metrics.scored_texts import read_texts
from deepmt.metrics.scores import measures_for, score_texts


@dataclass(frozen=True, kw_only=True)
class Args:
    """Score a translation: BLEU in the papers' conventions, chrF, TER, METEOR, with signatures."""

    hypotheses: Annotated[Path, "tokenised translations, subwords joined"]
    detokenised: Annotated[Path, "the same translations, detokenised"]
    reference: Annotated[Path, "raw reference"]
    tokenised_reference: Annotated[Path, "reference, tokenised like the hypotheses"]
    target_language: Annotated[str, "code of ISO 639, e.g. de"]
    output: Annotated[Path, "scores, a JSON object"]
    report: Annotated[Path | None, "report of the translation, with hashes to compare"] = None
    conventions: Annotated[Path | None, "the same scores as a Markdown table"] = None
    meteor: Annotated[Path | None, "meteor-1.5.jar, for the original METEOR; needs java"] = None


def main(args: Args) -> None:
    """Write value and signature of each measure, and the number of empty hypotheses."""
    if args.report:
        check_listed(args.report)
    written = {args.reference: "counts.json", args.tokenised_reference: "cleaning.json"}
    for text, listing in written.items():
        if text.with_name(listing).exists():
            check_listed(text.with_name(listing), text.name)
    texts = read_texts(
        hypotheses=args.hypotheses,
        detokenised=args.detokenised,
        reference=args.reference,
        tokenised_reference=args.tokenised_reference,
        target_language=args.target_language,
    )
    segments, empty = len(texts.hypotheses), texts.empty_hypotheses
    if empty:
        print(f"{args.hypotheses}: {empty} of {segments} hypotheses are empty", file=sys.stderr)
    scores = score_texts(texts)
    conventions: Conventions = measures_for(args.target_language)
    if args.meteor:
        original = OriginalMeteor(args.meteor)
        scores["meteor"] = original.score(texts)
        conventions = {**conventions, "meteor": original}
    report = {
        "target_language": args.target_language,
        "segments": segments,
        "empty_hypotheses": empty,
        "scores": {name: score.given for name, score in scores.items()},
    }
    if args.conventions:
        bleu = language(args.target_language).bleu
        title = f"{args.detokenised}: {segments} segments, {empty} of them empty"
        write_text(args.conventions, reconciliation(conventions, scores, bleu=bleu, title=title))
    write_hashed_json(args.output, report)


if __name__ == "__main__":
    run(main, Args)
