"""Score one translation of a test set by every measure."""

from pathlib import Path
from typing import Annotated

from deepmt.base.cli import run
from deepmt.base.files import REMEDY, check_hashes, read_json, sha256, write_hashed_json
from deepmt.base.printable import say
from deepmt.data.data_settings import load_settings
from deepmt.scores.original_meteor import original_meteor
from deepmt.scores.scored_texts import reference_files, texts_of
from deepmt.scores.scores import score_texts


def main(
    *,
    dataset: Annotated[Path, "data/encoded/<dataset>, which has the references"],
    split: str,
    output: Annotated[Path, "beside the translation and decoding.<split>.json"],
    meteor: Annotated[Path | None, "meteor-1.5.jar, for the original METEOR; needs java"] = None,
) -> None:
    """Score a translation: BLEU in the papers' conventions, chrF, TER, METEOR, with signatures.

    Write what decoding.<split>.json says, with value and signature of each measure, and the number
    of empty hypotheses.
    """
    report = read_json(output.with_name(f"decoding.{split}.json"))
    check_hashes(output.parent, report["sha256"], REMEDY)
    settings = load_settings(dataset / "data.json")
    texts = texts_of(output.parent, dataset, settings, split)
    segments, empty = len(texts.hypotheses), texts.empty_hypotheses
    if empty:
        say(f"{output}: {empty} of {segments} hypotheses are empty")
    scores = score_texts(texts)
    if meteor:
        scores["meteor"] = original_meteor(meteor, texts)
    scored = {
        "target_language": settings.target,
        "references": {
            name: sha256(path) for name, path in reference_files(dataset, settings, split).items()
        },
        "segments": segments,
        "empty_hypotheses": empty,
        "scores": {name: score.given for name, score in scores.items()},
    }
    write_hashed_json(output, report | scored)


if __name__ == "__main__":
    run(main)
