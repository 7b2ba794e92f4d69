"""Encode one shard of monolingual text like the reverse run's source side."""

from dataclasses import asdict
from pathlib import Path

from deepmt.cli import run
from deepmt.data.back_translation import TEXT
from deepmt.data.back_translation import shard as every_nth
from deepmt.data.data_settings import load_settings
from deepmt.data.encode_text import write_encoded
from deepmt.data.lines import read_lines, write_lines
from deepmt.data.subword import load_segmenter
from deepmt.data.tokeniser import Tokeniser, steps_for
from deepmt.data.vocabulary import Vocabulary
from deepmt.files import write_json


def main(
    *,
    dataset: Path,
    text: Path,
    shard: int,
    shards: int,
    output: Path,
) -> None:
    """Write bpe/ and ids/ of the shard, and its size to encoded.json.

    Apply the text steps, subwords and vocabulary of the dataset's training text.
    """
    settings = load_settings(dataset / "data.json")
    language = settings.source
    tokeniser = Tokeniser(steps_for(settings, "train", ()), language)
    segmenter = load_segmenter(settings, dataset, language)
    name = f"{TEXT}.{language}"
    segmented = output.parent / "bpe" / name
    lines = every_nth(read_lines(text), shard, shards)
    write_lines(segmented, (segmenter.segment(tokeniser.tokenise(line)) for line in lines))
    vocabulary = Vocabulary.load(dataset / f"vocab.{language}")
    counts = write_encoded(segmented, vocabulary, output.parent / "ids", name)
    write_json(output, asdict(counts))


if __name__ == "__main__":
    run(main)
