"""Score a file of translations that was made elsewhere, beside the systems recorded here."""

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import fmean
from typing import Annotated

from pydantic import TypeAdapter

from deepmt.base.cli import Positional, run
from deepmt.base.compressed import refuse_compressed
from deepmt.base.errors import UserError
from deepmt.base.files import write_json
from deepmt.base.languages import named_language
from deepmt.base.printable import printable
from deepmt.data.line_forms import ENTITY, check_lines, look_tokenised
from deepmt.data.lines import read_lines
from deepmt.data.raw_corpus import RawCorpus
from deepmt.judge.ranking import name_of
from deepmt.judge.significance import paired_bootstrap
from deepmt.measured.outside import Outside
from deepmt.measured.record_file import ALWAYS
from deepmt.measured.records import Record
from deepmt.measured.seeds import averaged
from deepmt.measured.table import gather
from deepmt.measured.translations import recorded_translation
from deepmt.scores.score import Score
from deepmt.scores.scored_texts import Texts, read_texts
from deepmt.scores.scores import NO_BLEU, measures_for, score_texts
from deepmt.settings.corpora import Split, load_corpora
from deepmt.settings.strict import Name
from deepmt.study.measures import SHOWN_SCORES
from deepmt.study.papers import OWN_PAPER
from deepmt.study.plan import load_plan

CUT = ("@@ ", "\u2581")
"""Marks of subwords that were not joined."""
WIDTH = 52
"""Characters of a name."""
SAME = 0.01
"""How far a score may lie from the recorded one of the same texts."""


def main(
    *,
    hypotheses: Annotated[Path, Positional("translations, one a line, as people write text")],
    corpus: Annotated[str, "a corpus of corpora.yaml or corpora/ whose text was built here"] = "",
    split: Split = "test",
    reference: Annotated[Path | None, "another reference, one a line, in place of a corpus"] = None,
    language: Annotated[str, "language of that reference, e.g. de, zh-CN or Chinese"] = "",
    scale: Annotated[str, "print the systems recorded at this scale, too"] = "",
    against: Annotated[str, "a row of it to test against, in place of the one of best BLEU"] = "",
    output: Annotated[Path | None, "write the scores with their signatures as JSON"] = None,
    enter: Annotated[
        Name | None,
        "keep file and scores under this name in records/, which the page shows unranked",
    ] = None,
    root: Path = Path(),
) -> None:
    """Print BLEU, chrF and TER of a file, with signatures, and those of recorded systems.

    The file is from outside: how it was made is unknown, so it enters no ranking.

    Raises:
        ValueError: flags are missing or contradict each other, or the texts do not match.
    """
    if bool(corpus) == bool(reference) or bool(reference) != bool(language):
        raise UserError("give --corpus, or both --reference and --language")
    if scale and not corpus:
        raise UserError("--scale has systems of a --corpus: give that, and no --reference")
    if against and not scale:
        raise UserError("--against names a row of a --scale: give that, too")
    if enter and not corpus:
        raise UserError("--enter keeps translations of a --corpus: give that")
    target = named_language(language)
    if language and not target:
        raise UserError(f"--language {language}: names no language; give its code, such as de")
    path, target = (reference, target) if reference else reference_of(root, corpus, split)
    assert path
    for file in (hypotheses, path):
        check_text(file)
    texts = read_texts(
        hypotheses=hypotheses,
        detokenised=hypotheses,
        reference=path,
        tokenised_reference=path,
        target_language=target,
    )
    warn_of_form(hypotheses, texts)
    systems = dict(recorded(root, scale, corpus, split)) if scale else {}
    rival = rival_of(systems, split, against)
    scores = score_texts(texts, SHOWN_SCORES)
    if "bleu" not in scores:
        say(NO_BLEU)
    empty = f", {texts.empty_hypotheses:,} of them empty" * bool(texts.empty_hypotheses)
    say(f"{hypotheses}: {len(texts.detokenised):,} translations{empty}, scored against {path}")
    say(row("", [SHOWN_SCORES[key] for key in scores]))
    say(row("from outside, translations only", [f"{one.value:.1f}" for one in scores.values()]))
    if scale:
        say(f"recorded at {scale}, means over seeds that train, in the order of the tables:")
        for name, records in systems.values():
            means = [mean(records, split, key) for key in scores]
            say(row(name, ["-" if one is None else f"{one:.1f}" for one in means]))
    for key, score in scores.items():
        say(f"{SHOWN_SCORES[key]}: {score.signature}")
    if rival:
        other, record = rival
        say(f"difference from {other}, seed {record.seed} (--against names another row):")
        for line in differences(texts, path, record, split, root / "records"):
            say(line)
    elif scale:
        say(f"no difference is tested: no system of {scale} has its translations recorded")
    if output:
        values = TypeAdapter(dict[str, Score]).dump_python(scores)
        write_json(output, {"file": str(hypotheses), "scores": values})
    if enter:
        kept = Outside(
            name=enter,
            corpus=corpus,
            split=split,
            entered=f"{datetime.now(UTC):%Y-%m-%d}",
            scores=scores,
            translations=tuple(texts.detokenised),
        )
        say(f"entered: {kept.enter(root / 'records')}")


