"""Make tables of recorded systems, a line for each; the pages have their headings."""

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from deepmt.base.files import visible
from deepmt.measured.failures import failures
from deepmt.measured.records import Record
from deepmt.measured.seeds import averaged, mean_and_spread, trains
from deepmt.measured.training_curves import TrainingCurves
from deepmt.report.fragments.recorded_scale import RecordedScales
from deepmt.settings.csv_lines import read_lines
from deepmt.study.measures import PPL
from deepmt.study.papers import rows_of
from deepmt.study.tuning import TrialResult

NOTHING = "–"
EARLY = 1200
"""The update, besides the last, at which test sets of `multi30k-budget` are translated."""
Cells = Sequence[str]
Seeds = Sequence[Record]


def spread(values: Sequence[float], decimals: int) -> str:
    """Return mean and spread, "31.2 ± 0.4"; no spread of one value, a dash without any."""
    if not values:
        return NOTHING
    mean, deviation = mean_and_spread(values)
    return " ± ".join(f"{one:.{decimals}f}" for one in (mean, deviation) if one is not None)


def seeds(records: Seeds) -> str:
    """Return "3", or "1 of 3 (collapsed at updates 20, 280)"."""
    trained = sum(map(trains, records))
    if trained == len(records):
        return str(trained)
    ends = re.sub(r"\d+ of \d+ seeds ", "", failures(records)) or "below 5 BLEU"
    return f"{trained} of {len(records)} ({ends})"


def layers(records: Seeds) -> str:
    """Return the layers of encoder and decoder, "12+6"."""
    spec = records[0].spec
    return f"{spec['encoder']['layers']}+{spec['decoder']['layers']}"


def on_test(measure: str, decimals: int = 1, update: int | None = None) -> Callable[[Seeds], str]:
    """Return a cell of a measure of the test set, over the seeds that train."""

    def cell(records: Seeds) -> str:
        values = [one.value(measure, "test", update) for one in averaged(records)]
        return spread([value for value in values if value == value], decimals)

    return cell


CELLS: Mapping[str, Callable[[Seeds], str]] = {
    "rate": lambda found: f"{found[0].spec['training']['lr'] * 1e3:g}",
    "warmup": lambda found: str(found[0].spec["training"]["warmup"]),
    "seeds": seeds,
    "bleu": on_test("bleu"),
    "tokenised": on_test("bleu_tok_lc"),
    "chrf": on_test("chrf"),
    "ppl": on_test(PPL, 2),
}
"""Cells of a system, by the name in the marker."""


def quality(records: Seeds, update: int | None = None) -> str:
    """Return BLEU and perplexity of the test set, or one dash if nothing was run."""
    bleu, ppl = on_test("bleu", 1, update)(records), on_test(PPL, 2, update)(records)
    return bleu if bleu == NOTHING else f"{bleu}; {ppl}"


def systems(
    recorded: RecordedScales, scale: str, rows: str, columns: str, name: str = "label"
) -> Iterator[Cells]:
    """Yield a line for each row that has records; `name` is `label` or `group`."""
    chosen = [CELLS[column] for column in columns.split(",")]
    for row, found in recorded[scale].matching(rows):
        cells = (cell(found) for cell in chosen)
        yield getattr(row, name), layers(found), f"`{row.id}`", *cells


def warmups(recorded: RecordedScales) -> Iterator[Cells]:
    """Yield what a warm-up of 400 updates is worth, beside the best shorter one of a system."""
    trials = read_lines(TrialResult, recorded.root / "scales/multi30k-fair.rates.csv")
    fair = recorded["multi30k-fair"]
    for row, after in fair.matching("unified.t1.*"):
        own = [one for one in trials if one.system == row.system and one.share == 1]
        runs = fair.known.by_run
        short = [one for one in own if one.warmup < 400 and len(runs.get(one.run, ())) == 3]
        if not short or after[0].spec["training"]["warmup"] < 400:
            continue
        first = min(short, key=lambda one: one.dev_perplexity)
        before = runs[first.run]
        some = "" if all(map(trains, before)) else f" ({seeds(before).partition(' (')[0]} seeds)"
        yield (
            *(row.label, layers(after), f"{first.lr * 1e3:g}, {first.warmup}"),
            *(CELLS["bleu"](before) + some, CELLS["rate"](after), CELLS["bleu"](after)),
        )


def budgets(recorded: RecordedScales) -> Iterator[Cells]:
    """Yield quality by budget, with one rate for all and each system's own."""
    scales = ("multi30k-narrow", "multi30k-fair", "multi30k-budget")
    found = {
        scale: {row.system: (row, own) for row, own in recorded[scale].matching("unified.t1.*")}
        for scale in scales
    }
    for system, (row, records) in (found[scales[0]] | found[scales[1]]).items():
        narrow, fair, budget = (found[scale].get(system, (row, []))[1] for scale in scales)
        if fair or budget:
            cells = quality(narrow), quality(fair), quality(budget, EARLY), quality(budget)
            yield row.label, layers(records), *cells


