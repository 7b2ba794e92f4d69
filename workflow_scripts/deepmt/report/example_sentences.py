"""Show some sentences of the test set with the translation of every system."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from deepmt.base.printable import say
from deepmt.judge.ranking import name_of
from deepmt.measured.records import Record
from deepmt.measured.seeds import averaged
from deepmt.measured.table import Measured
from deepmt.measured.translations import raw_pair, recorded_translation
from deepmt.settings.spec import Data
from deepmt.study.papers import Row

SPLIT = "test"
SHOWN = 5


def example_sentences(
    rows: Iterable[Row], results: Measured, root: Path, shown: int = SHOWN
) -> list[dict[str, str]]:
    """Return sentences at even distances in the test set, of the first corpus with translations.

    Each is a source, its reference, and the translations by the systems of the rows, each by its
    first seed that trains. There is none without the raw text of the corpus or without stored
    translations. A translation or a reference that was changed is refused.
    """
    data: Data | None = None
    texts: dict[str, Sequence[str]] = {}
    for row in rows:
        if not (records := results.records_of(row.id)):
            continue
        spec, record = results.specs[row.id], averaged(records)[0]
        try:
            lines = translation(record, root / "records")
            raw = raw_pair(record, spec.data, SPLIT, root)
        except ValueError as error:
            say(f"refused: {error}")
            continue
        if lines and raw:
            data = data or spec.data
            if spec.data.corpus == data.corpus:
                texts |= dict(zip(("source", "reference"), map(read_text_lines, raw), strict=True))
                texts[name_of(row, results)] = lines
    if not data:
        return []
    length = len(texts["source"])
    return [
        {name: lines[place] for name, lines in texts.items()}
        for place in dict.fromkeys(number * length // shown for number in range(shown))
        if all(place < len(lines) for lines in texts.values())
    ]


def translation(record: Record, archive: Path) -> Sequence[str]:
    """Return the stored translation of the test set by a seed; empty if there is none.

    One whose hash the record lacks, as older ones do, might be anybody's.

    Raises:
        ValueError: a file is not what the record names by its hash; names it.
    """
    stored = record.archived or (record.folder / f"hyp.{SPLIT}.txt").exists()
    known = stored and SPLIT in record.hypotheses
    return recorded_translation(record, SPLIT, archive) if known else ()


def read_text_lines(path: Path) -> list[str]:
    """Return the lines of a text, which \\n alone ends."""
    return path.read_bytes().decode().split("\n")[:-1]