def check_text(file: Path) -> None:
    """Refuse a file that is not text as people write it; warn of entities.

    Raises:
        ValueError: says what it is.
    """
    with file.open("rb") as stream:
        refuse_compressed(stream, file)
    check_lines(file, lines := list(read_lines(file)))
    if number := next((n for n, x in enumerate(lines, 1) if any(mark in x for mark in CUT)), 0):
        raise UserError(f"{file}, line {number}: is cut into subwords (@@, \u2581): join them")
    if escaped := sum(bool(ENTITY.search(line)) for line in lines):
        say(f"warning: {file}: {escaped:,} lines have entities (&amp;, &nbsp;): unescape them")


def warn_of_form(file: Path, texts: Texts) -> None:
    """Warn of translations that are lower-cased or tokenised where the reference is not."""
    ours, theirs = (" ".join(text) for text in (texts.detokenised, texts.reference))
    if ours == ours.lower() and theirs != theirs.lower():
        say(f"warning: {file}: has no capital letter, and the reference has: BLEU counts case")
    if look_tokenised(texts.detokenised) and not look_tokenised(texts.reference):
        say(f"warning: {file}: looks tokenised, and the reference does not")


def reference_of(root: Path, corpus: str, split: str) -> tuple[Path, str]:
    """Return the raw reference of a split of a corpus, and its language.

    Raises:
        ValueError: the corpus is unknown, or its text was not built here.
    """
    target = load_corpora(root / "corpora.yaml").corpus(corpus).target
    raw = RawCorpus(root / "data/raw" / corpus)
    if not raw.is_built:
        build = f"./deepmt run --cores 1 {raw.folder}/counts.json"
        raise UserError(f"{raw.folder} is not there: build the text: {build}")
    path = raw.file(split, target)
    if split in raw.tokenised:
        say(f"warning: {path} came tokenised, so the scores are those of tokens")
    return path, target


def recorded(
    root: Path, scale: str, corpus: str, split: str
) -> Iterator[tuple[str, tuple[str, list[Record]]]]:
    """Yield the rows of a scale with scores on a split of a corpus: ids, names and seeds."""
    plan = load_plan(root, {"scale": scale, "papers": [OWN_PAPER], "rows": ["all"]})
    known = gather(plan, root, root / plan.config.results)
    shown = set()
    for row_ in (row for paper in plan.papers for table in paper.tables for row in table.rows):
        records = averaged([one for one in known.records_of(row_.id) if split in one.scores])
        if not records or known.specs[row_.id].data.corpus != corpus or records[0].run in shown:
            continue
        shown.add(records[0].run)
        seeds = f"{len(records)} seed{'s' * (len(records) > 1)}"
        yield row_.id, (f"{name_of(row_, known)}, {seeds}", records)


def mean(records: Sequence[Record], split: str, measure: str) -> float | None:
    """Return the mean of a score over seeds, or None without one."""
    values = [one.value(measure, split) for one in records]
    return fmean(values) if values and not any(map(math.isnan, values)) else None


def rival_of(
    systems: Mapping[str, tuple[str, Sequence[Record]]], split: str, against: str
) -> tuple[str, Record] | None:
    """Return a row and its first seed with translations: the named one, or that of best mean BLEU.

    Raises:
        ValueError: the named one has no translations.
    """
    kept = {
        row: record
        for row, (_, records) in systems.items()
        for record in reversed(records)
        if split in record.hypotheses
    }
    if against and against not in kept:
        known = ", ".join(kept) or "none"
        raise UserError(f"--against {against}: no row with recorded translations, as are: {known}")
    best = max(kept, key=lambda row: mean(systems[row][1], split, "bleu") or 0, default="")
    return (against or best, kept[against or best]) if kept else None


def differences(
    texts: Texts, reference: Path, record: Record, split: str, archive: Path
) -> Iterator[str]:
    """Yield the differences from a recorded translation, with intervals over sentences.

    Raises:
        ValueError: the reference is not the one that the record was scored against.
    """
    theirs = recorded_translation(record, split, archive)
    for key in (each for each in ALWAYS if each in record.scores[split]):
        metric, then = measures_for(texts.target_language)[key].metric(), record.scores[split][key]
        tested = paired_bootstrap(theirs, texts.detokenised, texts.reference, metric=metric)
        if abs(tested.baseline - then.value) > SAME:
            raise UserError(
                f"{reference}: gives {tested.baseline:.2f} {SHOWN_SCORES[key]} where"
                f" {record.location} has {then.value:.2f}: it has changed; build the text again"
            )
        value, p = tested.system - tested.baseline, tested.p_value
        low, high = tested.low, tested.high
        yield f"{SHOWN_SCORES[key]} {value:+.1f} ({low:+.1f} to {high:+.1f}), p {p:.3f}"
        yield f"  {tested.signature}"
    yield (
        f"95 % intervals and sacreBLEU's p (nearly one-sided) are over sentences of {split}:"
        " other seeds are left out"
    )


def row(name: str, values: list[str]) -> str:
    """Return a line of a table."""
    return f"{name:{WIDTH}}" + "".join(f"{value:>8}" for value in values)


def say(line: str) -> None:
    """Print a line."""
    print(printable(line), flush=True)


if __name__ == "__main__":
    run(main)
