"""Find the datasets in which the printed statistics of corpora are counted."""

from collections.abc import Iterator

from deepmt.config.papers import Paper, Row, settings_of
from deepmt.config.settings import Plan, rows_of
from deepmt.config.spec import Spec


def statistic_specs(plan: Plan) -> dict[str, Spec]:
    """Return, for each row of statistics, the first spec that trains on its corpus here."""
    return {row.id: spec for paper in plan.papers for row, spec in _specs(paper, plan)}


def _specs(paper: Paper, plan: Plan) -> Iterator[tuple[Row, Spec]]:
    trained: dict[str, Spec] = {}
    for row in rows_of(paper):
        if row.system is not None and row.id in plan.specs:
            corpus = settings_of(paper, row.system)["data.corpus"]
            trained.setdefault(corpus, plan.specs[row.id])
    for row in rows_of(paper):
        if row.status == "statistic" and row.corpus in trained:
            yield row, trained[row.corpus]


def requested_datasets(plan: Plan) -> list[str]:
    """Return the datasets of the statistics that were requested, by row or by table."""
    specs = statistic_specs(plan)
    rows = [
        row.id
        for paper in plan.papers
        for table in paper.tables
        for row in table.rows
        if {table.id, row.id} & set(plan.config.rows)
    ]
    return list(dict.fromkeys(specs[row].dataset for row in rows if row in specs))
