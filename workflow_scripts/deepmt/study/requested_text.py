"""Find the text that the selected rows need: further splits to translate, datasets to count."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from deepmt.settings.spec import Spec
from deepmt.study.measures import OF_SPLITS
from deepmt.study.papers import Column, Row, measure_of, rows_of, settings_of
from deepmt.study.plan import Plan, rows_by_id


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
                split_names[spec.run] = plan.corpora.corpus(spec.data.corpus).translated
                found[spec.run] |= set(_needed(row, table.columns.values()))
    return {
        run: tuple(name for name in split_names[run] if name in splits and name != "test")
        for run, splits in found.items()
    }


def _needed(row: Row, columns: Iterable[Column]) -> Iterator[str]:
    for column in columns:
        measure = measure_of(row, column)
        if measure in OF_SPLITS:
            # The translation of test measures dev perplexity, too.
            if measure != "ppl_dev":
                yield OF_SPLITS[measure][1]
        else:
            yield from column.splits or (column.split,)


def statistic_specs(plan: Plan) -> dict[str, Spec]:
    """Return, for each row of statistics, the first spec that trains on its corpus here."""
    found: dict[str, Spec] = {}
    for paper in plan.papers:
        trained: dict[str, Spec] = {}
        for row in rows_of(paper):
            if row.system is not None and row.id in plan.specs:
                corpus = settings_of(paper, row.system)["data.corpus"]
                trained.setdefault(corpus, plan.specs[row.id])
        counted = (row for row in rows_of(paper) if row.status == "statistic")
        found |= {row.id: trained[row.corpus] for row in counted if row.corpus in trained}
    return found


def requested_datasets(plan: Plan) -> list[str]:
    """Return the datasets of the statistics that were requested, by row or by table."""
    specs, parts = statistic_specs(plan), rows_by_id(plan.papers)
    rows = [row for word in plan.config.rows for row in parts.get(word, ())]
    return list(dict.fromkeys(specs[row].dataset for row in rows if row in specs))
