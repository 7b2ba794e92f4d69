"""Which systems of a table trained, and which diverged or learned nothing."""

import re
from collections.abc import Sequence
from operator import attrgetter
from typing import Any

import pandas as pd
from matplotlib.figure import Figure as Plot
from matplotlib.patches import Patch, Rectangle

from deepmt.config.figure_options import StabilityGrid
from deepmt.config.papers import Figure
from deepmt.report.figures import style
from deepmt.report.figures.facts import Fact, Finding, decided, listed, slug
from deepmt.report.figures.points import ours, table_of
from deepmt.report.figures.sources import Sources
from deepmt.results.cell_values import divergence
from deepmt.results.records import Entry
from deepmt.results.verdict import unlearned

TRAINED, PARTLY, FAILED = "trained", "with some seeds", "failed (update or BLEU)"
LOOKS: dict[str, dict[str, Any]] = {
    TRAINED: {"facecolor": "#cfe5f3", "edgecolor": "white"},
    PARTLY: {"facecolor": "#f4e3b2", "edgecolor": "#8a6d1f", "hatch": "//"},
    FAILED: {"facecolor": "#f0b49a", "edgecolor": "#8c3500", "hatch": "xx"},
}


def gather(figure: Figure, sources: Sources) -> pd.DataFrame:
    """A point a row: y is the share of its seeds that trained."""
    options: StabilityGrid = figure.draw
    [table] = [t for t in sources.paper.tables if t.id == options.table]
    specs = sources.ledger.specs
    rows = [row for row in table.rows if row.id in specs]
    values = {row.id: [attrgetter(k)(specs[row.id]) for k in options.across] for row in rows}
    points = []
    for row in sorted(rows, key=lambda row: values[row.id]):
        forms = zip(options.across.values(), values[row.id], strict=True)
        column = ", ".join(form.format(value) for form, value in forms)
        points.append({"series": row.label, "x": column} | _outcome(sources.ledger.entries(row)))
    absent = [row for row in table.rows if row.id not in specs]
    points += [{"series": r.label, "note": sources.ledger.unavailable[r.id]} for r in absent]
    return table_of(points)


def _outcome(entries: Sequence[Entry]) -> dict[str, Any]:
    if not entries:
        return {"note": "not run"}
    scores = [score(entry) for entry in entries if entry.record.outcome == "finished"]
    trained = [found for found in scores if not unlearned("bleu", found)]
    below = ", ".join(f"{found:.1f} BLEU" for found in scores if unlearned("bleu", found))
    return {
        "y": len(trained) / len(entries),
        "run": entries[0].record.run,
        "seed": " ".join(str(entry.record.seed) for entry in entries),
        "note": divergence(entries) or below or TRAINED,
    }


def score(entry: Entry) -> float | None:
    """The best BLEU over the sets that were translated; None where none was."""
    sets = entry.record.scores.values()
    return max((found["bleu"].value for found in sets if "bleu" in found), default=None)


def state(share: float) -> str:
    """In a word."""
    return TRAINED if share == 1 else PARTLY if share else FAILED


def draw(points: pd.DataFrame, figure: Figure) -> Plot:
    """A field a row of the table; colour and hatch say the same as the word."""
    options: StabilityGrid = figure.draw
    points = points.dropna(subset=["x"])
    methods, columns = list(dict.fromkeys(points.series)), list(dict.fromkeys(points.x))
    plot, axes = style.new_figure([""], height=0.24 * len(methods) + 0.7)
    [one] = axes.values()
    for point in points.itertuples():
        left, top = columns.index(point.x), methods.index(point.series)
        run = point.y == point.y
        look = LOOKS[state(point.y)] if run else {"facecolor": "white", "edgecolor": "#dddddd"}
        one.add_patch(Rectangle((left, top), 1, 1, **look))
        word = in_field(point) if run else "not run"
        card = style.CARD if "hatch" in look else {}
        one.text(left + 0.5, top + 0.5, word, ha="center", va="center", fontsize=6.5, **card)
    one.set_xlim(0, len(columns))
    one.set_ylim(len(methods), 0)
    one.set_xticks([n + 0.5 for n in range(len(columns))], [c.replace(", ", "\n") for c in columns])
    one.set_yticks([n + 0.5 for n in range(len(methods))], methods)
    one.tick_params(length=0)
    one.grid(visible=False)
    one.set_xlabel(options.x)
    plot.legend(
        handles=[Patch(label=word, **look) for word, look in LOOKS.items()],
        loc="outside upper left",
        ncols=3,
        handlelength=1.4,
        columnspacing=1,
    )
    return plot


def in_field(point: Any) -> str:
    """The update at which it diverged, or the first and the last of several; or how it ended."""
    updates = re.findall(r"\d+", point.note.partition(" at update")[2])
    return "–".join(dict.fromkeys([updates[0], updates[-1]])) if updates else point.note


def find(points: pd.DataFrame, figure: Figure) -> Finding:
    """Which methods train everywhere, and where the others fail."""
    facts: dict[str, Fact] = {}
    stable, texts = [], []
    for method, own in points.groupby("series", sort=False):
        facts[slug(f"{method} trains everywhere")] = decided(own.y == 1, own.y)
        facts[slug(f"fields {method} fails in")] = int((own.y < 1).sum())
        for point in own.dropna(subset=["x"]).itertuples():
            facts[slug(f"{method} trains at {point.x}")] = decided([point.y == 1], [point.y])
        lost = [f"{point.x} ({point.note})" for point in own[own.y < 1].itertuples()]
        texts += [f"{method} at {listed(lost)}"] if lost else []
        stable += [str(method)] if own.y.notna().any() and not lost else []
    if ours(points).empty:
        return Finding("Not run.", facts)
    said = [f"Trained wherever it was run: {listed(stable)}."] if stable else []
    return Finding(" ".join([*said, *(f"Not {text}." for text in texts)]), facts)
