"""Score one translation of a test set by every measure."""

from pathlib import Path
from typing import Annotated

from deepmt.base.cli import run
from deepmt.base.files import REMEDY, check_hashes, sha256
from deepmt.base.printable import say
from deepmt.data.dataset import Dataset
from deepmt.measured.decoded import Decoded
from deepmt.measured.scored import Scored
from deepmt.scores.comet import comet_score
from deepmt.scores.original_meteor import original_meteor
from deepmt.scores.scored_texts import reference_files, source_of, texts_of
from deepmt.scores.scores import score_texts
from deepmt.settings.corpora import Split
from deepmt.settings.seed_folder import PointFolder


def main(
    *,
    dataset: Annotated[Path, "data/encoded/<dataset>, which has the references"],
    split: Split,
    output: Annotated[Path, "beside the translation and decoding.<split>.json"],
    meteor: Annotated[Path | None, "meteor-1.5.jar, for the original METEOR; needs java"] = None,
    comet: Annotated[Path | None, "a checkpoint of COMET (.ckpt); needs comet-score"] = None,
) -> None:
    """Score a translation: BLEU in the papers' conventions, chrF, TER; METEOR and COMET if asked.

    Write what decoding.<split>.json says, with value and signature of each measure, and the number
    of empty hypotheses.
    """
    folder = PointFolder(output.parent)
    decoded = Decoded.read(folder.decoded(split))
    check_hashes(folder.path, decoded.sha256, REMEDY)
    encoded = Dataset(dataset)
    texts = texts_of(folder, encoded, split)
    segments, empty = len(texts.hypotheses), texts.empty_hypotheses
    if empty:
        say(f"{output}: {empty} of {segments} hypotheses are empty")
    scores = score_texts(texts)
    if meteor:
        scores["meteor"] = original_meteor(meteor, texts)
    if comet:
        scores["comet"] = comet_score(comet, source_of(encoded, split), texts)
    references = reference_files(encoded, split)
    Scored(
        **vars(decoded),
        target_language=encoded.settings.target,
        references={name: sha256(path) for name, path in references.items()},
        segments=segments,
        empty_hypotheses=empty,
        scores=scores,
    ).write(output)


if __name__ == "__main__":
    run(main)
