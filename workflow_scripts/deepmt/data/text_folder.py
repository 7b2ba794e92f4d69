"""Read a user's own text: find its files, check and clean them, split off dev and test."""

import hashlib
import re
import tarfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from gzip import GzipFile
from pathlib import Path

from deepmt.data.lines import pair_lines, replacing, write_splits
from deepmt.data.members import read_member
from deepmt.data.text_columns import columns_of
from deepmt.files import sha256

SPLITS = ("test", "dev", "train")
"""Splits in the order of reading: training pairs that are held out are not trained on."""
HELD_OUT = {"test": 2000, "dev": 1000}
"""Pairs that are split off, at most one in twenty of all."""
LEAST_PAIRS = 1000
"""Training pairs below which no model learns to translate."""
CONTROL = re.compile("[\x01-\x1f\x7f-\x9f]")
REMEDY = "replace it with plain text or a whole gzip file"
CUT = re.compile(r"@@ |\u2581|&(apos|quot|amp|#\d+);")
LONGEST_LINE = 4192
"""Bytes of a side that SentencePiece reads."""
ONE_TABLE = ("*.tsv", "*.tsv.gz")

Pair = tuple[str, str]


@dataclass
class CleanText:
    """Count the pairs of each split, and what cleaning dropped or changed and why."""

    pairs: dict[str, int]
    cleaning: Counter[str] = field(default_factory=Counter)
    example: str = ""
    """The first training pair."""
    alphabet: int = 0
    """Distinct characters of the training text, of the side that has more."""


def find(text: Path, languages: Sequence[str]) -> dict[str, tuple[Path, ...]]:
    """Return the files of each split: one per language, or one that is tab-separated.

    Raises:
        ValueError: a file is missing, or there are several for one side; says what is there.
    """
    if not text.exists():
        raise ValueError(f"text={text}: no such folder or file")
    if text.is_file():
        return {"train": (text,)}
    found = {}
    for split in SPLITS:
        sides = [_one(text, f"{split}.{language}") for language in languages]
        table = _one(text, f"{split}.tsv")
        if table and any(sides):
            raise ValueError(f"{text}: has both {table.name} and files by language: remove one")
        lacking = [lang for lang, file in zip(languages, sides, strict=True) if file is None]
        if len(lacking) == 1:
            raise ValueError(
                f"{text}: has {split} in one language only: {split}.{lacking[0]} or"
                f" {split}.{lacking[0]}.gz is missing; {_listing(text)}"
            )
        if table or not lacking:
            found[split] = (table,) if table else tuple(file for file in sides if file)
    tables = [path for pattern in ONE_TABLE for path in sorted(text.glob(pattern))]
    if not found and len(tables) == 1:
        found = {"train": (tables[0],)}
    if "train" not in found:
        names = " and ".join(f"train.{language}" for language in languages)
        raise ValueError(
            f"{text}: needs {names}, or train.tsv with a column each, plain or .gz;"
            f" {_listing(text)}"
        )
    return found


def _one(text: Path, name: str) -> Path | None:
    both = [path for path in (text / name, text / f"{name}.gz") if path.is_file()]
    if len(both) > 1:
        raise ValueError(f"{text}: has both {name} and {name}.gz: remove one")
    return both[0] if both else None


def _listing(text: Path) -> str:
    names = sorted(path.name for path in text.iterdir())
    return f"it holds {', '.join(names[:10])}" if names else "it is empty"


def sums(files: dict[str, tuple[Path, ...]]) -> dict[str, str]:
    """Return the checksum of each file by name, by which a changed text is known."""
    return {path.name: sha256(path) for paths in files.values() for path in paths}


def read_pairs(files: Sequence[Path], languages: Sequence[str]) -> Iterator[Pair]:
    """Yield the pairs of two files, or of two columns of one.

    Raises:
        ValueError: a file is damaged, not UTF-8 or no gzip file despite its name, a line lacks a
            column, or the sides differ in length; names file and line.
    """
    if len(files) == 1:
        yield from _columns(files[0], languages)
    else:
        yield from pair_lines([read_member(file, remedy=REMEDY) for file in files], files)


def _columns(file: Path, languages: Sequence[str]) -> Iterator[Pair]:
    (source, target), named = columns_of(file, languages)
    needed = max(source, target) + 1
    for number, line in enumerate(read_member(file), 1):
        cells = line.split("\t")
        if not line.strip():
            yield "", ""
        elif len(cells) < needed:
            raise ValueError(
                f"{file}, line {number}: has {len(cells)} columns, and needs {needed}: each line"
                " must be the source, a tab and the target"
            )
        elif number > 1 or not named:
            yield cells[source], cells[target]


