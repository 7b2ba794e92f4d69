"""Translate sentences with the model of a finished seed, from raw text to raw text."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from deepmt.data.dataset import Dataset
from deepmt.data.line_encoder import LineEncoder
from deepmt.data.lines import clean_line
from deepmt.data.tokeniser import Tokeniser
from deepmt.data.vocabulary import EOS, UNK
from deepmt.decode.load_model import load_model
from deepmt.decode.search import search
from deepmt.kernels.limits import SENTENCES_AT_ONCE
from deepmt.settings.spec import read_spec


@dataclass(frozen=True)
class SourceLine:
    """Hold a line as the model reads it."""

    ids: Sequence[int]
    """Without the end symbol, and no more than training takes."""
    subwords: int
    """Subwords of the whole line."""

    @property
    def cut(self) -> bool:
        """Check if the line is longer than what the model reads."""
        return self.subwords > len(self.ids)

    @property
    def unknown(self) -> int:
        """Return the number of subwords that the model has never seen."""
        return list(self.ids).count(UNK)


class SentenceTranslator:
    """Translate as the test set of a seed is translated: text steps, subwords, beam search.

    Raises:
        ValueError: a file of the dataset or of the model is damaged.
    """

    def __init__(
        self, spec_file: Path, weights: Path, dataset: Path, *, precision: str, n_best: int
    ) -> None:
        data = Dataset(dataset)
        self.spec = spec = read_spec(spec_file)
        self.n_best = n_best
        self.source = LineEncoder(data, "test")
        target = spec.data.target
        self.join = data.segmenter(target)
        self.detokenise = Tokeniser(data.settings, target).detokenise
        self.target = data.vocabularies[1]
        sizes = len(self.source.vocabulary), len(self.target)
        self.model = load_model(spec, sizes, weights, "cpu", precision)

    def read(self, line: str) -> SourceLine:
        """Return what the model reads of a line."""
        ids = self.source.ids(clean_line(line))
        return SourceLine(ids[: self.spec.training.max_length], len(ids))

    def translate(self, lines: Sequence[SourceLine]) -> list[list[tuple[str, float]]]:
        """Return the best translations of each line with their scores; none of an empty line."""
        found: list[list[tuple[str, float]]] = [[] for _ in lines]
        # Long ones first.
        filled = (number for number, line in enumerate(lines) if line.ids)
        order = sorted(filled, key=lambda number: -len(lines[number].ids))
        sentences = [torch.tensor([*lines[number].ids, EOS]) for number in order]
        beam = max(self.spec.decoding.beam, self.n_best)
        settings = replace(self.spec.decoding, beam=beam)
        results = search(
            self.model, sentences, settings, batch_size=SENTENCES_AT_ONCE, numbers=order
        )
        for number, hypotheses in results:
            found[number] = [(self._text(h.tokens), h.score) for h in hypotheses[: self.n_best]]
        return found

    def _text(self, ids: Sequence[int]) -> str:
        return self.detokenise(self.join.undo(" ".join(self.target.decode(ids))))
