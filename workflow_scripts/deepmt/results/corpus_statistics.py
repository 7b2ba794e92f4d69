"""Printed statistics of corpora (Zhang 2019, Table 2) beside those of what was built."""

from collections.abc import Iterable, Iterator

from deepmt.config.papers import Paper, Row, settings_of
from deepmt.config.settings import Plan, rows_of
from deepmt.config.spec import Spec
from deepmt.results.encoded_corpora import EncodedSet
from deepmt.results.untrained_values import Untrained
from deepmt.results.verdict import FULL_SCALE

TRAINING = "train"


def statistic_specs(plan: Plan) -> dict[str, Spec]:
    """Rows of statistics, and the first spec that trains on the row's corpus at this scale."""
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


def encodings_asked_for(plan: Plan) -> list[str]:
    """Encodings of the statistics that were asked for by name, or whose table was."""
    specs = statistic_specs(plan)
    rows = [
        row.id
        for paper in plan.papers
        for table in paper.tables
        for row in table.rows
        if {table.id, row.id} & set(plan.config.rows)
    ]
    return list(dict.fromkeys(specs[row].encoding for row in rows if row in specs))


def read_statistics(plan: Plan, built: Iterable[EncodedSet]) -> dict[tuple[str, str], Untrained]:
    """What was built, by row and column; judged at the paper's own scale alone."""
    training = {found.encoding: found for found in built if found.set == TRAINING}
    return {
        (row, column): Untrained(
            value=value,
            note=note,
            judged=plan.scale.name == FULL_SCALE,
            corpus=spec.data.corpus,
        )
        for row, spec in statistic_specs(plan).items()
        if spec.encoding in training
        for column, value, note in _values(training[spec.encoding], spec)
    }


def _values(found: EncodedSet, spec: Spec) -> Iterator[tuple[str, float, str]]:
    """Column, value, and how it was counted."""
    words = f"words of {found.encoding}, before subwords"
    yield "src_tokens_m", found.source_words / 1e6, words
    yield "tgt_tokens_m", found.target_words / 1e6, words
    yield "sentences_m", found.sentences / 1e6, f"pairs of {found.encoding}, after cleaning"
    if found.source_merges is not None and found.target_merges is not None:
        learned = (found.source_merges + found.target_merges) / 2
        apart = f"{found.source} {found.source_merges:,}, {found.target} {found.target_merges:,}"
        yield (
            "bpe_merges_k",
            learned / 1e3,
            "learned jointly" if spec.data.joint else f"learned by side: {apart}",
        )
