"""Know in what form a file of a user's text is, and refuse what is not read, with a remedy."""

from pathlib import Path

from deepmt.base.errors import UserError
from deepmt.data.line_forms import check_lines
from deepmt.data.members import open_member

PACKED = (".gz", ".xz")
"""Endings of packed files, which are read as they are."""
TABLES = (".tsv", ".csv", ".tmx")
"""Endings of files that hold both sides."""
TMX = ".tmx"
REMEDY = "replace it with plain text or a whole .gz or .xz file"
ENDINGS = {
    ".po": "a catalogue of gettext; convert it: po2tmx --language=<target> {0} text.tmx",
    ".mo": "a catalogue of gettext; convert it: msgunfmt {0}, then po2tmx",
    ".xlf": "XLIFF; export it as TMX",
    ".xliff": "XLIFF; export it as TMX",
    ".json": "JSON; write a pair a line: source, tab, target",
    ".jsonl": "JSON; write a pair a line: source, tab, target",
    ".parquet": "Parquet; write a pair a line: source, tab, target",
    ".xlsx": "a spreadsheet; save it as CSV in UTF-8",
    ".xls": "a spreadsheet; save it as CSV in UTF-8",
    ".ods": "a spreadsheet; save it as CSV in UTF-8",
    ".zst": "packed by zstd; unpack it: zstd -d {0}",
    ".bz2": "packed by bzip2; unpack it: bunzip2 {0}",
    ".zip": "a zip file; unpack it: unzip {0}",
}
"""Files that people have, by their ending: what they are and what to do."""
BEGINNINGS = {
    b"version https://git-lfs.": "a pointer of Git LFS, not the text; fetch it: git lfs pull",
    b"\x28\xb5\x2f\xfd": ENDINGS[".zst"],
    b"BZh": ENDINGS[".bz2"],
    b"PK\x03\x04": ENDINGS[".zip"],
}
"""The same by their first bytes, whatever the name."""
HEAD = 1 << 16
"""Bytes of a file by which the form of its lines is known."""


def ending(file: Path) -> str:
    """Return the ending of a file's name without that of its packing, e.g. ".tsv"."""
    name = file.with_suffix("") if file.suffix in PACKED else file
    return name.suffix


def what_it_is(file: Path) -> str:
    """Return what a file is that is not read, and its remedy; empty if it may be text."""
    return ENDINGS.get(file.suffix, "").format(file.name)


def check_form(file: Path, *, one_side: bool) -> None:
    """Refuse a file that is not text in UTF-8 with a line feed at the end of each line.

    One side has no other form, such as tags or columns.

    Raises:
        ValueError: names what it is, and how to convert it.
    """
    if not file.is_file():
        raise UserError(f"{file}: is a pipe or a device; write the text to a file first")
    with file.open("rb") as stream:
        start = stream.read(64)
    known = (what for magic, what in BEGINNINGS.items() if start.startswith(magic))
    if what := what_it_is(file) or next(known, "").format(file.name):
        raise UserError(f"{file}: is {what}")
    if ending(file) != TMX:
        head = _checked_head(file)
        if one_side:
            check_lines(file, head.decode("utf-8", "replace").split("\n"))


def _checked_head(file: Path) -> bytes:
    """Refuse UTF-16 without a mark, and lines that end in a carriage return alone."""
    with open_member(file, remedy=REMEDY) as stream:
        head = stream.read(HEAD)
    for mark, odd, name in (b"\xfe\xff", 0, "UTF-16BE"), (b"\xff\xfe", 1, "UTF-16LE"):
        zeros = head[odd::2].count(0)
        if head.startswith(mark) or zeros > len(head) / 8 > 8 * head[1 - odd :: 2].count(0):
            remedy = f"convert it: iconv -f {name} -t UTF-8 {file.name}"
            raise UserError(f"{file}: is {name}, not UTF-8; {remedy}")
    if b"\r" in head and b"\n" not in head:
        remedy = f"convert it: tr '\\r' '\\n' < {file.name}"
        raise UserError(f"{file}: its lines end in a carriage return alone; {remedy}")
    return head
