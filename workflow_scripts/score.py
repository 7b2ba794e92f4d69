"""Score one translation of a test set by every measure."""

import sys
from pathlib import Path
from typing import Annotated

from deepmt.cli import run
from deepmt.data.data_settings import load_settings
from deepmt.files import write_hashed_json, write_text
from deepmt.metrics.conventions import Conventions, reconciliation
from deepmt.metrics.original_meteor import OriginalMeteor
from deepmt.metrics.scored_texts import texts_of
from deepmt.metrics.scores import measures_for, score_texts


def main(
    *,
    dataset: Annotated[Path, "data/encoded/<dataset>, which has the references"],
    split: str,
    output: Annotated[
        Path, "scores, a JSON object, beside hyp.<split>.txt and hyp.<split>.tok.txt"
    ],
    conventions: Annotated[Path | None, "the same scores as a Markdown table"] = None,
    meteor: Annotated[Path | None, "meteor-1.5.jar, for the original METEOR; needs java"] = None,
) -> None:
    """Score a translation: BLEU in the papers' conventions, chrF, TER, METEOR, with signatures.

    Write value and signature of each measure, and the number of empty hypotheses.
    """
    settings = load_settings(dataset / "data.json")
    texts = texts_of(output.parent, dataset, settings, split)
    segments, empty = len(texts.hypotheses), texts.empty_hypotheses
    if empty:
        print(f"{output}: {empty} of {segments} hypotheses are empty", file=sys.stderr)
    scores = score_texts(texts)
    measures: Conventions = measures_for(settings.target)
    if meteor:
        original = OriginalMeteor(meteor)
        scores["meteor"] = original.score(texts)
        measures = {**measures, "meteor": original}
    scored = {
        "target_language": settings.target,
        "segments": segments,
        "empty_hypotheses": empty,
        "scores": {name: score.given for name, score in scores.items()},
    }
    if conventions:
        title = f"{output}: {segments} segments, {empty} of them empty"
        write_text(conventions, reconciliation(measures, scores, title=title))
    write_hashed_json(output, scored)


if __name__ == "__main__":
    run(main)
