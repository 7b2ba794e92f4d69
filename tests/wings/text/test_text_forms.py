"""Text as people have it: CSV, TMX, headers of every kind, and files that are named, not read."""

import bz2
import gzip
import lzma
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from texts import OTHER_FORMS

import projects
from deepmt.base.languages import language, named_language
from wings.text import text_folder
from wings.text.clean_text import CleanText
from wings.text.text_sides import doubts

PAIRS = [(f"the house is green, says {n}", f'das Haus ist "grün", sagt {n}') for n in range(30)]


def pairs_of(file: Path, direction: str = "en-de") -> list[tuple[str, str]]:
    return list(text_folder.read_pairs((file,), direction.split("-")))


def table(folder: Path, head: str, name: str = "train.tsv") -> Path:
    """A table of German and English, in this order, below a first line."""
    lines = [head, *(f"{b}\t{a}" for a, b in PAIRS)]
    (folder / name).write_text("".join(f"{line}\n" for line in lines if line))
    return folder / name


def quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


@pytest.mark.parametrize("direction", ["en-de", "eng-deu", "eng-ger"])
@pytest.mark.parametrize(
    "head",
    ["de\ten", "deu\teng", "ger\teng", "de_DE\ten-US", "German\tEnglish", "text_de\ten text"],
)
def test_columns_are_named_by_language_however_it_is_written(
    tmp_path: Path, head: str, direction: str
) -> None:
    assert pairs_of(table(tmp_path, head), direction) == PAIRS


@pytest.mark.parametrize(
    ("word", "code"),
    {
        "de": "de",
        "ger": "de",
        "de_AT": "de",
        "zh-Hans-CN": "zh",
        "Farsi": "fa",
        "source_de": "de",
        "hsb": "hsb",
        "no nein": "",
        "Haus": "",
        "": "",
    }.items(),
)
def test_a_word_names_a_language_or_none(word: str, code: str) -> None:
    assert named_language(word) == code


def test_columns_may_be_named_by_their_side(tmp_path: Path) -> None:
    lines = [(b, a) for a, b in PAIRS]
    assert pairs_of(table(tmp_path, "Source\tTarget")) == lines
    assert pairs_of(table(tmp_path, "trg\tsrc")) == PAIRS


@pytest.mark.parametrize(
    ("head", "direction", "named"),
    [
        ("ja\ten", "en-ko", "ja, en, and direction=en-ko needs one of en and one of ko"),
        ("de\tfr", "en-de", "de, fr, and direction=en-de"),
        ("text\tlabel", "en-de", "text, label, and direction=en-de"),
        ("de\tde", "en-de", "de, de, and direction=en-de"),
    ],
)
def test_a_first_line_that_names_other_columns_is_refused(
    tmp_path: Path, head: str, direction: str, named: str
) -> None:
    with pytest.raises(ValueError, match=f"its first line names the columns {named}"):
        pairs_of(table(tmp_path, head), direction)


def test_a_first_line_unlike_all_others_is_taken_for_names(tmp_path: Path) -> None:
    lines = table(tmp_path, "").read_text()
    file = table(tmp_path, "Frage\tAntwort\n" + lines * 5)
    with pytest.raises(ValueError, match="its first line names the columns Frage, Antwort, and"):
        pairs_of(file)
    (tmp_path / "train.tsv").write_text("Frage\tAntwort\nJa\tNein\nGut\tSchlecht\n" + lines * 5)
    assert pairs_of(file)[0] == ("Frage", "Antwort")


@pytest.mark.parametrize("head", ["", "no\tnein", "id\tdas"])
def test_a_first_pair_of_words_is_a_pair(tmp_path: Path, head: str) -> None:
    found = pairs_of(table(tmp_path, head))
    assert found == [*([tuple(head.split("\t"))] if head else []), *((b, a) for a, b in PAIRS)]


