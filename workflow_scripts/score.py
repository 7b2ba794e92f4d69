"""Score one translation of a test set by every measure."""

import sys
from pathlib import Path
from typing import Annotated

from deepmt.cli import run
from deepmt.data.data_settings import load_settings
from deepmt.files import write_hashed_json
from deepmt.metrics.original_meteor import OriginalMeteor
from deepmt.metrics.scored_texts import texts_of
from deepmt.metrics.scores import score_texts


def main(
    *,
    dataset: Annotated[Path, "data/encoded/<dataset>, which has the references"],
    split: str,
    output: Annotated[
        Path, "scores, a JSON object, beside hyp.<split>.txt and hyp.<split>.tok.txt"
    ],
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
    if meteor:
        scores["meteor"] = OriginalMeteor(meteor).score(texts)
    scored = {
        "target_language": settings.target,
        "segments": segments,
        "empty_hypotheses": empty,
        "scores": {name: score.given for name, score in scores.items()},
    }
    write_hashed_json(output, scored)


if __name__ == "__main__":
    run(main)
