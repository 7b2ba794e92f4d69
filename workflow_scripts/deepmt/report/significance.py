"""Test which rows of a table differ by more than chance, pairwise (Liu et al. 2020, Table 3)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

from deepmt.config.measures import measure_of
from deepmt.config.papers import Column
from deepmt.metrics.bootstrap import SIGNIFICANT, paired_bootstrap
from deepmt.metrics.scores import measures_for
from deepmt.report.translations import Translation
from deepmt.results.comparisons import RowComparison, printed_mark

OTHER_TEST_SET = "another test set"


class PairScores(NamedTuple):
    """Hold the scores of two systems by name, and the p-value of their difference."""

    scores: Mapping[str, float]
    p_value: float
    signature: str


def compare_all(translations: Sequence[Translation], column: Column) -> list[RowComparison]:
    """Compare every row with every other one in both directions, in the order of the table.

    If the paper names the pairs that it compares, compare only these.
    """
    found = []
    named = any(translation.row.beats for translation in translations)
    for one, other in combinations(translations, 2):
        if printed_mark(one.row, other.row) or not named:
            tested = _test(one, other, column)
            found += [_line(*pair, column, tested) for pair in ((one, other), (other, one))]
    names = [translation.name for translation in translations]
    return sorted(found, key=lambda line: (names.index(line.row), names.index(line.against)))


def _test(one: Translation, other: Translation, column: Column) -> PairScores | str:
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
    found = paired_bootstrap(hypotheses, system, reference, metric=measure.metric())
    scores = {one.name: found.system, other.name: found.baseline}
    return PairScores(scores, found.p_value, found.signature)


def _line(
    one: Translation, other: Translation, column: Column, tested: PairScores | str
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
    score, against = tested.scores[one.name], tested.scores[other.name]
    better = (score > against) == (column.better == "higher")
    return replace(
        line,
        ours="=" if tested.p_value >= SIGNIFICANT else "+" if better else "-",
        score=score,
        score_against=against,
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