SIZES = ("multi30k-quarter", "multi30k-half", "multi30k-budget")
"""Scales that differ in their text alone."""
AMOUNTS = {
    "3+3 transparent attention": (SIZES, "unified.t1.shallow-transparent"),
    "3+3 transparent attention, dropout 0.2": (SIZES, "unified.t7.shallow-transparent-dropout-2"),
    "12+12 T-Fixup, dropout 0.2": (SIZES, "unified.t7.tfixup-dropout-2"),
    "3+3 post-norm, 256 wide": (("multi30k",), "unified.t2.bitext,unified.t1.shallow-post"),
    "6+6 post-norm": (("iwslt14-narrow",), "unified.t5.*"),
}
"""Scales and rows of systems that were trained on more and less of a text, by name."""


def amounts(recorded: RecordedScales) -> Iterator[Cells]:
    """Yield the quality of systems by the number of pairs that they read."""
    for name, (scales, rows) in AMOUNTS.items():
        found = []
        for plan, row, own in (
            (recorded[key].plan, *one) for key in scales for one in recorded[key].matching(rows)
        ):
            corpus = plan.corpora.corpus(plan.specs[row.id].data.corpus)
            assert corpus.size is not None
            found.append((corpus.size.pairs, corpus.title, own, plan.scale.name))
        for pairs, title, own, scale in sorted(found):
            count = f"{pairs:,}", f"{own[0].updates:,}", str(len(own))
            scores = CELLS["bleu"](own), CELLS["chrf"](own)
            yield name, title, *count, *scores, *beyond_best(recorded[scale].known.curves, own[0])


def beyond_best(curves: Iterable[TrainingCurves], seed: Record) -> tuple[str, str]:
    """Return the update of the lowest perplexity on dev, and how far that of the end lies above."""
    own = (on_dev_of(one) for one in curves if (one.run, one.seed) == (seed.run, seed.seed))
    if not (on_dev := next(own, {})):
        return NOTHING, NOTHING
    best, end = min(on_dev, key=lambda update: (on_dev[update], update)), on_dev[max(on_dev)]
    return f"{best:,}", f"{100 * (end / on_dev[best] - 1):.0f} %"


def on_dev_of(curves: TrainingCurves) -> dict[int, float]:
    """Return the perplexity on dev of the weights of each logged update."""
    if curves.dev is None or "ppl" not in curves.dev:
        return {}
    return {u: p for u, p in zip(curves.dev["update"], curves.dev["ppl"], strict=True) if p}


def ladder(recorded: RecordedScales) -> Iterator[Cells]:
    """Yield how far the printed recipe comes by its passes, its mean and its parts."""
    [(_, whole)] = recorded["wu2021"].matching("wu2021.t1.*")
    on_dev = [
        on_dev_of(curves)
        for curves in recorded["wu2021"].known.curves
        if curves.run == whole[0].run
    ]
    epoch = whole[0].updates / whole[0].epochs
    for update in (1000, 2500, 5000):
        name = f"{update / epoch:.0f} passes, last weights"
        yield name, str(len(on_dev)), spread([one[update] for one in on_dev], 2), NOTHING
    last = spread([one[max(one)] for one in on_dev], 2)
    yield "the end, last weights", str(len(on_dev)), last, NOTHING
    yield "the end, mean of the last ten passes: the recipe", *reached(whole)
    for row, found in recorded["wu2021"].matching("wu2021.t3.*"):
        yield f"the recipe with {row.label}", *reached(found)


def reached(found: Seeds) -> Cells:
    """Return the number of seeds, the perplexity on dev and tokenised BLEU on test."""
    on_dev = spread([one.value(PPL, "dev") for one in found], 2)
    return str(len(found)), on_dev, CELLS["tokenised"](found)


def processors(recorded: RecordedScales) -> Iterator[Cells]:
    """Yield the toy's BLEU, or the failure, on each processor."""
    folders = visible(recorded.root / "records/processors", "*")
    every = [
        {one["run"]: one for one in map(json.loads, (folder / "toy.jsonl").open())}
        for folder in folders
    ]
    default = recorded["toy"].default
    for row in (row for paper in default.papers for row in rows_of(paper)):
        if row.id in default.selected:
            found = [of[default.specs[row.id].run] for of in every]
            spec = found[0]["spec"]
            depths = f"{spec['encoder']['layers']}+{spec['decoder']['layers']}"
            yield row.label, depths, *map(end, found)


def end(record: Mapping[str, Any]) -> str:
    """Return BLEU on test, or the failure."""
    if failure := record["failure"]:
        return f"{record['outcome']} at update {failure['update']}"
    return f"{record['scores']['test']['bleu']['value']:.1f}"
