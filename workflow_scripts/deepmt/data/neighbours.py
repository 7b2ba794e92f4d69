"""Places of a symbol in the text, by what stands beside it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Cells = NDArray[np.int32]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Where a symbol starts, by the symbol beside it."""

    symbols: Cells
    starts: Integers
    places: Cells

    def of(self, symbol: int) -> Cells:
        """Places beside that symbol."""
        i = int(np.searchsorted(self.symbols, symbol))
        if i == len(self.symbols) or self.symbols[i] != symbol:
            return self.places[:0]
        return self.places[self.starts[i] : self.starts[i + 1]]


def run_starts(values: NDArray[np.integer]) -> Integers:
    """Where each run of equal values begins."""
    return np.flatnonzero(np.append(True, values[1:] != values[:-1])[: len(values)])


def by_neighbour(
    beside: Cells, places: Cells, frequencies: Integers
) -> tuple[Neighbours, Integers]:
    """Group places by the symbol beside them; BREAK is none."""
    order = np.argsort(beside, kind="stable")[np.count_nonzero(beside < 0) :]
    beside = beside[order]
    starts = run_starts(beside)
    sums = np.add.reduceat(frequencies[order], starts) if len(starts) else starts
    return Neighbours(beside[starts], np.append(starts, len(order)), places[order]), sums
