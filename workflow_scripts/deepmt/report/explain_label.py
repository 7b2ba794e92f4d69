"""Trace the label of a row of our own tables."""

from collections.abc import Iterable
from pathlib import Path

from rich.tree import Tree

from deepmt.measured.archived_scales import archived_seeds
from deepmt.report.explain import subtree
from deepmt.study.papers import OWN_PAPER, Row, Table
from deepmt.study.plan import Plan


def explain_label(name: str, plan: Plan, root: Path) -> Tree | None:
    """Return our own rows with that label, and the commands that explain them; None without."""
    [paper] = (paper for paper in plan.papers if paper.key == OWN_PAPER)
    found = [
        (table, row)
        for table in paper.tables
        for row in table.rows
        if row.label.lower() == name.lower()
    ]
    if not found:
        return None
    known = archived_seeds([row for _, row in found], paper, root, plan.corpora)
    return subtree(name, (_row(*place, known[place[1].id]) for place in found))


def _row(table: Table, row: Row, scales: Iterable[str]) -> Tree:
    where = ", ".join(filter(None, (f"Table {table.number}", row.group)))
    command = f"./deepmt explain {row.id}"
    commands = [f"{command} --scale {scale}" for scale in scales]
    return subtree(f"{row.id}: {where}", commands or [f"no record yet: {command}"])
