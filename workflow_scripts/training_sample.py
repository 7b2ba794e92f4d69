"""Sample some training pairs, the same for every run of a dataset, and encode them."""

from dataclasses import dataclass
from pathlib import Path

from deepmt.cli import run
from deepmt.data.data_settings import (
    SAMPLED,
    check_subwords,
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
from deepmt.files import write_json


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write raw/, tok/, bpe/ and ids/ of the sample, and its size and seed to sample.json."""

    dataset: Path
    raw_dir: Path
    output: Path


def main(args: Args) -> None:
    """Encode the sample with the subwords and vocabulary of the dataset."""
    settings = load_settings(args.dataset / "data.json")
    check_subwords(args.dataset)
    folder = folder_of(args.dataset, SAMPLED)
    raw = {language: args.raw_dir / f"{SAMPLED}.{language}" for language in settings.languages}
    dev = sum(1 for _ in read_lines(args.raw_dir / f"dev.{settings.source}"))
    segmenters = [
        load_segmenter(settings, args.dataset, language) for language in settings.languages
    ]
    steps = steps_for(settings, SAMPLED, tokenised_splits(args.raw_dir))
    pairs, tokenised = draw(raw, steps, min(LARGEST, dev), segmenters)
    for side, language in enumerate(settings.languages):
        name = f"{SAMPLED}.{language}"
        texts = {
            "raw": [pair[side] for pair in pairs],
            "tok": [pair[side] for pair in tokenised],
            "bpe": [segmenters[side].segment(pair[side]) for pair in tokenised],
        }
        for form, lines in texts.items():
            write_lines(folder / form / name, lines)
        vocabulary = Vocabulary.load(args.dataset / f"vocab.{language}")
        write_encoded(folder / "bpe" / name, vocabulary, folder / "ids", name)
    write_json(args.output, {"pairs": len(pairs), "seed": SEED})


if __name__ == "__main__":
    run(main, Args)
