"""Hold the data of figures: the paper, all results, and single measurements."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from deepmt.measured.failures import failures
from deepmt.measured.record_archive import measured_file
from deepmt.measured.record_file import FAILURES
from deepmt.measured.seeds import averaged
from deepmt.measured.system_value import system_value
from deepmt.measured.table import Measured
from deepmt.measured.untrained_values import checked
from deepmt.study.papers import (
    OWN_PAPER,
    Column,
    Paper,
    Row,
    find_table,
    quantity_of,
    rows_of_system,
    settings_of,
)
from deepmt.study.tuning import TrialResult


@dataclass(frozen=True, kw_only=True)
class FigureData:
    """Hold one paper at one scale; `folder` is results/<scale>, `root` has records/ and data/."""

    paper: Paper
    results: Measured
    folder: Path
    root: Path

    @property
    def archive(self) -> Path:
        """Return the folder of the records."""
        return self.root / "records"

    def row(self, system: str) -> Row:
        """Return the row of a system."""
        return rows_of_system(self.paper, system)[0]

    def depth(self, system: str) -> int:
        """Return the number of encoder layers of a system at this scale."""
        printed = settings_of(self.paper, system)["encoder.layers"]
        return self.results.depths[printed] if isinstance(printed, str) else printed

    def corpora(self, systems: Iterable[str]) -> list[str]:
        """Return the corpora of the systems that have a run at this scale."""
        specs = [self.results.specs.get(self.row(system).id) for system in systems]
        return list(dict.fromkeys(spec.data.corpus for spec in specs if spec))

    def comparable(self, systems: Iterable[str]) -> bool:
        """Check if all systems were run as in the paper."""
        return all(self.results.comparable(self.row(system).id) for system in systems)

    def score(self, system: str, table: str, column: Column) -> dict[str, Any]:
        """Return mean and spread over seeds, as in a column of a table; neither if all failed."""
        row = self.row(system).id
        asked = quantity_of(find_table(self.paper, table), column)
        found = system_value(row, asked, self.results)
        lost = found.status in FAILURES
        records = self.results.records_of(row)
        seeds = [str(one.seed) for one in averaged(records)]
        score = {} if lost else {"y": found.ours, "spread": found.spread}
        run = records[0].run if records else ""
        return score | {"run": run, "seed": " ".join(seeds), "note": "; ".join(found.notes)}

    def training(self, system: str, quantity: str) -> Iterator[tuple[dict[str, str], pd.DataFrame]]:
        """Yield the log of each seed: one row per update, one column per layer.

        Each comes with run, seed, and a note if the seed failed or values are missing.
        """
        row = self.row(system)
        run = self.results.rows.get(row.id, "")
        logged = {one.seed: one for one in self.results.curves if one.run == run}
        ends = {record.seed: failures([record]) for record in self.results.records_of(row.id)}
        refused = [one.message for one in self.results.refused_curves if one.run == run]
        reasons = [f"training curve refused: {message}" for message in refused]
        if not run:
            reasons = [self.results.unavailable[row.id]]
        elif not (ends or logged or refused):
            reasons = ["not run"]
        yield from (({"note": reason}, pd.DataFrame()) for reason in reasons)
        for seed in sorted({*logged} if refused else {*ends, *logged}):
            own = logged[seed].by_update(quantity) if seed in logged else {}
            notes = [] if own else [f"seed {seed} logged no {quantity}"]
            notes += [ends[seed]] if ends.get(seed) else []
            layers = pd.DataFrame.from_dict(own, orient="index", dtype=float)
            yield {"run": run, "seed": str(seed), "note": ", ".join(notes)}, layers

    def measured(self, name: str, **where: Any) -> list[Any]:
        """Return lines of a file measured here, e.g. speed.csv, or else of the archived file."""
        path = measured_file(self.folder, self.archive, name)
        if path is None:
            return []

        def matching(path: Path) -> list[Any]:
            lines = pd.read_csv(path)
            return list(lines[(lines[list(where)] == pd.Series(where)).all(axis=1)].itertuples())

        return checked(matching, path)

    @cached_property
    def trials(self) -> pd.DataFrame:
        """Return the trials of this scale; empty before `snakemake tune`."""
        return pd.DataFrame(self.results.trials, columns=[*TrialResult.__dataclass_fields__])

    def label(self, runs: Iterable[str]) -> str:
        """Return scale and corpora, and a note if the numbers are not comparable."""
        found = [record for record in self.results.records if record.run in runs]
        if not found:
            reason = "these runs have no record" if runs else "nothing of this figure has been run"
            return f"{self.results.scale_title}: {reason}."
        notes = [record.data.note for record in found]
        return self.results.label(notes, paper=self.paper.key != OWN_PAPER)
