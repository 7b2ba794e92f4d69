"""Encode lines of text one by one, as a dataset encodes a split."""

from deepmt.data.dataset import Dataset
from deepmt.data.lines import words
from deepmt.data.tokeniser import Tokeniser, steps_for


class LineEncoder:
    """Apply text steps, subwords and vocabulary of a dataset's source side."""

    def __init__(self, dataset: Dataset, split: str) -> None:
        settings = dataset.settings
        self.tokeniser = Tokeniser(steps_for(settings, split, ()), settings.source)
        self.segmenter = dataset.segmenter(settings.source)
        self.vocabulary = dataset.vocabularies[0]

    def ids(self, line: str) -> list[int]:
        """Return the token ids of a line, without EOS."""
        return self.vocabulary.encode(words(self.segmenter.segment(self.tokeniser.tokenise(line))))
