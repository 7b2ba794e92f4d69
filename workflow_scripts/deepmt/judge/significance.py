"""Test which rows of a table differ by more than chance, pairwise (Liu et al. 2020, Table 3)."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from deepmt.judge.bootstrap import SIGNIFICANT, Comparison, paired_bootstrap
from deepmt.measured.comparisons import RowComparison, printed_mark
from deepmt.measured.translations import Translation
from deepmt.scores.scores import measures_for
from deepmt.study.papers import Column, measure_of

OTHER_TEST_SET = "another test set"


def compare_all(translations: Sequence[Translation], column: Column) -> list[RowComparison]:
    """Compare every row with every other one in both directions, in the order of the table.

    If the paper names the pairs that it compares, compare only these.
    """
    found = []
    named = any(translation.row.beats for translation in translations)
    for one, other in combinations(translations, 2):
        if printed_mark(one.row, other.row) or not named:
            there = back = _test(one, other, column)
            if isinstance(there, Comparison):
                back = replace(there, baseline=there.system, system=there.baseline)
            found += [_line(one, other, column, there), _line(other, one, column, back)]
    names = [translation.name for translation in translations]
    return sorted(found, key=lambda line: (names.index(line.row), names.index(line.against)))


def _test(one: Translation, other: Translation, column: Column) -> Comparison | str:
    """Test two rows, or return the reason why they cannot be tested."""
    if one.texts is None or other.texts is None:
        return "; ".join(f"{t.name}: {t.missing}" for t in (one, other) if t.missing)
    measures = sorted({measure_of(translation.row, column) for translation in (one, other)})
    if len(measures) > 1:
        return f"different measures: {', '.join(measures)}"
    measure = measures_for(one.texts.target_language)[measures[0]]
    hypotheses, reference = measure.lines(other.texts)
    system, own_reference = measure.lines(one.texts)
    if reference != own_reference:
        return OTHER_TEST_SET
    return paired_bootstrap(hypotheses, system, reference, metric=measure.metric())


def _line(
    one: Translation, other: Translation, column: Column, tested: Comparison | str
) -> RowComparison:
    """Return the comparison of a row with another one."""
    line = RowComparison(
        row=one.name,
        against=other.name,
        column=column.key,
        printed=printed_mark(one.row, other.row),
    )
    if isinstance(tested, str):
        return replace(line, note=tested)
    assert one.record is not None
    assert other.record is not None
    better = (tested.system > tested.baseline) == (column.better == "higher")
    return replace(
        line,
        ours="=" if tested.p_value >= SIGNIFICANT else "+" if better else "-",
        score=tested.system,
        score_against=tested.baseline,
        p_value=tested.p_value,
        split=one.split,
        seed=one.record.seed,
        seed_against=other.record.seed,
        signature=tested.signature,
        run=one.record.run,
        run_against=other.record.run,
        trained=one.record.finished,
        trained_against=other.record.finished,
    )
