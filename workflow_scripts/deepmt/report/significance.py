"""Which rows of a table differ by more than chance, pair by pair (Liu et al. 2020, Table 3)."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

from deepmt.config.measures import measure_of
from deepmt.config.papers import Column, Table
from deepmt.metrics.bootstrap import SAMPLES, SIGNIFICANT, Comparison, paired_bootstrap
from deepmt.metrics.conventions import row as markdown_row
from deepmt.metrics.scores import MEASURES
from deepmt.report.translations import Translation
from deepmt.results.comparisons import RowComparison, printed_mark

OTHER_TEST_SET = "another test set"


def compare_all(translations: Sequence[Translation], column: Column) -> list[RowComparison]:
    """Compare every row with every other one, both ways round, in the order of the table.

    Where the paper names the pairs that it compares, only these are compared.
    """
    found = {}
    named = any(translation.row.beats for translation in translations)
    for one, other in combinations(translations, 2):
        if named and not printed_mark(one.row, other.row):
            continue
        comparison = _compare(one, other, column)
        found[one.name, other.name] = _pair(one, other, comparison, column)
        turned = comparison if isinstance(comparison, str) else _turned(comparison)
        found[other.name, one.name] = _pair(other, one, turned, column)
    names = [translation.name for translation in translations]
    order = ((row, against) for row in names for against in names)
    return [found[pair] for pair in order if pair in found]


def _compare(one: Translation, other: Translation, column: Column) -> Comparison | str:
    """Return the test of two rows, or why there is none."""
    if one.texts is None or other.texts is None:
        return "; ".join(f"{t.name}: {t.missing}" for t in (one, other) if t.missing)
    measures = {measure_of(translation.row, column) for translation in (one, other)}
    if len(measures) > 1:
        return f"different measures: {', '.join(sorted(measures))}"
    measure = MEASURES[measures.pop()]
    hypotheses, reference = measure.lines(other.texts)
    system, own_reference = measure.lines(one.texts)
    if reference != own_reference:
        return OTHER_TEST_SET
    metric = measure.metric(one.texts.target_language)
    return paired_bootstrap(hypotheses, system, reference, metric=metric)


def _turned(found: Comparison) -> Comparison:
    return Comparison(found.system, found.baseline, found.p_value, found.signature)


def _pair(
    one: Translation, other: Translation, found: Comparison | str, column: Column
) -> RowComparison:
    pair = RowComparison(
        row=one.name,
        against=other.name,
        column=column.key,
        printed=printed_mark(one.row, other.row),
    )
    if isinstance(found, str):
        return replace(pair, note=found)
    better = (found.system > found.baseline) == (column.better == "higher")
    return replace(
        pair,
        ours="=" if found.p_value >= SIGNIFICANT else "+" if better else "-",
        score=found.system,
        score_against=found.baseline,
        p_value=found.p_value,
        set=one.set,
        seed=one.seed,
        seed_against=other.seed,
        signature=found.signature,
    )


def matrix(
    table: Table,
    column: Column,
    translations: Sequence[Translation],
    pairs: Sequence[RowComparison],
) -> str:
    """Return the same in Markdown: row against column, ours and the paper's in brackets."""
    by_names = {(pair.row, pair.against): pair for pair in pairs}
    names = [translation.name for translation in translations]
    lines = [
        f"# {table.id}: {column.label}, row against column",
        "",
        f"Paired bootstrap, {SAMPLES} samples, p < {SIGNIFICANT}, no correction for many pairs; of"
        " each system the first finished seed. + row is better, - worse, = no significant"
        " difference; the paper's in brackets; · not compared.",
        "",
        markdown_row("row", "system", *names),
        markdown_row(*["---"] * (len(names) + 2)),
    ]
    for one in translations:
        cells = [_cell(by_names.get((one.name, other))) for other in names]
        lines.append(markdown_row(one.name, one.row.label, *cells))
    lines += ["", *(f"- {t.name}: {t.missing or f'{t.set}, seed {t.seed}'}" for t in translations)]
    return "\n".join(lines) + "\n"


def _cell(pair: RowComparison | None) -> str:
    if pair is None:
        return ""
    ours = f"{pair.ours} p={pair.p_value:.3f}" if pair.p_value is not None else "·"
    return f"{ours} [{pair.printed}]" if pair.printed else ours