@pytest.mark.parametrize("packed", ["", ".gz", ".xz"])
@pytest.mark.parametrize("head", [["id", "German", "en"], []])
@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_is_read_with_its_quotes(
    tmp_path: Path, delimiter: str, head: list[str], packed: str
) -> None:
    rows = [[str(n), *((b, a) if head else (a, b))] for n, (a, b) in enumerate(PAIRS)]
    rows.append(["30", "zwei\nZeilen", "two\nlines"])
    whole = [delimiter.join(map(quoted, row)) for row in ([head] if head else []) + rows]
    content = "\ufeff" + "\r\n".join(whole)
    pack: dict[str, Callable[[bytes], bytes]] = {".gz": gzip.compress, ".xz": lzma.compress}
    file = tmp_path / f"train.csv{packed}"
    file.write_bytes(pack.get(packed, bytes)(content.encode()))
    found = pairs_of(file)
    assert found[:-1] == PAIRS
    last = tuple(map(text_folder.clean_line, found[-1]))
    assert last == (("two lines", "zwei Zeilen") if head else ("zwei Zeilen", "two lines"))


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        ('"the "house" is","das Haus"\n', r"train\.csv, line 31: is not CSV"),
        ('"the house,das Haus\n', r"train\.csv, line 31: is not CSV \(unexpected end of data\)"),
        ("the house\n", r"train\.csv, line 31: has 1 columns, and needs 2"),
    ],
)
def test_damaged_csv_is_named_by_line(tmp_path: Path, damage: str, message: str) -> None:
    whole = "".join(f"{quoted(a)},{quoted(b)}\n" for a, b in PAIRS)
    (tmp_path / "train.csv").write_text(whole + damage)
    with pytest.raises(ValueError, match=message):
        pairs_of(tmp_path / "train.csv")


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("train.tsv", "The\tyoung wolf\tDer Wolf"),
        ("train.tsv", "The young wolf"),
        ("train.csv", "The, young wolf,Der Wolf"),
    ],
)
def test_a_line_with_other_columns_than_most_is_named(
    tmp_path: Path, name: str, fault: str
) -> None:
    delimiter = "," if name.endswith("csv") else "\t"
    lines = [delimiter.join((f"one {n}", f"eins {n}")) for n in range(1500)]
    lines[1200] = fault
    (tmp_path / name).write_text("".join(f"{line}\n" for line in ["en" + delimiter + "de", *lines]))
    with pytest.raises(ValueError, match=rf"{name}, line 1202: has [13] columns, and needs 2: "):
        pairs_of(tmp_path / name)


