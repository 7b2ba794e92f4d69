"""Map tokens to ids: 0 <pad>, 1 <unk>, 2 </s>, then by decreasing count, ties by text."""

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from deepmt.base.errors import UserError
from deepmt.data.lines import read_lines, write_lines

SPECIALS = ("<pad>", "<unk>", "</s>")
PAD, UNK, EOS = range(3)


class Vocabulary:
    """Hold a fixed list of tokens; text that spells a special token is an unknown token.

    Raises ValueError if the list does not begin with the specials or repeats a token.
    """

    def __init__(self, tokens: Iterable[str]) -> None:
        self.tokens = tuple(tokens)
        if self.tokens[: len(SPECIALS)] != SPECIALS:
            raise UserError(f"a vocabulary must begin with {' '.join(SPECIALS)}")
        self._ids = {token: i for i, token in enumerate(self.tokens) if i >= len(SPECIALS)}
        if len(self._ids) + len(SPECIALS) != len(self.tokens) or self._ids.keys() & set(SPECIALS):
            raise UserError("a vocabulary must not repeat a token")
        if "" in self._ids:
            raise UserError("a vocabulary must not have an empty token")

    @classmethod
    def from_counts(
        cls, counts: Mapping[str, int], min_count: int = 1, largest: int = 0, unused: int = 0
    ) -> "Vocabulary":
        """Take the tokens seen at least `min_count` times, the `largest` most frequent at most.

        Specials do not count, and 0 = no limit. In fairseq they count: its dictionary of 32,768 has
        four specials and 32,764 types (Dictionary.finalize, nwords). `unused` types, which no
        text has, end the list.
        """
        kept = {
            token: count
            for token, count in counts.items()
            if count >= min_count and token not in SPECIALS
        }
        tokens = sorted(kept, key=lambda token: (-kept[token], token))
        fill = [f"<unused{number}>" for number in range(unused)]
        return cls([*SPECIALS, *(tokens[:largest] if largest else tokens), *fill])

    @classmethod
    def load(cls, path: Path) -> "Vocabulary":
        """Read a file of one token a line."""
        return cls(read_lines(path))

    def save(self, path: Path) -> None:
        """Write one token a line."""
        write_lines(path, self.tokens)

    def __len__(self) -> int:
        return len(self.tokens)

    def encode(self, tokens: Iterable[str]) -> list[int]:
        """Return the ids of tokens, UNK for those that are not listed; no EOS is added."""
        find = self._ids.get
        return [find(token, UNK) for token in tokens]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Return the tokens of ids, specials included."""
        return [self.tokens[i] for i in ids]


def build_vocabularies(
    counts: Mapping[str, Counter[str]],
    *,
    min_count: int,
    shared: bool,
    largest: int = 0,
    unused: int = 0,
) -> dict[str, Vocabulary]:
    """Build a vocabulary from each language's counts of pieces, or one for all languages."""
    if not shared:
        return {
            language: Vocabulary.from_counts(counted, min_count, largest, unused)
            for language, counted in counts.items()
        }
    whole = sum(counts.values(), Counter[str]())
    together = Vocabulary.from_counts(whole, min_count, largest, unused)
    return dict.fromkeys(counts, together)
