"""Words cut by a list of BPE merges, as subword-nmt's apply-bpe cuts them."""

import io
import re
from collections.abc import Iterable
from itertools import pairwise

from subword_nmt import apply_bpe

from deepmt.data.words import words

SEPARATOR = "@@"
CACHED_WORDS = 1 << 20
NONE = 1 << 62
"""The rank of a pair that is no merge."""


def codes_of(merges: Iterable[tuple[str, str]]) -> str:
    """The file that subword-nmt's learn-bpe writes for these merges."""
    return "".join(["#version: 0.2\n", *(f"{left} {right}\n" for left, right in merges)])


class Bpe:
    """subword-nmt's segmentation by a list of merges, marked with `@@ `."""

    def __init__(self, codes: str, vocabulary: set[str] | None = None) -> None:
        self._cut = _Cuts(apply_bpe.BPE(io.StringIO(codes), separator=SEPARATOR, vocab=vocabulary))

    def segment(self, line: str) -> str:
        """Subwords of each word, all but its last one marked; spaces at the ends stay.

        The same bytes as from `subword-nmt apply-bpe < text`.
        """
        inner = line.strip(" ")
        tokens = words(inner) if "  " in inner else inner.split(" ")
        cut = " ".join(map(self._cut.__getitem__, tokens))
        return cut if len(inner) == len(line) else line.replace(inner, cut, 1) if inner else line

    def undo(self, line: str) -> str:
        """Join what is marked, as `sed -r 's/(@@ )|(@@ ?$)//g'` does."""
        return re.sub("(@@ )|(@@ ?$)", "", line)


class _Cuts(dict[str, str]):
    """Words cut so far, forgotten when they are too many."""

    def __init__(self, bpe: apply_bpe.BPE) -> None:
        super().__init__()
        self._bpe = bpe

    def __missing__(self, word: str) -> str:
        if len(self) >= CACHED_WORDS:
            self.clear()
        self[word] = cut = f"{SEPARATOR} ".join(self._pieces(word))
        return cut

    def _pieces(self, word: str) -> list[str]:
        bpe = self._bpe
        if len(word) < 2:
            return [word]
        if bpe.version == (0, 2):
            pieces = self._merged([*word[:-1], word[-1] + "</w>"])
            pieces[-1] = pieces[-1].removesuffix("</w>")
        else:
            pieces = apply_bpe.encode(
                word, bpe.bpe_codes, bpe.bpe_codes_reverse, None, SEPARATOR, bpe.version, {}
            )
        if bpe.vocab:
            pieces = apply_bpe.check_vocab_and_split(
                pieces, bpe.bpe_codes_reverse, bpe.vocab, SEPARATOR
            )
        return list(pieces)

    def _merged(self, symbols: list[str]) -> list[str]:
        """Merge the pair that comes first in the list, wherever it is, again and again.

        subword-nmt looks up every pair after each merge; only the two beside it are new.
        """
        rank_of = self._bpe.bpe_codes.get
        ranks = [rank_of(pair, NONE) for pair in pairwise(symbols)]
        while ranks and (best := min(ranks)) < NONE:
            i = ranks.index(best)
            del ranks[i]
            if best in ranks:
                symbols = _merge_all(symbols, symbols[i], symbols[i + 1])
                ranks = [rank_of(pair, NONE) for pair in pairwise(symbols)]
                continue
            symbols[i] += symbols.pop(i + 1)
            if i:
                ranks[i - 1] = rank_of((symbols[i - 1], symbols[i]), NONE)
            if i < len(ranks):
                ranks[i] = rank_of((symbols[i], symbols[i + 1]), NONE)
        return symbols


def _merge_all(symbols: list[str], left: str, right: str) -> list[str]:
    merged: list[str] = []
    rest = iter(pairwise([*symbols, ""]))
    for pair in rest:
        if pair == (left, right):
            merged.append(left + right)
            next(rest, None)
        else:
            merged.append(pair[0])
    return merged