JAPANESE = "\u732b\u304c\u5ead\u3067\u7720\u308b"
TMX = """<?xml version="1.0" encoding="{0}"?>
<!DOCTYPE tmx SYSTEM "tmx14.dtd">
<tmx version="1.4"><header srclang="en"/><body>{1}</body></tmx>
"""
UNIT = """<tu><prop type="x">p</prop><note>n</note>
<tuv xml:lang="de-DE">
<seg>das <bpt i="1">&lt;b></bpt>H\u00e4us<hi>chen</hi><ept i="1"/> {0}</seg></tuv>
<tuv lang="EN"><seg>the &amp; house<ph/> {0}</seg></tuv></tu>"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_a_translation_memory_is_read_without_the_codes_of_its_format(
    tmp_path: Path, encoding: str, packed: Callable[[bytes], bytes]
) -> None:
    body = UNIT.format(1) + '<tu><tuv xml:lang="en"><seg>alone</seg></tuv></tu>' + UNIT.format(2)
    file = tmp_path / ("a.tmx" if packed is bytes else "a.tmx.gz")
    file.write_bytes(packed(TMX.format(encoding, body).encode(encoding)))
    both = [(f"the & house {n}", f"das H\u00e4uschen {n}") for n in (1, 2)]
    assert pairs_of(file) == [both[0], ("", ""), both[1]]
    assert pairs_of(file, "deu-eng") == [both[0][::-1], ("", ""), both[1][::-1]]


@pytest.mark.parametrize(
    ("declared", "encoding"),
    [
        ("Shift_JIS", "shift_jis"),
        ("EUC-JP", "euc_jp"),
        ("GB18030", "gb18030"),
        ("utf-16", "utf-16-le"),
        ("utf-8", "utf-8-sig"),
        ("utf-8", "utf-16"),
    ],
)
def test_a_memory_is_read_in_every_encoding_that_it_declares_or_begins_with(
    tmp_path: Path, declared: str, encoding: str
) -> None:
    unit = UNIT.replace("H\u00e4us<hi>chen</hi>", JAPANESE)
    (tmp_path / "a.tmx").write_bytes(TMX.format(declared, unit.format(1)).encode(encoding))
    assert pairs_of(tmp_path / "a.tmx") == [("the & house 1", f"das {JAPANESE} 1")]


@pytest.mark.parametrize("declared", ["no-such", "zip", "ascii", "utf-16"])
def test_a_memory_in_another_encoding_than_it_declares_is_refused(
    tmp_path: Path, declared: str
) -> None:
    (tmp_path / "a.tmx").write_text(TMX.format(declared, UNIT.format(1)))
    with pytest.raises(ValueError, match=r"a\.tmx: is not (well-formed|no-such|zip|ascii|utf-16)"):
        pairs_of(tmp_path / "a.tmx")


@pytest.mark.parametrize("mark", ["&#x1F;", "&#31;", "\x0b", "\uffff", "&#xD83D;", "&#0;", "&#x9;"])
def test_characters_that_xml_forbids_become_spaces(tmp_path: Path, mark: str) -> None:
    units = "".join(UNIT.format(f"1{mark}2") for _ in range(2000))
    (tmp_path / "a.tmx").write_text(TMX.format("utf-8", units))
    assert {tuple(map(text_folder.clean_line, pair)) for pair in pairs_of(tmp_path / "a.tmx")} == {
        ("the & house 1 2", "das H\u00e4uschen 1 2")
    }


@pytest.mark.parametrize(
    "code", ['<ph type="lb"/>', "<ph>&lt;br/></ph>", "<it>\n</it>", '<x type="PB"/>']
)
def test_a_code_that_breaks_a_line_is_a_space(tmp_path: Path, code: str) -> None:
    unit = UNIT.replace("<ph/>", f"<ph/>s{code}there")
    (tmp_path / "a.tmx").write_text(TMX.format("utf-8", unit.format(1)))
    assert pairs_of(tmp_path / "a.tmx")[0][0] == "the & houses there 1"


def test_a_translation_memory_of_other_languages_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.tmx").write_text(TMX.format("utf-8", UNIT.format(1)))
    with pytest.raises(ValueError, match=r"no unit has both en and fr; it has de \(1\), en \(1\)"):
        pairs_of(tmp_path / "a.tmx", "en-fr")
    (tmp_path / "a.tmx").write_text(TMX.format("utf-8", UNIT.format(1))[:-60])
    with pytest.raises(ValueError, match=r"a\.tmx: is not well-formed TMX \("):
        pairs_of(tmp_path / "a.tmx")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.po", b'msgid "a"\n', r"a\.po: is a catalogue of gettext; convert it: po2tmx"),
        ("a.xliff", b"<xliff/>", r"is XLIFF; export it as TMX"),
        ("a.jsonl", b"{}\n", r"is JSON; write a pair a line: source, tab, target"),
        ("a.xlsx", b"PK\3\4", r"is a spreadsheet; save it as CSV"),
        ("a.tsv.zst", b"(\xb5/\xfd", r"is packed by zstd; unpack it: zstd -d a\.tsv\.zst"),
        ("a.tsv", b"(\xb5/\xfd", r"is packed by zstd"),
        ("a.tsv", bz2.compress(b"a\tb\n"), r"is packed by bzip2; unpack it: bunzip2 a\.tsv"),
        ("a.tsv", b"PK\3\4", r"is a zip file; unpack it"),
        ("a.tsv", b"version https://git-lfs.github.com/spec/v1\n", r"Git LFS, .*: git lfs pull"),
        ("a.tsv.gz", b"version https://git-lfs.github.com/spec/v1\n", r"a pointer of Git LFS"),
        (
            "a.tsv.gz",
            gzip.compress(b"a\tb\n" * 999, mtime=0)[:20],
            r"a\.tsv\.gz cannot be .*; replace it",
        ),
    ],
)
def test_a_file_that_is_not_read_is_called_what_it_is(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message) as refusal:
        pairs_of(tmp_path / name)
    assert "delete" not in str(refusal.value)


def test_a_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    [files] = text_folder.find(tmp_path / "pipe", ("en", "de")).values()
    with pytest.raises(ValueError, match="pipe: is a pipe or a device; write the text to a file"):
        list(text_folder.read_pairs(files, ("en", "de")))


def folder_of(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).touch()
    return folder


@pytest.mark.parametrize("name", ["dev", "valid", "val", "validation"])
@pytest.mark.parametrize("sides", [("en", "de"), ("eng", "deu.gz"), ("en-GB.xz", "german")])
def test_usual_names_of_a_dev_set_are_known(
    tmp_path: Path, name: str, sides: tuple[str, str]
) -> None:
    names = [f"{split}.{side}" for split in ("train", name) for side in sides]
    found = text_folder.find(folder_of(tmp_path, *names), ("en", "de"))
    assert found["dev"] == tuple(tmp_path / f"{name}.{side}" for side in sides)
    assert text_folder.not_used(tmp_path, found) == []


def test_files_that_are_not_used_are_named(tmp_path: Path) -> None:
    used = ["train.en", "train.de", "dev.tsv"]
    others = ["devtest.de", "devtest.en", "notes.txt", "test.de.zst", "test.po"]
    found = text_folder.find(folder_of(tmp_path, *used, *others), ("en", "de"))
    named = text_folder.not_used(tmp_path, found)
    assert [name.partition(" ")[0] for name in named] == others
    assert named[3].endswith("(packed by zstd; unpack it: zstd -d test.de.zst)")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("dev.en", "valid.en"), "has both dev.en and valid.en: remove one"),
        (("train.eng",), "has both train.en and train.eng: remove one"),
        (("train.csv",), "has both train.csv and train.en: remove one"),
        (("dev.csv", "dev.tmx"), "has both dev.csv and dev.tmx: remove one"),
        (("val.de",), "has dev in one language only: dev.en or dev.en.gz is missing; it holds"),
    ],
)
def test_two_files_for_one_side_are_refused(
    tmp_path: Path, names: tuple[str, ...], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        text_folder.find(folder_of(tmp_path, "train.en", "train.de", *names), ("en", "de"))


def cleaned(folder: Path, sides: dict[str, list[str]]) -> CleanText:
    """The text of two sides, cleaned."""
    for code, lines in sides.items():
        (folder / f"train.{code}").write_text("".join(f"{line}\n" for line in lines))
    out = folder / "out"
    out.mkdir()
    return text_folder.clean_text(text_folder.find(folder, [*sides]), [*sides], out)


def toy(code: str) -> list[str]:
    return projects.toy_text("train1", code).decode().splitlines()[:2500]


def test_exchanged_sides_of_one_script_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="the lines of en are de, and the reverse: exchange"):
        cleaned(tmp_path, {"en": toy("de"), "de": toy("en")})


def test_a_side_that_reads_as_another_language_is_said(tmp_path: Path) -> None:
    text = cleaned(tmp_path, {"en": toy("en"), "nl": toy("de")})
    assert doubts(text, ["en", "nl"]) == ["nl reads as de: if it is, correct the direction"]
    assert doubts(text, ["eng", "ger"]) == []


RUSSIAN = "\u043a\u043e\u0448\u043a\u0430 \u0441\u043f\u0438\u0442"
MONGOLIAN = "\u182e\u1823\u1829\u182d\u1823\u182f"


def test_two_sides_in_the_script_of_one_are_refused(tmp_path: Path) -> None:
    lines = [f"{RUSSIAN} {n}" for n in range(2500)]
    with pytest.raises(
        ValueError, match="90% of the letters of en are CYRILLIC, as those of ru are"
    ):
        cleaned(tmp_path, {"en": [f"{line} x" for line in lines], "ru": lines})


@pytest.mark.parametrize(
    ("word", "code", "said"),
    [
        (JAPANESE, "ko", ["50% of the letters of ko are HIRAGANA: is ko written so?"]),
        (MONGOLIAN, "ko", ["100% of the letters of ko are MONGOLIAN: is ko written so?"]),
        (MONGOLIAN, "mn", []),
        (RUSSIAN, "av", []),
        (RUSSIAN, "xyz", []),
    ],
)
def test_a_script_that_is_not_of_the_other_side_passes(
    tmp_path: Path, word: str, code: str, said: list[str]
) -> None:
    text = cleaned(tmp_path, {"en": toy("en"), code: [f"{word} {n}" for n in range(2500)]})
    assert [one for one in doubts(text, ["en", code]) if "letters" in one] == said


def exchanged(folder: Path, share: float) -> CleanText:
    """The toy's text, with the sides of a share of its pairs exchanged."""
    pairs = list(zip(toy("en"), toy("de"), strict=True))
    mixed = [pair[::-1] if n % 100 < 100 * share else pair for n, pair in enumerate(pairs)]
    return cleaned(folder, {"en": [a for a, _ in mixed], "de": [b for _, b in mixed]})


