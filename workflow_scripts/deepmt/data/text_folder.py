"""Read a user's own text: find its files, check and clean them, split off dev and test."""

import hashlib
import re
import tarfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from gzip import GzipFile
from pathlib import Path
from unicodedata import normalize

from deepmt.data.lines import pair_lines, replacing, write_splits
from deepmt.data.members import open_member, read_member
from deepmt.data.text_columns import columns_of
from deepmt.files import sha256
from deepmt.languages import language

SPLITS = ("test", "dev", "train")
"""Splits in the order of reading: training pairs that are held out are not trained on."""
HELD_OUT = {"test": 2000, "dev": 1000}
"""Pairs that are split off, at most one in twenty of all."""
LEAST_PAIRS = 1000
"""Training pairs below which no model learns to translate."""
CONTROL = re.compile("[\x01-\x1f\x7f-\x9f]")
WITH_CONTROL = "lines with control characters"
REMEDY = "replace it with plain text or a whole gzip file"
CUT = re.compile(r"@@ |\u2581|&(apos|quot|amp|#\d+);")
LONGEST_LINE = 4192
"""Bytes of a side that SentencePiece reads."""
ONE_TABLE = ("*.tsv", "*.tsv.gz")
HEAD = 1 << 16
"""Bytes of a file by which the form of its lines is known."""
FITS = 0.5
"""Share of the letters of a side that are of the scripts of its language."""

Pair = tuple[str, str]


@dataclass
class CleanText:
    """Count the pairs of each split, and what cleaning dropped or changed and why."""

    pairs: dict[str, int]
    cleaning: Counter[str] = field(default_factory=Counter)
    characters: tuple[Counter[str], Counter[str]] = field(
        default_factory=lambda: (Counter(), Counter())
    )
    """Those of both sides of the training text."""

    @property
    def alphabet(self) -> int:
        """Return the number of distinct characters, of the side that has more."""
        return max(map(len, self.characters))

    @property
    def dropped(self) -> str:
        """Return what was dropped and why, e.g. "empty side: 12, repeated: 1,003"."""
        kept = ("read", WITH_CONTROL)
        why = (f"{why}: {n:,}" for why, n in self.cleaning.items() if n and why not in kept)
        return ", ".join(why) or "none dropped"


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


def read_pairs(files: Sequence[Path], languages: Sequence[str]) -> Iterator[Pair]:
    """Yield the pairs of two files, or of two columns of one.

    Raises:
        ValueError: a file is damaged, not UTF-8 or no gzip file despite its name, a line lacks a
            column, or the sides differ in length; names file and line.
    """
    for file in files:
        _check_form(file)
    if len(files) == 1:
        yield from _columns(files[0], languages)
    else:
        yield from pair_lines([read_member(file, remedy=REMEDY) for file in files], files)


def _check_form(file: Path) -> None:
    """Refuse UTF-16 without a mark, and lines that end in a carriage return alone."""
    with open_member(file, remedy=REMEDY) as stream:
        head = stream.read(HEAD)
    for mark, odd, name in (b"\xfe\xff", 0, "UTF-16BE"), (b"\xff\xfe", 1, "UTF-16LE"):
        zeros = head[odd::2].count(0)
        if head.startswith(mark) or zeros > len(head) / 8 > 8 * head[1 - odd :: 2].count(0):
            remedy = f"convert it: iconv -f {name} -t UTF-8 {file.name}"
            raise ValueError(f"{file}: is {name}, not UTF-8; {remedy}")
    if b"\r" in head and b"\n" not in head:
        remedy = f"convert it: tr '\\r' '\\n' < {file.name}"
        raise ValueError(f"{file}: its lines end in a carriage return alone; {remedy}")


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
    pairs of train, and of dev, whose source is in dev or test. Without dev or test, a hash of the
    source decides which pairs they get.

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
    seen: set[bytes] = set()
    tested: set[bytes] = set()
    marked = 0
    for given in (split for split in SPLITS if split in files):
        held: set[bytes] = set()
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
            elif key in tested:
                text.cleaning["source in dev or test"] += 1
            else:
                seen.add(both)
                if given != "train":
                    held.add(key)
                if split == "train":
                    marked += bool(CUT.search(source) and CUT.search(target))
                    for counts, side in zip(text.characters, (source, target), strict=True):
                        counts.update(side)
                text.pairs[split] += 1
                yield split, (source, target)
        tested |= held
    _check_sizes(text, files)
    _check_sides(text, files, languages)
    if marked > text.pairs["train"] / 20:
        raise ValueError(
            f"{' and '.join(map(str, files['train']))}: {marked:,} pairs are cut into subwords or"
            " escaped (@@, \u2581, &apos;): give the text as people write it"
        )


def _clean(line: str, counts: Counter[str]) -> str:
    counts[WITH_CONTROL] += bool(CONTROL.search(line.replace("\t", " ")))
    return clean_line(line)


def clean_line(line: str) -> str:
    """Return a line in Unicode's composed form, NFC, with single spaces as white space.

    Control characters become spaces.
    """
    return " ".join(normalize("NFC", CONTROL.sub(" ", line)).split())


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
    if text.pairs["train"] < LEAST_PAIRS:
        raise ValueError(
            f"{where}: {text.pairs['train']:,} training pairs are left after cleaning"
            f" ({text.dropped}), but {LEAST_PAIRS:,} are the least that a model can learn from:"
            " add text"
        )
    for split in ("dev", "test"):
        if not text.pairs[split]:
            named = " and ".join(map(str, files.get(split, files["train"])))
            raise ValueError(f"{named}: no pair is left for {split} ({text.dropped})")


def _check_sides(
    text: CleanText, files: dict[str, tuple[Path, ...]], languages: Sequence[str]
) -> None:
    """Refuse sides in the scripts of each other's language."""
    codes = list(map(language, languages))
    own = [code.share(each) for code, each in zip(codes, text.characters, strict=True)]
    other = [code.share(each) for code, each in zip(codes, text.characters[::-1], strict=True)]
    if max(own) < FITS < min(other):
        raise ValueError(
            f"{' and '.join(map(str, files['train']))}: {languages[0]} is written as"
            f" {languages[1]} is, and the reverse: exchange the sides"
        )


def odd_scripts(text: CleanText, languages: Sequence[str]) -> list[str]:
    """Return a sentence for each side that is not written as its language is."""
    shares = [language(x).share(c) for x, c in zip(languages, text.characters, strict=True)]
    return [
        f"only {share:.0%} of the letters of {name} are of its script: is it {name}?"
        for name, share in zip(languages, shares, strict=True)
        if share < FITS
    ]


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
