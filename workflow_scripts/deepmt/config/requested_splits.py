"""Find the splits that a run translates besides those of its scale."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from deepmt.config.measures import OTHER_SPLITS, PERPLEXITIES, measure_of
from deepmt.config.papers import Column, Row
from deepmt.config.settings import Plan


def requested_splits(plan: Plan) -> dict[str, tuple[str, ...]]:
    """Return the further splits of each run that the tables of the selected rows need.

    They are the run's own dev split, a sample of its training split, and test sets besides `test`.
    """
    found: dict[str, set[str]] = defaultdict(set)
    split_names: dict[str, tuple[str, ...]] = {}
    for table in (table for paper in plan.papers for table in paper.tables):
        for row in table.rows:
            if row.id in plan.selected:
                spec = plan.specs[row.id]
                split_names[spec.run] = plan.corpora.corpus(spec.data.corpus).split_names
                found[spec.run] |= set(_needed(row, table.columns.values()))
    return {
        run: tuple(name for name in split_names[run] if name in splits and name != "test")
        for run, splits in found.items()
    }


def _needed(row: Row, columns: Iterable[Column]) -> Iterator[str]:
    for column in columns:
        measure = measure_of(row, column)
        if measure in PERPLEXITIES:
            # The translation of test measures dev perplexity, too.
            if measure != "ppl_dev":
                yield PERPLEXITIES[measure]
        elif measure in OTHER_SPLITS:
            yield OTHER_SPLITS[measure][1]
        else:
            yield from column.splits or (column.split,)