@pytest.mark.parametrize("share", [0.0, 0.05, 0.2, 0.5, 0.75])
def test_a_share_of_exchanged_pairs_is_said(tmp_path: Path, share: float) -> None:
    found = doubts(exchanged(tmp_path, share), ["en", "de"])
    said = [one for one in found if "of the pairs read as de to en: exchange their sides" in one]
    assert len(said) == (share > 0.1)
    assert all(abs(int(one.split()[1].rstrip("%")) - 100 * share) < 5 for one in said)


def test_an_exchanged_dev_set_is_refused(tmp_path: Path) -> None:
    for code, other in ("en", "de"), ("de", "en"):
        lines = projects.toy_text("dev", other).decode()
        (tmp_path / f"dev.{code}").write_text(lines)
    with pytest.raises(ValueError, match=r"dev\.en and .*dev\.de: the lines of en are de"):
        cleaned(tmp_path, {"en": toy("en"), "de": toy("de")})


@pytest.mark.parametrize("entity", ["&#x27;", "&nbsp;", "&lt;"])
def test_entities_in_every_pair_are_said(tmp_path: Path, entity: str) -> None:
    text = cleaned(tmp_path, {c: [f"{entity} {line}" for line in toy(c)] for c in ("en", "de")})
    assert [one[:33] for one in doubts(text, ["en", "de"])] == [
        "100% of the lines of en have enti",
        "100% of the lines of de have enti",
    ]