def clean_text(
    files: dict[str, tuple[Path, ...]], languages: Sequence[str], folder: Path
) -> CleanText:
    """Write {split}.{language} of the cleaned text to a folder.

    Control characters become spaces, and white space single spaces. Pairs are dropped with a side
    that is empty, without a letter, too long or equal to the other. So are repeated pairs, and
    training pairs whose source is in dev or test. Without dev or test, a hash of the source decides
    which pairs they get.

    Raises:
        ValueError: as `read_pairs` does, a split has too few pairs, or the text is no plain text.
    """
    text = CleanText(pairs=dict.fromkeys(reversed(SPLITS), 0))
    write_splits(_clean_pairs(files, languages, text), SPLITS, languages, folder)
    return text


def _clean_pairs(
    files: dict[str, tuple[Path, ...]], languages: Sequence[str], text: CleanText
) -> Iterator[tuple[str, Pair]]:
    """Yield the pairs that cleaning keeps, each with its split; count all in `text`."""
    total = sum(1 for _ in read_pairs(files["train"], languages))
    held_out = {
        name: min(1 / 20, most / max(total, 1))
        for name, most in HELD_OUT.items()
        if name not in files
    }
    alphabets: tuple[set[str], set[str]] = (set(), set())
    seen: set[bytes] = set()
    tested: set[bytes] = set()
    marked = 0
    for given in (split for split in SPLITS if split in files):
        for raw in read_pairs(files[given], languages):
            text.cleaning["read"] += 1
            source, target = (_clean(line, text.cleaning) for line in raw)
            key = _hash(source)
            split = _split_of(key, held_out) if given == "train" else given
            both = _hash(f"{source}\t{target}")
            if why := _unusable(source, target):
                text.cleaning[why] += 1
            elif both in seen and given == "train":
                text.cleaning["repeated"] += 1
            elif given == "train" and key in tested:
                text.cleaning["source in dev or test"] += 1
            else:
                seen.add(both)
                if given != "train":
                    tested.add(key)
                if split == "train":
                    text.example = text.example or f"{source} -> {target}"
                    marked += bool(CUT.search(source) and CUT.search(target))
                    alphabets[0].update(source)
                    alphabets[1].update(target)
                text.pairs[split] += 1
                yield split, (source, target)
    _check_sizes(text, files)
    if marked > text.pairs["train"] / 20:
        raise ValueError(
            f"{' and '.join(map(str, files['train']))}: {marked:,} pairs are cut into subwords or"
            " escaped (@@, \u2581, &apos;): give the text as people write it"
        )
    text.alphabet = max(map(len, alphabets))


def _clean(line: str, counts: Counter[str]) -> str:
    counts["lines with control characters"] += bool(CONTROL.search(line.replace("\t", " ")))
    return clean_line(line)


def clean_line(line: str) -> str:
    """Return a line with control characters as spaces, and single spaces as white space."""
    return " ".join(CONTROL.sub(" ", line).split())


def _unusable(source: str, target: str) -> str:
    """Return why a pair teaches nothing, or an empty string."""
    if not (source and target):
        return "empty side"
    if source == target:
        return "equal sides"
    if not (any(map(str.isalpha, source)) and any(map(str.isalpha, target))):
        return "side without a letter"
    longest = max(len(source.encode()), len(target.encode()))
    return f"over {LONGEST_LINE:,} bytes" if longest > LONGEST_LINE else ""


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()


def _split_of(key: bytes, held_out: dict[str, float]) -> str:
    """Return the split of a pair by the hash of its source: equal sources share a split."""
    place = int.from_bytes(key, "big") / 2**64
    for name, share in held_out.items():
        if place < share:
            return name
        place -= share
    return "train"


def _check_sizes(text: CleanText, files: dict[str, tuple[Path, ...]]) -> None:
    where = " and ".join(map(str, files["train"]))
    dropped = {why: count for why, count in text.cleaning.items() if count and why != "read"}
    if text.pairs["train"] < LEAST_PAIRS:
        raise ValueError(
            f"{where}: {text.pairs['train']:,} training pairs are left after cleaning"
            f" ({_listed(dropped)}), but {LEAST_PAIRS:,} are the least that a model can learn from:"
            " add text"
        )
    for split in ("dev", "test"):
        if not text.pairs[split]:
            named = " and ".join(map(str, files.get(split, files["train"])))
            raise ValueError(f"{named}: no pair is left for {split} ({_listed(dropped)})")


def _listed(dropped: dict[str, int]) -> str:
    return ", ".join(f"{why}: {count:,}" for why, count in dropped.items()) or "none dropped"


def pack(folder: Path, archive: Path) -> dict[str, str | int]:
    """Write the files of a folder to a .tar.gz; equal text gives equal bytes."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    with (
        replacing(archive, "wb") as raw,
        GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w") as tape,
    ):
        for path in sorted(folder.iterdir()):
            entry = tarfile.TarInfo(path.name)
            entry.size = path.stat().st_size
            with path.open("rb") as stream:
                tape.addfile(entry, stream)
    return {"bytes": archive.stat().st_size, "sha256": sha256(archive)}
