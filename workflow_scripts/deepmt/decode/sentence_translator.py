"""Translate sentences with the model of a finished seed, from raw text to raw text."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch

from deepmt.config.spec import read_spec
from deepmt.data.data_settings import load_settings
from deepmt.data.line_encoder import LineEncoder
from deepmt.data.subword import load_segmenter
from deepmt.data.text_folder import clean_line
from deepmt.data.tokeniser import Tokeniser
from deepmt.data.vocabulary import EOS, Vocabulary
from deepmt.decode.search import search
from deepmt.decode.translate import CPU_SENTENCES, load_model


class SentenceTranslator:
    """Translate as the test set of a seed is translated: text steps, subwords, beam search."""

    def __init__(self, seed: Path, dataset: Path, *, precision: str, n_best: int) -> None:
        self.spec = spec = read_spec(seed.parent / "spec.json")
        self.n_best = n_best
        self.source = LineEncoder(dataset, "test")
        settings, target = load_settings(dataset / "data.json"), spec.data.target
        self.join = load_segmenter(settings, dataset, target)
        self.detokenise = Tokeniser(settings, target).detokenise
        self.target = Vocabulary.load(dataset / f"vocab.{target}")
        sizes = len(self.source.vocabulary), len(self.target)
        self.model = load_model(spec, sizes, seed / "model.safetensors", "cpu", precision)

    def translate(self, lines: Sequence[str]) -> list[list[tuple[str, float]]]:
        """Return the best translations of each line with their scores; none of an empty line."""
        found: list[list[tuple[str, float]]] = [[] for _ in lines]
        ids = {number: self._ids(line) for number, line in enumerate(lines)}
        # Long ones first; a line of the end symbol alone is empty.
        order = sorted((n for n in ids if len(ids[n]) > 1), key=lambda n: -len(ids[n]))
        sentences = [torch.tensor(ids[number]) for number in order]
        beam = max(self.spec.decoding.beam, self.n_best)
        settings = replace(self.spec.decoding, beam=beam)
        results = search(self.model, sentences, settings, batch_size=CPU_SENTENCES, numbers=order)
        for number, hypotheses in results:
            found[number] = [(self._text(h.tokens), h.score) for h in hypotheses[: self.n_best]]
        return found

    def _ids(self, line: str) -> list[int]:
        return [*self.source.ids(clean_line(line))[: self.spec.training.max_length], EOS]

    def _text(self, ids: Sequence[int]) -> str:
        return self.detokenise(self.join.undo(" ".join(self.target.decode(ids))))
