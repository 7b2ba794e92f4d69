"""The line that says what a figure's numbers are of."""

import pandas as pd

from deepmt.report.figures.sources import Sources
from deepmt.results.cell_values import Ledger
from deepmt.results.verdict import FULL_SCALE

APART = "Not comparable with the paper's numbers."


def scale_label(points: pd.DataFrame, sources: Sources) -> str:
    """Scale, what the corpora are, and whether the numbers compare with the paper's."""
    runs = set(points.run) - {""}
    title = sources.scale.title
    notes = corpus_notes(sources.ledger, runs)
    if not notes:
        begun = points.y[points.source == "ours"].notna().any()
        said = "these runs have no record yet" if begun else "nothing of this figure has been run"
        return f"{title}: {said}."
    apart = [] if sources.ledger.scale == FULL_SCALE else [APART]
    return " ".join([f"{title}.", *notes, *apart])


def corpus_notes(ledger: Ledger, runs: set[str]) -> list[str]:
    """What the records of runs say of their corpora."""
    entries = [entry for run in sorted(runs) for entry in ledger.records.of(run)]
    return list(dict.fromkeys(entry.record.data.note for entry in entries))
