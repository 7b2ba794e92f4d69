"""Show the scores of one translation under every convention, side by side."""

from collections.abc import Mapping

from deepmt.metrics.original_meteor import OriginalMeteor
from deepmt.metrics.scores import Measure, Score

Conventions = Mapping[str, Measure | OriginalMeteor]


def reconciliation(conventions: Conventions, scores: Mapping[str, Score], *, title: str) -> str:
    """Return all scores as a Markdown table that names the papers which print each of them.

    The third column is the difference to `bleu`.
    """
    head = ("measure", "value", "less bleu", "printed by", "description", "signature")
    lines = [f"# {title}", "", row(*head), row("---", "---:", "---:", "---", "---", "---")]
    for name, score in scores.items():
        difference = score.value - scores["bleu"].value
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
    """Return a line of a Markdown table."""
    return f"| {' | '.join(cells)} |"
