"""One translation under every convention, side by side: the same words, many numbers."""

from collections.abc import Mapping
from typing import Protocol

from deepmt.metrics.scores import Score

YARDSTICK = "bleu"
HEAD = ("measure", "value", f"less {YARDSTICK}", "printed by", "what it is", "signature")


class Convention(Protocol):
    """What a table says of a measure."""

    @property
    def description(self) -> str:
        """What it is."""

    @property
    def printed_by(self) -> tuple[str, ...]:
        """Papers whose tables use it."""


def reconciliation(
    conventions: Mapping[str, Convention], scores: Mapping[str, Score], *, title: str
) -> str:
    """All scores in a Markdown table; those that a paper prints carry its name.

    The third column says by how much a BLEU differs from sacreBLEU's of the same words.
    """
    lines = [f"# {title}", "", row(*HEAD), row("---", "---:", "---:", "---", "---", "---")]
    for name, score in scores.items():
        difference = score.value - scores[YARDSTICK].value
        lines.append(
            row(
                f"**{name}**" if conventions[name].printed_by else name,
                f"{score.value:.2f}",
                f"{difference:+.2f}" if name.startswith("bleu_") else "",
                "; ".join(conventions[name].printed_by),
                conventions[name].description,
                f"`{score.signature}`".replace("|", "\\|"),
            )
        )
    return "\n".join(lines) + "\n"


def row(*cells: str) -> str:
    """A line of a Markdown table."""
    return f"| {' | '.join(cells)} |"
