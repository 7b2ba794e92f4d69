"""Which runs have to translate their own dev set, or a sample of their training set."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from deepmt.papers import Column, Row
from deepmt.report.answers import OTHER_SETS, OWN_SETS, PERPLEXITIES, measure_of
from deepmt.settings import Plan


def sets_asked_for(plan: Plan) -> dict[str, tuple[str, ...]]:
    """Own sets by run, as the tables of the rows asked for need them; others cost nothing."""
    found: dict[str, set[str]] = defaultdict(set)
    for table in (table for paper in plan.papers for table in paper.tables):
        for row in table.rows:
            if row.id in plan.selected:
                found[plan.specs[row.id].run] |= set(_needed(row, table.columns.values()))
    return {run: tuple(name for name in OWN_SETS if name in sets) for run, sets in found.items()}


def _needed(row: Row, columns: Iterable[Column]) -> Iterator[str]:
    for column in columns:
        measure = measure_of(row, column)
        if measure in PERPLEXITIES:
            # Every translation measures dev's perplexity besides its own set's.
            wanted = PERPLEXITIES[measure] if measure != "ppl_dev" else ""
        else:
            wanted = OTHER_SETS.get(measure, (measure, column.set))[1]
        if wanted in OWN_SETS:
            yield wanted
