"""Settings and records brought together for the scripts of the report."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deepmt.config.papers import settings_of
from deepmt.config.settings import Plan, load_plan, rows_of
from deepmt.results.cell_values import Ledger
from deepmt.results.comparisons import read_pairs
from deepmt.results.corpus_statistics import read_statistics
from deepmt.results.encoded_corpora import EncodedSet, read_sets
from deepmt.results.records import read_records
from deepmt.results.sources import sources
from deepmt.results.untrained_values import TIMED_PAIR, read_untrained


def open_ledger(root: Path, overrides: Mapping[str, Any], results: Path) -> tuple[Plan, Ledger]:
    """What was asked for, and what is known of it: `results` is results/<scale>.

    Raises:
        ValueError: every problem of the settings; bad records are refused one by one instead.
    """
    plan = load_plan(root, overrides)
    records = read_records(
        results=results,
        shelf=root / "records",
        specs=plan.specs.values(),
        scale=plan.scale.name,
    )
    built = built_sets(results)
    ledger = Ledger(
        scale=plan.scale.name,
        specs=plan.specs,
        unavailable=plan.unavailable,
        selected=plan.selected,
        records=records,
        untrained=read_untrained(results, root / "records", _other_text(plan))
        | read_statistics(plan, built),
        partial_corpora=[key for key, corpus in plan.corpora.corpora.items() if corpus.partial],
        sources=sources(plan.corpora),
        significance=read_pairs(results),
    )
    return plan, ledger


def _other_text(plan: Plan) -> set[str]:
    """Rows of other pairs than the one whose lengths speed is measured on."""
    return {
        row.id
        for paper in plan.papers
        for row in rows_of(paper)
        if row.system and not settings_of(paper, row.system)["data.corpus"].endswith(TIMED_PAIR)
    }


def built_sets(results: Path) -> list[EncodedSet]:
    """The lines of corpora.csv, if it is there."""
    path = results / "corpora.csv"
    return read_sets(path) if path.exists() else []
