"""Read the archived records of scales once, for all pages."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path
from typing import Any

from deepmt.judge.cells import Cell, all_cells
from deepmt.judge.ranking import Ranking, recorded_ranking
from deepmt.measured.records import Record
from deepmt.measured.table import Measured, gather
from deepmt.study.papers import OWN_PAPER, Paper, Row, rows_of
from deepmt.study.plan import Plan, load_plan


@dataclass(frozen=True)
class RecordedScale:
    """Hold everything that is recorded of one scale, in the project at `root`."""

    root: Path
    scale: str

    @cached_property
    def plan(self) -> Plan:
        """Return all rows of the scale."""
        return load_plan(self.root, {"scale": self.scale, "rows": "all"})

    @cached_property
    def default(self) -> Plan:
        """Return what the default job runs of our own paper at the scale."""
        return load_plan(self.root, {"scale": self.scale, "papers": OWN_PAPER})

    @cached_property
    def known(self) -> Measured:
        """Return its archived records and curves."""
        return gather(self.plan, self.root, Path("no-results"))

    @cached_property
    def cells(self) -> list[Cell]:
        """Return every printed cell of its papers."""
        return all_cells(self.plan.papers, self.known)

    @cached_property
    def ranking(self) -> Ranking:
        """Return its ranking."""
        return recorded_ranking(self.root, self.scale)

    @property
    def unified(self) -> Paper:
        """Return the paper of our own tables."""
        [found] = (paper for paper in self.plan.papers if paper.key == OWN_PAPER)
        return found

    def matching(self, patterns: str) -> Iterator[tuple[Row, list[Record]]]:
        """Yield the rows that match a pattern and have records."""
        for row in (row for paper in self.plan.papers for row in rows_of(paper)):
            found = self.known.records_of(row.id)
            if found and any(fnmatch(row.id, pattern) for pattern in patterns.split(",")):
                yield row, found


class RecordedScales(dict[str, RecordedScale]):
    """Hold an archive by scale, read when it is asked for."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self.root = root

    def __missing__(self, scale: str) -> RecordedScale:
        self[scale] = RecordedScale(self.root, scale)
        return self[scale]

    def bench(self, name: str) -> Mapping[str, Any]:
        """Return a record of records/bench."""
        path = self.root / f"records/bench/{name}.json"
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found
