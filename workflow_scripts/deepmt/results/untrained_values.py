"""Read our values that need no training: sizes, and measurements of untrained models."""

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import pandas as pd

from deepmt.results.record_archive import measured_file

SIZE = "params_m"
COUNTED = "params.csv"
"""File of what is counted without a measurement."""
TIMED_PAIR = "en-de"
"""Language pair of newstest2014, whose lengths are used to time decoding."""
SUFFIXES = {"post-norm": "", "DS-Init": "-dsinit"}
"""Methods of probes/fig1.csv, and how the names of their systems end in papers/zhang2019.yaml."""
OTHER_READINGS = ("DS-Init, decay 0.5",)
"""Systems of probes/table1.csv that are not the paper's own."""


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


def read_table1(path: Path) -> ByCell:
    """Read probes/table1.csv by row and column of Zhang 2019, Table 1."""
    lines = pd.read_csv(path).dropna(subset=["row"])
    own = lines[~lines.system.isin(OTHER_READINGS)]
    return {
        (line.row, line.sublayer): UntrainedValue(
            value=line.ours,
            spread=None if math.isnan(line.spread) else line.spread,
            seeds=int(line.seeds),
            note="measured at the paper's size on random Zipf tokens",
        )
        for line in own.itertuples()
    }


def read_gradients(path: Path) -> ByCell:
    """Read probes/fig1.csv by system and stack: gradient norm of the lowest layer over the highest.

    The spread is that of a ratio of two independent values, to first order.
    """
    found: ByCell = {}
    for (system, stack), layers in pd.read_csv(path).groupby(["system", "stack"]):
        method, depth = str(system).split()
        low, high = layers.sort_values("layer").iloc[[0, -1]].itertuples()
        spread = math.hypot(low.spread / low.ours, high.spread / high.ours) * low.ours / high.ours
        name = f"zhang2019.fig1.probe-{depth.lower()}-post{SUFFIXES[method]}"
        found[name, f"{stack}_gradient_ratio"] = UntrainedValue(
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


def read_untrained(results: Path, archive: Path, other_text: Collection[str] = ()) -> ByCell:
    """Read sizes, probes and speeds measured here, or else those in the archive."""
    found: ByCell = {}
    readers: dict[str, Callable[[Path], ByCell]] = {
        COUNTED: read_sizes,
        "probes/table1.csv": read_table1,
        "probes/fig1.csv": read_gradients,
        "speed.csv": partial(read_speed, other_text=other_text),
    }
    for name, read in readers.items():
        if path := measured_file(results, archive, name):
            recorded = path.is_relative_to(archive)
            found |= {
                cell: replace(value, file=name, recorded=recorded)
                for cell, value in read(path).items()
            }
    return found
