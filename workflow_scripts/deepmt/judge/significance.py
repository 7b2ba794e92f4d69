"""Test which translations differ by more than chance: paired bootstrap (Koehn 2004).

Rows of a table are compared pairwise, as in Liu et al. (2020), Table 3.
"""

from collections.abc import Sequence
from copy import copy
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np
from sacrebleu.metrics.base import Metric
from sacrebleu.significance import PairedTest

from deepmt.base.cache import cached
from deepmt.base.errors import UserError
from deepmt.measured.table import Measured
from deepmt.measured.translations import Translation, translations_of
from deepmt.scores.scores import MEASURES, measures_for
from deepmt.study.papers import Column, Row, Table, measure_of, quantity_of

SAMPLES = 1000
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Comparison:
    """Hold the scores of two systems under one metric, and the p-value of their difference."""

    baseline: float
    system: float
    p_value: float
    low: float
    high: float
    """Ends of the 95 % interval of system less baseline."""
    signature: str


def paired_bootstrap(
    baseline: Sequence[str],
    system: Sequence[str],
    reference: Sequence[str],
    *,
    metric: Metric,
) -> Comparison:
    """Compare two systems by sacreBLEU's paired bootstrap, seeded by SACREBLEU_SEED.

    Equal scores get p = 1. sacreBLEU itself would return 1 / (samples + 1), as if two models that
    both failed differed significantly.

    Raises:
        ValueError: if the numbers of segments differ.
    """
    if not len(baseline) == len(system) == len(reference):
        raise UserError(
            f"{len(baseline)} baseline, {len(system)} system and {len(reference)} reference"
            " segments: a paired test needs the same test set"
        )
    kept: list[float] = []
    systems = [("baseline", baseline), ("system", system)]
    test = PairedTest(systems, {"metric": _keeping(metric, kept)}, [reference], "bs", SAMPLES)
    signatures, results = test()
    [(name, signature)] = signatures.items()
    before, after = cast(list[Any], results[name])
    p_value = after.p_value if after.score != before.score else 1.0
    # The last scores are those of the samples: the baseline's, then the system's.
    sampled = np.reshape(kept[-2 * SAMPLES :], (2, SAMPLES))
    low, high = map(float, np.quantile(sampled[1] - sampled[0], [0.025, 0.975]))
    text = f"{name}|{signature.format(short=True)}"
    return Comparison(before.score, after.score, p_value, low, high, text)


def _keeping(metric: Metric, kept: list[float]) -> Metric:
    """Derive a metric that also keeps the scores which it computes, of samples above all.

    sacreBLEU's paired test returns no interval of the difference.
    """

    def compute(self: Metric, stats: list[Any]) -> Any:
        found = kind._compute_score_from_stats(self, stats)
        kept.append(found.score)
        return found

    kind, found = type(metric), copy(metric)
    found.__class__ = type(kind.__name__, (kind,), {"_compute_score_from_stats": compute})
    return found


OTHER_TEST_SET = "another test set"
Mark = Literal["+", "-", "=", ""]
"""Better, worse, no significant difference, as in the paper; empty if not tested."""


@dataclass(frozen=True, kw_only=True)
class RowComparison:
    """Compare a row of a table with another one."""

    row: str
    against: str
    column: str
    ours: Mark = ""
    score: float | None = None
    score_against: float | None = None
    p_value: float | None = None
    signature: str = ""
    note: str = ""
    """The reason if the two were not compared."""


def name_in_table(row: Row) -> str:
    """Return a row's id within its table."""
    return row.id.split(".", 2)[2]


def printed_mark(row: Row, against: Row) -> str:
    """Return the paper's mark for two rows, from its matrix or its text."""
    if against.id in row.beats:
        return "+"
    if row.id in against.beats:
        return "-"
    return row.significance.get(name_in_table(against), "")


def compare_rows(table: Table, results: Measured, folder: Path, root: Path) -> list[RowComparison]:
    """Compare the rows of a table whose paper tests them, by the first finished seed of each.

    `folder` is results/<scale>, which keeps the tests. Columns of scores are compared.
    """
    if not any(row.significance or row.beats for row in table.rows):
        return []
    found = []
    for column in table.columns.values():
        first = [
            next(translations_of(row, quantity_of(table, column, row), results, folder, root))
            for row in table.rows
            if row.system is not None and measure_of(row, column) in MEASURES and not column.splits
        ]
        found += compare_all(first, column, folder)
    return found


def compare_all(
    translations: Sequence[Translation], column: Column, folder: Path
) -> list[RowComparison]:
    """Compare every row with every other one in both directions, in the order of the table.

    If the paper names the pairs that it compares, compare only these.
    """
    found = []
    named = any(translation.row.beats for translation in translations)
    for one, other in combinations(translations, 2):
        if printed_mark(one.row, other.row) or not named:
            there = back = _test(one, other, column, folder)
            if isinstance(there, Comparison):
                back = replace(there, baseline=there.system, system=there.baseline)
            found += [_line(one, other, column, there), _line(other, one, column, back)]
    names = [name_in_table(translation.row) for translation in translations]
    return sorted(found, key=lambda line: (names.index(line.row), names.index(line.against)))


def _test(one: Translation, other: Translation, column: Column, folder: Path) -> Comparison | str:
    """Test two rows, or return the reason why they cannot be tested."""
    if one.texts is None or other.texts is None:
        missing = [each for each in (one, other) if each.missing]
        return "; ".join(f"{name_in_table(each.row)}: {each.missing}" for each in missing)
    measures = sorted({measure_of(translation.row, column) for translation in (one, other)})
    if len(measures) > 1:
        return f"different measures: {', '.join(measures)}"
    if (measure := measures_for(one.texts.target_language).get(measures[0])) is None:
        return f"{measures[0]} does not apply to {one.texts.target_language}"
    hypotheses, reference = measure.lines(other.texts)
    system, own_reference = measure.lines(one.texts)
    if reference != own_reference:
        return OTHER_TEST_SET
    metric = measure.metric()
    # A metric knows its signature once it has scored.
    metric.corpus_score(system[:1], [reference[:1]])
    given = [[*hypotheses], [*system], [*reference], *measures, str(metric.get_signature())]
    compared = partial(paired_bootstrap, hypotheses, system, reference, metric=metric)
    kept = cached(
        folder / "significance", paired_bootstrap.__module__, given, lambda: asdict(compared())
    )
    return Comparison(**kept)


def _line(
    one: Translation, other: Translation, column: Column, tested: Comparison | str
) -> RowComparison:
    """Return the comparison of a row with another one."""
    names = name_in_table(one.row), name_in_table(other.row)
    line = RowComparison(row=names[0], against=names[1], column=column.key)
    if isinstance(tested, str):
        return replace(line, note=tested)
    better = (tested.system > tested.baseline) == (column.better == "higher")
    return replace(
        line,
        ours="=" if tested.p_value >= SIGNIFICANT else "+" if better else "-",
        score=tested.system,
        score_against=tested.baseline,
        p_value=tested.p_value,
        signature=tested.signature,
    )
