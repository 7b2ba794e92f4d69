"""Test which rows of a table differ by more than chance, pairwise (Liu et al. 2020, Table 3)."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from deepmt.config.measures import measure_of
from deepmt.config.papers import Column
from deepmt.metrics.bootstrap import SIGNIFICANT, paired_bootstrap
from deepmt.metrics.scores import measures_for
from deepmt.report.translations import Translation
from deepmt.results.comparisons import Mark, RowComparison, printed_mark

OTHER_TEST_SET = "another test set"
SWAPPED: dict[Mark, Mark] = {"+": "-", "-": "+"}
SIDES = ("score", "seed", "run", "trained")
"""Fields that a comparison holds for both rows."""


def compare_all(translations: Sequence[Translation], column: Column) -> list[RowComparison]:
    """Compare every row with every other one in both directions, in the order of the table.

    If the paper names the pairs that it compares, compare only these.
    """
    found = []
    named = any(translation.row.beats for translation in translations)
    for one, other in combinations(translations, 2):
        if printed_mark(one.row, other.row) or not named:
            line = _compare(one, other, column)
            found += [line, _reversed(line, printed_mark(other.row, one.row))]
    names = [translation.name for translation in translations]
    return sorted(found, key=lambda line: (names.index(line.row), names.index(line.against)))


def _reversed(line: RowComparison, printed: str) -> RowComparison:
    """Return the comparison of the other row with this one."""
    own = {name: getattr(line, f"{name}_against") for name in SIDES}
    others = {f"{name}_against": getattr(line, name) for name in SIDES}
    ours = SWAPPED.get(line.ours, line.ours)
    return replace(
        line, row=line.against, against=line.row, printed=printed, ours=ours, **own, **others
    )


def _compare(one: Translation, other: Translation, column: Column) -> RowComparison:
    """Test two rows, or note why they cannot be tested."""
    line = RowComparison(
        row=one.name,
        against=other.name,
        column=column.key,
        printed=printed_mark(one.row, other.row),
    )
    if one.texts is None or other.texts is None:
        missing = "; ".join(f"{t.name}: {t.missing}" for t in (one, other) if t.missing)
        return replace(line, note=missing)
    measures = sorted({measure_of(translation.row, column) for translation in (one, other)})
    if len(measures) > 1:
        return replace(line, note=f"different measures: {', '.join(measures)}")
    measure = measures_for(one.texts.target_language)[measures[0]]
    hypotheses, reference = measure.lines(other.texts)
    system, own_reference = measure.lines(one.texts)
    if reference != own_reference:
        return replace(line, note=OTHER_TEST_SET)
    found = paired_bootstrap(hypotheses, system, reference, metric=measure.metric())
    better = (found.system > found.baseline) == (column.better == "higher")
    return replace(
        line,
        ours="=" if found.p_value >= SIGNIFICANT else "+" if better else "-",
        score=found.system,
        score_against=found.baseline,
        p_value=found.p_value,
        split=one.split,
        seed=one.seed,
        seed_against=other.seed,
        signature=found.signature,
        run=one.run,
        run_against=other.run,
        trained=one.trained,
        trained_against=other.trained,
    )
