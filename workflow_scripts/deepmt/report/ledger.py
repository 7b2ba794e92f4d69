"""Settings and records brought together for the scripts of the report."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from deepmt.report.answers import Ledger
from deepmt.report.records import read_records
from deepmt.report.untrained import read_untrained
from deepmt.settings import Plan, load_plan


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
    ledger = Ledger(
        scale=plan.scale.name,
        specs=plan.specs,
        unavailable=plan.unavailable,
        selected=plan.selected,
        records=records,
        untrained=read_untrained(results, root / "records"),
    )
    return plan, ledger
