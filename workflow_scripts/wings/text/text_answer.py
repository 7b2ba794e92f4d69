"""Tell the owner of a text how good its best model is, how to use it, and what would help."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from deepmt.judge.ranking import name_of
from deepmt.measured.encoded_corpora import EncodedSplit
from deepmt.measured.records import Record
from deepmt.measured.table import Measured
from deepmt.measured.trials import dev_perplexity
from deepmt.report.example_sentences import example_sentences
from deepmt.report.page.chapters import Opening
from deepmt.report.page.render import template
from deepmt.scores.score import Score
from deepmt.scores.scores import NO_BLEU
from deepmt.settings.seed_folder import SeedFolder
from deepmt.settings.spec import Spec
from deepmt.study.measures import SHOWN_SCORES
from deepmt.study.papers import Paper, Row, rows_of
from wings.text.text_settings import ENOUGH, EXPORTS

SPLIT = "test"
SENTENCES = 10
"""Sentences of the test set that are shown."""
LINKS = {
    "answer": "How good",
    "sentences": "Sentences",
    "use": "Use it",
    "better": "Make it better",
}
LEVEL = 1.01
"""Times the lowest perplexity that counts as no difference, between evaluations of one run."""


@dataclass(frozen=True, kw_only=True)
class TextAnswer:
    """Hold the best model of a text, i.e. the seed with the lowest perplexity on dev."""

    system: str
    run: str
    seed: int
    scale: str
    source: str
    target: str
    corpus: str
    rows: Sequence[str]
    forms: Sequence[str]
    """Each system, and the toolkits that have its method."""
    scores: Sequence[tuple[str, Score]]
    weights: str
    """Which weights of the seed are scored, and where they lie."""
    tested: int
    """Sentences of the test set; 0 if that is not known here."""
    pairs: int
    """Training pairs after cleaning; 0 if that is not known here."""
    more_hours: str
    """What more updates would do, by the course of the perplexity on dev."""


def opening(
    paper: Paper, results: Measured, built: Sequence[EncodedSplit], root: Path
) -> Opening | None:
    """Return the chapter that the page of a text begins with; None before there is an answer."""
    answer = text_answer(paper, results, built)
    if answer is None:
        return None
    rows = trained_rows(paper, results)
    best_first = [rows.pop(answer.run), *reversed(rows.values())]
    shown = example_sentences(best_first, results, root, SENTENCES)
    page = template("own_text.html.j2", Path(__file__).parent)
    told = {"answer": answer, "examples": shown, "no_bleu": NO_BLEU, "exports": EXPORTS}
    links = {id: label for id, label in LINKS.items() if shown or id != "sentences"}
    return Opening(links=links, html=Markup(page.render(told)))


def trained_rows(paper: Paper, results: Measured) -> dict[str, Row]:
    """Map runs with records to their first rows, the last run first."""
    rows = reversed(rows_of(paper))
    return {results.rows[row.id]: row for row in rows if results.records_of(row.id)}


def text_answer(
    paper: Paper, results: Measured, built: Sequence[EncodedSplit]
) -> TextAnswer | None:
    """Return the answer for a text; None before a seed has ended that was scored on test."""
    rows = trained_rows(paper, results)
    seeds = [one for one in results.records if one.run in rows and SPLIT in one.scores]
    if not seeds:
        return None
    best = min(seeds, key=dev_perplexity)
    spec = results.runs[best.run]
    sizes = {one.split: one.sentences for one in built if one.dataset == spec.dataset}
    found = best.scores[SPLIT]
    return TextAnswer(
        system=name_of(rows[best.run], results),
        run=best.run,
        seed=best.seed,
        scale=results.scale,
        source=spec.data.source,
        target=spec.data.target,
        corpus=spec.data.corpus,
        rows=[row.id for row in rows_of(paper) if row.id in results.selected],
        forms=[forms_of(name_of(row, results), results.runs[run]) for run, row in rows.items()],
        scores=[(label, found[key]) for key, label in SHOWN_SCORES.items() if key in found],
        weights=weights_of(best, results.scale),
        tested=sizes.get(SPLIT, 0),
        pairs=sizes.get("train", 0),
        more_hours=more_hours(results, best.run, best.seed, best.updates),
    )


def forms_of(system: str, spec: Spec) -> str:
    """Say which toolkits have the method of a system."""
    if not EXPORTS:
        return ""
    from wings.export.supported import TOOLKITS, unsupported_settings

    have = [toolkit for toolkit in TOOLKITS if not unsupported_settings(spec, toolkit)]
    return f"{system}: {' and '.join(have) or 'none'}"


def weights_of(record: Record, scale: str) -> str:
    """Say of which updates the weights of a seed are, and where they lie."""
    updates = record.averaged_updates or (record.updates,)
    last, means = updates[-1], "the mean of the checkpoints up to " * (len(updates) > 1)
    file = SeedFolder.of(Path("results") / scale, record.run, record.seed).model
    return (
        f"Its weights are {means or 'those of '}update {last:,} of {record.updates:,}, after"
        f" {record.epochs * last / record.updates:.1f} of {record.epochs:.1f} passes: {file}"
    )


def more_hours(results: Measured, run: str, seed: int, updates: int) -> str:
    """Say what more updates of a run would do, by its perplexities on dev so far."""
    known = [
        value
        for one in results.curves
        if (one.run, one.seed) == (run, seed) and one.dev
        for value in one.dev.get("ppl", ())
        if value
    ]
    *before, last = known or [math.nan]
    lowest = min(before, default=math.nan)
    seen = f"Its perplexity on dev was {lowest:.2f} before, and {last:.2f} at the end"
    if last > LEVEL * lowest:
        return f"{seen}: it has begun to learn by heart, so more text helps more than more hours."
    if updates < ENOUGH:
        return f"It had {updates:,} updates, and some systems need {ENOUGH:,} to learn anything."
    if not before:
        return "Whether it still learns was not measured."
    if last * LEVEL < lowest:
        return f"{seen}: it still learns, so more hours help."
    return f"{seen}: more hours help little."
