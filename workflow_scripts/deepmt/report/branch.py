"""An explanation as a tree of lines."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Branch:
    """A line, and what hangs on it."""

    text: str
    parts: Sequence["Branch"] = ()

    def lines(self) -> Iterator[str]:
        """Every line, from the top down."""
        yield self.text
        for part in self.parts:
            yield from part.lines()
