"""Count what a user's text holds after cleaning."""

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from deepmt.data.line_forms import ENTITY, TOKENISED

WITH_CONTROL = "lines with control characters"
SIGNS = {
    "look tokenised (` .`, ` ,`, @-@): BLEU is then of tokens, and some 2.5 higher; give the text"
    " as people write it": TOKENISED,
    "have entities (&amp;, &nbsp;), which models learn to write; unescape them": ENTITY,
}
"""What is said of lines with these signs."""

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
    signs: tuple[Counter[str], Counter[str]] = field(default_factory=lambda: (Counter(), Counter()))
    """Training lines of both sides with each of SIGNS."""
    samples: defaultdict[str, list[Pair]] = field(default_factory=lambda: defaultdict(list))
    """Pairs whose languages are compared, by the split that their file holds."""

    def add(self, pair: Pair) -> None:
        """Count what a training pair is made of."""
        for side, line in enumerate(pair):
            self.characters[side].update(line)
            self.signs[side].update(said for said, sign in SIGNS.items() if sign.search(line))

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
