"""Read a user's own text: find its files, check and clean them, split off dev and test."""

import hashlib
import re
import tarfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from gzip import GzipFile
from pathlib import Path

from deepmt.base.errors import UserError
from deepmt.base.files import sha256, visible
from deepmt.base.languages import language, named_language
from deepmt.data.lines import CONTROL, clean_line, pair_lines, replacing, write_splits
from deepmt.data.members import read_member
from wings.text.clean_text import WITH_CONTROL, CleanText, Pair
from wings.text.text_columns import column_pairs
from wings.text.text_forms import REMEDY, TABLES, TMX, check_form, ending, what_it_is
from wings.text.text_sides import check_sides
from wings.text.tmx import tmx_pairs

SPLITS = ("test", "dev", "train")
"""Splits in the order of reading: training pairs that are held out are not trained on."""
SPLIT_OF = {name: name for name in SPLITS} | dict.fromkeys(("valid", "val", "validation"), "dev")
"""Names of files, and the splits that they hold."""
HELD_OUT = {"test": 2000, "dev": 1000}
"""Pairs that are split off, at most one in twenty of all."""
LEAST_PAIRS = 1000
"""Training pairs below which no model learns to translate."""
CUT = re.compile(r"@@ |\u2581|&(apos|quot|amp|#\d+);")
LONGEST_LINE = 4192
"""Bytes of a side that SentencePiece reads."""
SAMPLE = 1000
"""Training pairs, about, whose languages are compared; they are drawn by their hash."""


def find(text: Path, languages: Sequence[str]) -> dict[str, tuple[Path, ...]]:
    """Return the files of each split: one per language, or one that holds both.

    Raises:
        ValueError: a file is missing, or there are several for one side; says what is there.
    """
    if not text.exists():
        raise UserError(f"text={text}: no such folder or file")
    if not text.is_dir():
        return {"train": (text,)}
    known = _by_content(text, {*TABLES, *(language(name).code for name in languages)})
    found = {
        split: files for split in SPLITS if (files := _files_of(split, text, languages, known))
    }
    tables = [path for path in visible(text, "*") if ending(path) in TABLES]
    if not found and len(tables) == 1:
        found = {"train": (tables[0],)}
    if "train" not in found:
        names = " and ".join(f"train.{language}" for language in languages)
        raise UserError(
            f"{text}: needs {names}, or train.tsv, train.csv or train.tmx with both, plain, .gz or"
            f" .xz; {_listing(text)}"
        )
    return found


def not_used(text: Path, files: Mapping[str, Sequence[Path]]) -> list[str]:
    """Return the files of a folder that are not read, with what they are if that is known."""
    read = {path for each in files.values() for path in each}
    others = [path for path in visible(text, "*") if path not in read]
    return [f"{path.name} ({what})" if (what := what_it_is(path)) else path.name for path in others]


Content = tuple[str, str]
"""A split, and the ending of a table or the code of a language."""


def _by_content(text: Path, kinds: set[str]) -> dict[Content, Path]:
    """Return the files of a folder, of some kinds, by what their names say that they hold.

    Raises ValueError if two names say the same.
    """
    found: dict[Content, Path] = {}
    for path in filter(Path.is_file, visible(text, "*")):
        whole, kind = path.name, ending(path)
        stem = whole[: whole.rindex(kind)] if kind else whole
        code = kind if kind in TABLES else named_language(kind)
        if stem in SPLIT_OF and code in kinds:
            first = found.setdefault((SPLIT_OF[stem], code), path)
            if first != path:
                raise UserError(f"{text}: has both {first.name} and {path.name}: remove one")
    return found


