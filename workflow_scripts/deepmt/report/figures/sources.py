"""What a kind of figure may read."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from deepmt.config.papers import Paper, Row, rows_of_system, settings_of
from deepmt.config.settings import Scale
from deepmt.config.spec import Spec
from deepmt.results.cell_values import Ledger
from deepmt.results.records import Entry


@dataclass(frozen=True, kw_only=True)
class Sources:
    """One paper at one scale: `results` is results/<scale>, `shelf` the records in git."""

    paper: Paper
    ledger: Ledger
    scale: Scale
    results: Path
    shelf: Path

    def row(self, system: str) -> Row:
        """The row that stands for a system."""
        return rows_of_system(self.paper, system)[0]

    def spec(self, system: str) -> Spec | None:
        """A system's spec, if it has one at this scale."""
        return self.ledger.specs.get(self.row(system).id)

    def depth(self, system: str, stack: str) -> int:
        """Layers of a system's encoder or decoder at this scale."""
        printed = settings_of(self.paper, system)[f"{stack}.layers"]
        return self.scale.depths[printed] if isinstance(printed, str) else printed

    def entries(self, system: str) -> tuple[Entry, ...]:
        """Records of a system, one a seed."""
        return self.ledger.entries(self.row(system))

    def measured(self, name: str) -> pd.DataFrame | None:
        """A file measured here, e.g. speed.csv, or else the one on the shelf, if there is one."""
        for folder in (self.results, self.shelf):
            if (folder / name).exists():
                return pd.read_csv(folder / name)
        return None
