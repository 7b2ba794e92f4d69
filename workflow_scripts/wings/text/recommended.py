"""Recommend a recipe for a number of pairs, by records of texts of about that size."""

from math import log
from pathlib import Path

from deepmt.measured.record_archive import parts
from deepmt.report.fragments.recorded_scale import RecordedScale
from deepmt.report.fragments.row_tables import SIZES
from deepmt.study.papers import OWN_PAPER, rows_of, systems_behind
from wings.text.request import method_rows

FAR = log(4)
"""Logarithm of the ratio of pairs beyond which one text is no example for another."""


def recommended(root: Path, pairs: int) -> str:
    """Return which recorded system is the first on a text of about so many pairs, or nothing."""
    scales = [RecordedScale(root, name) for name in SIZES if parts(root / "records", name)]
    for scale in sorted(scales, key=lambda one: _away(one, pairs)):
        if _away(scale, pairs) <= FAR and scale.ranking.compared:
            return _first(scale)
    return ""


def _text(scale: RecordedScale) -> tuple[str, int]:
    """Return title and number of pairs of a scale's text."""
    plan = scale.plan
    corpus = plan.corpora.corpus(plan.scale.corpora_of(OWN_PAPER)["common"])
    assert corpus.size is not None
    return corpus.title, corpus.size.pairs


def _away(scale: RecordedScale, pairs: int) -> float:
    return abs(log(_text(scale)[1] / pairs))


def _first(scale: RecordedScale) -> str:
    """Return the first of a scale's systems, and the word of METHODS for its method."""
    first, unified = scale.ranking.first.system, scale.unified
    title, pairs = _text(scale)
    systems = {row.id: row.system for row in rows_of(unified)}
    words = {systems[row]: word for word, row in method_rows(unified).items()}
    method = next(words[one] for one in systems_behind(unified, first.system) if one in words)
    seeds = f"{len(first.seeds)} seed{'s' * (len(first.seeds) > 1)}"
    return (
        f"METHODS={method}: {first.name} ranks first of {len(scale.ranking.systems)} systems"
        f" recorded on {title}, {pairs:,} pairs ({seeds})"
    )
