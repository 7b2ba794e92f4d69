"""Count what a user's text holds after cleaning."""

import re
from collections import Counter
from dataclasses import dataclass, field

WITH_CONTROL = "lines with control characters"
TOKENISED = re.compile(r" \.$| @-@ |&(apos|quot|amp|#\d+);")
"""Signs of tokens; sacreBLEU looks for the first."""

Pair = tuple[str, str]


@dataclass
class CleanText:
    """Count the pairs of each split, and what cleaning dropped or changed and why."""

    pairs: dict[str, int]
    given: Counter[str] = field(default_factory=Counter)
    """Pairs that were read, by the split that their file holds."""
    cleaning: Counter[str] = field(default_factory=Counter)
    characters: tuple[Counter[str], Counter[str]] = field(
        default_factory=lambda: (Counter(), Counter())
    )
    """Those of both sides of the training text."""
    tokenised: list[int] = field(default_factory=lambda: [0, 0])
    """Training lines of both sides with a sign of tokens."""
    sample: list[Pair] = field(default_factory=list)
    """Training pairs at even distances."""

    def add(self, pair: Pair, *, every: int) -> None:
        """Count what a training pair is made of, and keep one in so many."""
        for side, line in enumerate(pair):
            self.characters[side].update(line)
            self.tokenised[side] += bool(TOKENISED.search(line))
        if self.pairs["train"] % every == 0:
            self.sample.append(pair)

    @property
    def alphabet(self) -> int:
        """Return the number of distinct characters, of the side that has more."""
        return max(map(len, self.characters))

    @property
    def dropped(self) -> str:
        """Return what was dropped and why, e.g. "empty side: 12, repeated: 1,003"."""
        kept = ("read", WITH_CONTROL)
        why = (f"{why}: {n:,}" for why, n in self.cleaning.items() if n and why not in kept)
        return ", ".join(why) or "none dropped"
