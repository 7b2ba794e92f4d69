"""Encode lines of text one by one, as a dataset encodes a split."""

from pathlib import Path

from deepmt.data.data_settings import load_settings
from deepmt.data.lines import words
from deepmt.data.subword import load_segmenter
from deepmt.data.tokeniser import Tokeniser, steps_for
from deepmt.data.vocabulary import Vocabulary


class LineEncoder:
    """Apply text steps, subwords and vocabulary of a dataset's source side."""

    def __init__(self, dataset: Path, split: str) -> None:
        settings = load_settings(dataset / "data.json")
        self.tokeniser = Tokeniser(steps_for(settings, split, ()), settings.source)
        self.segmenter = load_segmenter(settings, dataset, settings.source)
        self.vocabulary = Vocabulary.load(dataset / f"vocab.{settings.source}")

    def ids(self, line: str) -> list[int]:
        """Return the token ids of a line, without EOS."""
        return self.vocabulary.encode(words(self.segmenter.segment(self.tokeniser.tokenise(line))))
