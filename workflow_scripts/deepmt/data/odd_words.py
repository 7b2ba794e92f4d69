"""Words in which subword-nmt's learner can find pairs where there are none.

It joins symbols with spaces and looks for two of them between what it takes for spaces, which for
a regular expression are many characters; and it writes the end of a word as "</w>", which can also
stand in the text. Tokenised text has no such words. Those that there are go through its own code.
"""

import re
from collections import defaultdict
from collections.abc import Mapping

from subword_nmt.learn_bpe import get_pair_statistics, replace_pair, update_pair_statistics

END = "</w>"
ODD = re.compile(rf"\s|{END}")

Pair = tuple[str, str]


class OddWords:
    """These words, and what a merge does to them and to the counts of pairs."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self._words = [((*word[:-1], word[-1] + END), count) for word, count in counts.items()]
        self.pair_counts: dict[Pair, int]
        self.pair_counts, self._index = get_pair_statistics(self._words)

    def merge(self, pair: Pair) -> dict[Pair, int]:
        """Merge a pair; returns other pairs and how their counts change."""
        if pair not in self._index:
            return {}
        changes: defaultdict[Pair, int] = defaultdict(int)
        changed = replace_pair(pair, self._words, self._index)
        update_pair_statistics(pair, changed, changes, self._index)
        del changes[pair]
        return changes