@pytest.mark.parametrize("line", OTHER_FORMS)
def test_a_side_in_another_form_than_text_is_refused(tmp_path: Path, line: str) -> None:
    lines = {code: list(map(line.format, toy(code))) for code in ("en", "de")}
    with pytest.raises(ValueError, match=rf"train\.en: is {OTHER_FORMS[line]}.*, not text: write"):
        cleaned(tmp_path, lines)


@pytest.mark.parametrize("code", ["ja", "hsb", "de"])
def test_latin_letters_are_foreign_to_no_language(code: str) -> None:
    assert language(code).foreign({"a": 9, "\u00e4": 1}) == ("", 0.0)


def test_tokenised_text_is_said(tmp_path: Path) -> None:
    tokens = [line.replace(".", " .").replace(",", " ,") for line in toy("de")]
    text = cleaned(tmp_path, {"en": toy("en"), "de": tokens})
    [said] = doubts(text, ["en", "de"])
    assert said.startswith("85% of the lines of de look tokenised")


def test_text_is_composed_on_both_sides(tmp_path: Path) -> None:
    lines = [f"gru\u0308n {line}" for line in toy("de")]
    cleaned(tmp_path, {"en": toy("en"), "de": lines})
    written = (tmp_path / "out/train.de").read_text()
    assert "gr\u00fcn" in written
    assert "\u0308" not in written
