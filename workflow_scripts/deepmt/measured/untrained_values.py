"""Read our values that need no training: sizes, and measurements of untrained models."""

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import pandas as pd

from deepmt.base.errors import UserError
from deepmt.base.files import REMEDY
from deepmt.measured.record_archive import measured_file
from deepmt.study.papers import Paper

SIZE = "params_m"
COUNTED = "params.csv"
"""File of what is counted without a measurement."""
TIMED_PAIR = "en-de"
"""Language pair of newstest2014, whose lengths are used to time decoding."""


@dataclass(frozen=True, kw_only=True)
class UntrainedValue:
    """Hold a value counted or measured at full size, and its origin."""

    value: float
    spread: float | None = None
    seeds: int = 0
    """Seeds, or rounds of a timing."""
    note: str = ""
    file: str = ""
    """Path below results/<scale>, or below records/ if `recorded`."""
    recorded: bool = False
    judged: bool = True
    """True if it has the paper's own size, and is not correct by definition."""
    corpus: str = ""
    """Corpus that it was counted in, for corpus statistics."""
    dataset: str = ""

    def __post_init__(self) -> None:
        """Check that there is a value."""
        if not math.isfinite(self.value):
            raise UserError(f"{self.value} is no measurement")


Found = TypeVar("Found")
ByCell = dict[tuple[str, str], UntrainedValue]
"""Values by row, and column or measure."""


def read_sizes(path: Path) -> ByCell:
    """Read params.csv by row and measure."""
    lines = pd.read_csv(path, keep_default_na=False, dtype=str).to_dict("records")
    return {
        (line["row"], SIZE): UntrainedValue(
            value=int(line["ours"]) / 1e6, note=line["note"] or "counted at the paper's size"
        )
        for line in lines
        if line["ours"]
    }


def read_table1(path: Path, *, readings: Collection[str] = ()) -> ByCell:
    """Read probes/table1.csv by row and column of a table, without other readings of a system."""
    lines = pd.read_csv(path).dropna(subset=["row"])
    own = lines[~lines.system.isin(readings)]
    return {
        (line.row, line.sublayer): UntrainedValue(
            value=line.ours,
            spread=None if math.isnan(line.spread) else line.spread,
            seeds=int(line.seeds),
            note="measured at the paper's size on random Zipf tokens",
        )
        for line in own.itertuples()
    }


def read_gradients(path: Path, *, systems: Mapping[str, str]) -> ByCell:
    """Read probes/fig1.csv by system and stack: gradient norm of the lowest layer over the highest.

    `systems` are figure and system by name; others are of papers that are not reported.

    The spread is that of a ratio of two independent values, to first order.
    """
    found: ByCell = {}
    lines = pd.read_csv(path)
    for (name, stack), layers in lines[lines.system.isin(systems)].groupby(["system", "stack"]):
        low, high = layers.sort_values("layer").iloc[[0, -1]].itertuples()
        spread = math.hypot(low.spread / low.ours, high.spread / high.ours) * low.ours / high.ours
        found[systems[str(name)], f"{stack}_gradient_ratio"] = UntrainedValue(
            value=low.ours / high.ours,
            spread=spread,
            seeds=low.seeds,
            note="measured at the paper's size on random Zipf tokens",
        )
    return found


def read_speed(path: Path, *, other_text: Collection[str] = ()) -> ByCell:
    """Read speed.csv by row, or figure and system, and measure.

    A ratio that is 1 by definition has no rounds.

    In their papers, rows in `other_text` do not decode newstest2014, whose lengths we use.
    """
    lines = pd.read_csv(path)
    return {
        (
            line.row if "." in line.row else f"{line.table}.{line.row}",
            line.measure,
        ): UntrainedValue(
            value=line.ours,
            spread=None if math.isnan(line.spread) else line.spread,
            seeds=int(line.rounds),
            note=line.note,
            judged=line.rounds > 0
            and not (line.row in other_text and line.measure.startswith("decode")),
        )
        for line in lines.itertuples()
    }


def read_untrained(
    results: Path, archive: Path, papers: Iterable[Paper], other_text: Collection[str] = ()
) -> ByCell:
    """Read sizes, probes and speeds measured here, or else those in the archive."""
    found: ByCell = {}
    readings: set[str] = set()
    systems: dict[str, str] = {}
    for paper in papers:
        readings.update(*(probe.readings for probe in paper.probes.values()))
        for figure in paper.figures:
            if figure.draw and figure.draw.kind == "norm-by-layer":
                named = paper.probes["fig1"].named.items()
                systems |= {name: f"{figure.id}.{system}" for name, system in named}
    readers: dict[str, Callable[[Path], ByCell]] = {
        COUNTED: read_sizes,
        "probes/table1.csv": partial(read_table1, readings=readings),
        "probes/fig1.csv": partial(read_gradients, systems=systems),
        "speed.csv": partial(read_speed, other_text=other_text),
    }
    for name, read in readers.items():
        if path := measured_file(results, archive, name):
            recorded = path.is_relative_to(archive)
            found |= {
                cell: replace(value, file=name, recorded=recorded)
                for cell, value in checked(read, path).items()
            }
    return found


def checked(read: Callable[[Path], Found], path: Path) -> Found:
    """Return what a reader makes of a table that a job wrote.

    Raises:
        ValueError: it is no such table; names the file.
    """
    try:
        return read(path)
    except (ValueError, LookupError, AttributeError, TypeError) as error:
        said = " ".join(str(error).split())
        raise UserError(f"{path} is damaged ({said}); {REMEDY}") from None
