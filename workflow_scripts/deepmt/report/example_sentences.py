"""Show some sentences of the test set with the translation of every system."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deepmt.config.papers import Paper
from deepmt.config.spec import Spec
from deepmt.report.answer import system_of
from deepmt.results.hypotheses import read_hypotheses
from deepmt.results.records import Record
from deepmt.results.results import Results
from deepmt.results.run_outcome import averaged

SPLIT = "test"
SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class ExampleSentence:
    """Hold a sentence of the test set, its reference, and the translations by system."""

    source: str
    reference: str
    translations: Mapping[str, str]


def example_sentences(
    paper: Paper, results: Results, folder: Path, root: Path
) -> list[ExampleSentence]:
    """Return sentences at even distances in the test set, of the first corpus with translations.

    The systems are those of the paper's first table, each by its first seed that trains. There is
    none without the raw text of the corpus or without stored translations.
    """
    table, *_ = paper.tables
    corpus, systems = "", {}
    for row in table.rows:
        if not (records := results.records_of(row)):
            continue
        spec, record = results.specs[row.id], averaged(records)[0]
        if lines := translation(record, spec, folder, root / "records"):
            corpus = corpus or spec.data.corpus
            if spec.data.corpus == corpus:
                systems[system_of(row, (), results).name], data = lines, spec.data
    raw = root / "data/raw" / corpus
    if not systems or not (raw / f"{SPLIT}.{data.source}").exists():
        return []
    source, reference = (
        read_text_lines(raw / f"{SPLIT}.{language}") for language in (data.source, data.target)
    )
    return [
        ExampleSentence(
            source=source[place],
            reference=reference[place],
            translations={name: lines[place] for name, lines in systems.items()},
        )
        for place in dict.fromkeys(number * len(source) // SHOWN for number in range(SHOWN))
        if all(place < len(lines) for lines in (reference, *systems.values()))
    ]


def translation(record: Record, spec: Spec, folder: Path, archive: Path) -> Sequence[str]:
    """Return the stored translation of the test set by a seed; empty if there is none."""
    path = folder / "runs" / spec.run / f"seed{record.seed}" / f"hyp.{SPLIT}.txt"
    if not record.archived and path.exists():
        return read_text_lines(path)
    if record.archived and SPLIT in record.hypotheses:
        return read_hypotheses(archive, spec.run, record.seed, record.hypotheses)[SPLIT]
    return ()


def read_text_lines(path: Path) -> list[str]:
    """Return the lines of a text, which \\n alone ends."""
    return path.read_text(encoding="utf-8").split("\n")[:-1]
