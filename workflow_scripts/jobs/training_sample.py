"""Sample some training pairs, the same for every run of a dataset, and encode them."""

from pathlib import Path

from deepmt.base.cli import run
from deepmt.base.files import hashes_of, write_hashed_json
from deepmt.data.data_settings import (
    SAMPLED,
    folder_of,
    load_settings,
    tokenised_splits,
)
from deepmt.data.encode_text import write_encoded
from deepmt.data.lines import read_lines, write_lines
from deepmt.data.subword import load_segmenter
from deepmt.data.tokeniser import steps_for
from deepmt.data.training_sample import LARGEST, SEED, draw
from deepmt.data.vocabulary import Vocabulary


def main(
    *,
    dataset: Path,
    raw_dir: Path,
    output: Path,
) -> None:
    """Write raw/, tok/ and ids/ of the sample, and its size, seed and hashes to manifest.json.

    It is encoded with the subwords and vocabulary of the dataset.
    """
    settings = load_settings(dataset / "data.json")
    folder = folder_of(dataset, SAMPLED)
    raw = {language: raw_dir / f"{SAMPLED}.{language}" for language in settings.languages}
    dev = sum(1 for _ in read_lines(raw_dir / f"dev.{settings.source}"))
    segmenters = [load_segmenter(settings, dataset, language) for language in settings.languages]
    steps = steps_for(settings, SAMPLED, tokenised_splits(raw_dir))
    pairs, tokenised = draw(raw, steps, min(LARGEST, dev), segmenters)
    for side, language in enumerate(settings.languages):
        name = f"{SAMPLED}.{language}"
        texts = {
            "raw": [pair[side] for pair in pairs],
            "tok": [pair[side] for pair in tokenised],
        }
        for form, lines in texts.items():
            write_lines(folder / form / name, lines)
        vocabulary = Vocabulary.load(dataset / f"vocab.{language}")
        pieces = map(segmenters[side].segment, texts["tok"])
        write_encoded(pieces, vocabulary, folder / "ids", name)
    sums = hashes_of(folder, "ids/*.npy")
    write_hashed_json(output, {"pairs": len(pairs), "seed": SEED, "sha256": sums})


if __name__ == "__main__":
    run(main)
