"""Score one translation of a test set by every measure."""

import sys
from pathlib import Path
from typing import Annotated

from deepmt.cli import run
from deepmt.files import write_hashed_json, write_text
from deepmt.metrics.conventions import Conventions, reconciliation
from deepmt.metrics.original_meteor import OriginalMeteor
from deepmt.metrics.scored_texts import read_texts
from deepmt.metrics.scores import measures_for, score_texts


def main(
    *,
    hypotheses: Annotated[Path, "tokenised translations, subwords joined"],
    detokenised: Annotated[Path, "the same translations, detokenised"],
    reference: Annotated[Path, "raw reference"],
    tokenised_reference: Annotated[Path, "reference, tokenised like the hypotheses"],
    target_language: Annotated[str, "code of ISO 639, e.g. de"],
    output: Annotated[Path, "scores, a JSON object"],
    conventions: Annotated[Path | None, "the same scores as a Markdown table"] = None,
    meteor: Annotated[Path | None, "meteor-1.5.jar, for the original METEOR; needs java"] = None,
) -> None:
    """Score a translation: BLEU in the papers' conventions, chrF, TER, METEOR, with signatures.

    Write value and signature of each measure, and the number of empty hypotheses.
    """
    texts = read_texts(
        hypotheses=hypotheses,
        detokenised=detokenised,
        reference=reference,
        tokenised_reference=tokenised_reference,
        target_language=target_language,
    )
    segments, empty = len(texts.hypotheses), texts.empty_hypotheses
    if empty:
        print(f"{hypotheses}: {empty} of {segments} hypotheses are empty", file=sys.stderr)
    scores = score_texts(texts)
    measures: Conventions = measures_for(target_language)
    if meteor:
        original = OriginalMeteor(meteor)
        scores["meteor"] = original.score(texts)
        measures = {**measures, "meteor": original}
    scored = {
        "target_language": target_language,
        "segments": segments,
        "empty_hypotheses": empty,
        "scores": {name: score.given for name, score in scores.items()},
    }
    if conventions:
        title = f"{detokenised}: {segments} segments, {empty} of them empty"
        write_text(conventions, reconciliation(measures, scores, title=title))
    write_hashed_json(output, scored)


if __name__ == "__main__":
    run(main)