def _files_of(
    split: str, text: Path, languages: Sequence[str], known: Mapping[Content, Path]
) -> tuple[Path, ...]:
    """Return the files of a split; none if it has none.

    Raises ValueError if it has a table and sides, or one side alone.
    """
    tables = [known[split, kind] for kind in TABLES if (split, kind) in known]
    sides = [known.get((split, language(name).code)) for name in languages]
    given = [*tables, *filter(None, sides)]
    if tables and len(given) > 1:
        names = " and ".join(path.name for path in given[:2])
        raise UserError(f"{text}: has both {names}: remove one")
    lacking = [name for name, file in zip(languages, sides, strict=True) if file is None]
    if len(lacking) == 1 and not tables:
        raise UserError(
            f"{text}: has {split} in one language only: {split}.{lacking[0]} or"
            f" {split}.{lacking[0]}.gz is missing; {_listing(text)}"
        )
    return tuple(given)


def _listing(text: Path) -> str:
    names = not_used(text, {})
    return f"it holds {', '.join(names[:10])}" if names else "it is empty"


def read_pairs(files: Sequence[Path], languages: Sequence[str]) -> Iterator[Pair]:
    """Yield the pairs of two files, or of one that holds both sides.

    Raises:
        ValueError: a file is damaged, not UTF-8, not in a form that is read or no gzip file despite
            its name, a line lacks a column, or the sides differ in length; names file and line.
    """
    for file in files:
        check_form(file, one_side=len(files) == 2)
    if len(files) == 2:
        yield from pair_lines([read_member(file, remedy=REMEDY) for file in files], files)
    elif ending(files[0]) == TMX:
        yield from tmx_pairs(files[0], languages)
    else:
        yield from column_pairs(files[0], languages)


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
    every = dict.fromkeys(SPLITS, 1) | {"train": max(1, total // SAMPLE)}
    seen: set[bytes] = set()
    tested: set[bytes] = set()
    marked = 0
    for given in (split for split in SPLITS if split in files):
        held: set[bytes] = set()
        for raw in read_pairs(files[given], languages):
            text.cleaning["read"] += 1
            text.given[given] += 1
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
                    text.add((source, target))
                if int.from_bytes(both) % every[given] == 0:
                    text.samples[given].append((source, target))
                text.pairs[split] += 1
                yield split, (source, target)
        tested |= held
    _check_sizes(text, files)
    where = {split: " and ".join(map(str, each)) for split, each in files.items()}
    check_sides(where, text, languages)
    if marked > text.pairs["train"] / 20:
        raise UserError(
            f"{where['train']}: {marked:,} pairs are cut into subwords or"
            " escaped (@@, \u2581, &apos;): give the text as people write it"
        )


def _clean(line: str, counts: Counter[str]) -> str:
    counts[WITH_CONTROL] += bool(CONTROL.search(line.replace("\t", " ")))
    return clean_line(line)


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
        raise UserError(
            f"{where}: {text.pairs['train']:,} training pairs are left after cleaning"
            f" ({text.dropped}), but {LEAST_PAIRS:,} are the least that a model can learn from:"
            " add text"
        )
    for split in ("dev", "test"):
        if not text.pairs[split]:
            named = " and ".join(map(str, files.get(split, files["train"])))
            raise UserError(f"{named}: no pair is left for {split} ({text.dropped})")


def pack(folder: Path, archive: Path) -> dict[str, str | int]:
    """Write the files of a folder to a .tar.gz; equal text gives equal bytes by the same zlib."""
    archive.parent.mkdir(parents=True, exist_ok=True)
    with (
        replacing(archive, "wb") as raw,
        GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as zipped,
        tarfile.open(fileobj=zipped, mode="w") as tape,
    ):
        for path in visible(folder, "*"):
            entry = tarfile.TarInfo(path.name)
            entry.size = path.stat().st_size
            with path.open("rb") as stream:
                tape.addfile(entry, stream)
    return {"bytes": archive.stat().st_size, "sha256": sha256(archive)}


def content_hash(archive: Path) -> str:
    """Return the SHA-256 of what is packed, which does not depend on the zlib that packed it."""
    with GzipFile(archive) as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
