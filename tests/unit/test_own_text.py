"""A user's own text: found, cleaned, split, refused if it is bad, and turned into a scale."""

import gzip
import random
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pytest
import yaml

import projects
from deepmt.config import own_text
from deepmt.config.settings import OWN_PAPER, load_config, load_plan
from deepmt.data import text_folder
from deepmt.estimate import corpus_sizes
from tiny_runs import SCRIPTS, run_here

ROOT = SCRIPTS.parent
UNIFIED = ROOT / "papers" / f"{OWN_PAPER}.yaml"
LANGUAGES = ("en", "de")
WORDS = "ab cd efg hi jkl mno pq rst uv wxyz".split()


def pairs(number: int, seed: int = 1) -> list[tuple[str, str]]:
    """Draw pairs of lines."""
    draw = random.Random(seed)
    sources = [" ".join(draw.choices(WORDS, k=6)) + f" {n}" for n in range(number)]
    return [(line, line.upper()) for line in sources]


def write(folder: Path, split: str, lines: list[tuple[str, str]]) -> None:
    """Write both sides of a split."""
    folder.mkdir(exist_ok=True)
    for language, side in zip(LANGUAGES, zip(*lines, strict=True), strict=True):
        (folder / f"{split}.{language}").write_text("".join(f"{line}\n" for line in side))


def clean(text: Path, out: Path) -> text_folder.CleanText:
    """Clean a text into a folder."""
    out.mkdir(exist_ok=True)
    return text_folder.clean_text(text_folder.find(text, LANGUAGES), LANGUAGES, out)


def lines_of(folder: Path, split: str) -> list[tuple[str, str]]:
    """Read both sides of a split."""
    sides = [(folder / f"{split}.{language}").read_text().splitlines() for language in LANGUAGES]
    return list(zip(*sides, strict=True))


@pytest.mark.parametrize("given", [(), ("dev",), ("test",), ("dev", "test")])
@pytest.mark.parametrize("form", ["sides", "gz", "table"])
def test_every_pair_gets_one_split(tmp_path: Path, given: tuple[str, ...], form: str) -> None:
    text, written = tmp_path / "text", {"train": pairs(3000)}
    written |= {split: pairs(200, seed) for seed, split in enumerate(given, 2)}
    for split, lines in written.items():
        write(text, split, lines)
        files = [text / f"{split}.{language}" for language in LANGUAGES]
        if form == "table":
            (text / f"{split}.tsv").write_text("".join(f"0.5\t{a}\t{b}\n" for a, b in lines))
        for file in files if form != "sides" else ():
            if form == "gz":
                file.with_name(f"{file.name}.gz").write_bytes(gzip.compress(file.read_bytes()))
            file.unlink()
    cleaned = clean(text, tmp_path / "out")
    found = {split: lines_of(tmp_path / "out", split) for split in text_folder.SPLITS}
    assert cleaned.pairs == {split: len(found[split]) for split in cleaned.pairs}
    assert sorted(chain(*found.values())) == sorted(chain(*written.values()))
    assert all(found[split] == written[split] for split in given)
    assert all(50 < len(found[split]) < 250 for split in {"dev", "test"} - {*given})


def test_the_split_of_a_pair_depends_on_its_source_alone(tmp_path: Path) -> None:
    lines = pairs(3000)
    doubled = [*lines, *((source, f"another {target}") for source, target in lines)]
    random.Random(2).shuffle(doubled)
    write(tmp_path / "text", "train", doubled)
    clean(tmp_path / "text", tmp_path / "out")
    sources = [{a for a, _ in lines_of(tmp_path / "out", split)} for split in text_folder.SPLITS]
    assert sum(map(len, sources)) == len(set.union(*sources)) == 3000


def test_cleaning_drops_and_counts(tmp_path: Path) -> None:
    good, held = pairs(2000), pairs(50, 2)
    bad = [("", "leer"), ("empty", " \t"), good[0], good[0], (held[0][0], "leak")]
    bad += [("same", "same"), ("1, 2", "eins"), ("long", "lang" * 1049)]
    write(tmp_path / "text", "train", [("a\x07b\x1b[31m", "c\xa0  d"), *good, *bad])
    write(tmp_path / "text", "dev", held)
    write(tmp_path / "text", "test", held)
    cleaned = clean(tmp_path / "text", tmp_path / "out")
    assert lines_of(tmp_path / "out", "train") == [("a b [31m", "c d"), *good]
    assert cleaned.cleaning == {
        "read": 2109,
        "lines with control characters": 1,
        "empty side": 2,
        "repeated": 2,
        "source in dev or test": 1,
        "equal sides": 1,
        "side without a letter": 1,
        "over 4,192 bytes": 1,
    }


@pytest.mark.parametrize(
    "line",
    ["{a}\t{b}", "0.31\t{a}\t{b}", "{n}\t{a}\t{b}\t0.9", "{b}\t{n}\t{a}", "{b}\tx{n}\t{a}"],
)
def test_the_two_sides_of_a_table_are_found(tmp_path: Path, line: str) -> None:
    lines = [line.format(a=a, b=b, n=n) for n, (a, b) in enumerate(pairs(3000))]
    if line.startswith("{b}"):
        lines.insert(0, "deu\tsource of\ten")
    (tmp_path / "train.tsv").write_text("".join(f"{one}\n" for one in lines))
    found = list(text_folder.read_pairs((tmp_path / "train.tsv",), LANGUAGES))
    assert found == pairs(3000)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a b\tA B\tmore", r"has 3 columns of text, and needs two: .* as in en<tab>de"),
        ("0.5\ta b", r"has 1 columns of text, and needs two"),
        ('"a b"\t"A B"', r"has quotes around every text, as CSV has: write plain text"),
    ],
)
def test_a_table_that_says_too_little_is_refused(tmp_path: Path, line: str, message: str) -> None:
    (tmp_path / "train.tsv").write_text(f"{line}\n" * 2000)
    with pytest.raises(ValueError, match=message):
        list(text_folder.read_pairs((tmp_path / "train.tsv",), LANGUAGES))


@pytest.mark.parametrize("mark", ["a@@ b", "\u2581a", "don&apos;t"])
def test_text_that_is_no_plain_text_is_refused(tmp_path: Path, mark: str) -> None:
    lines = [(f"{mark} {a}", f"{mark} {b}") for a, b in pairs(3000)]
    write(tmp_path / "text", "train", lines)
    with pytest.raises(ValueError, match="pairs are cut into subwords or escaped"):
        clean(tmp_path / "text", tmp_path / "out")


def _unequal(text: Path) -> None:
    write(text, "train", pairs(2000))
    with (text / "train.de").open("a") as file:
        file.write("one more\n")


def _not_utf8(text: Path) -> None:
    write(text, "train", pairs(2000))
    (text / "train.de").write_bytes(b"gut\nsch\xf6n\n" * 1000)


def _missing_side(text: Path) -> None:
    write(text, "train", pairs(2000))
    (text / "train.de").unlink()


def _wrong_gz(text: Path) -> None:
    write(text, "train", pairs(2000))
    (text / "train.de").rename(text / "train.de.gz")


def _cut_gz(text: Path) -> None:
    write(text, "train", pairs(2000))
    packed = gzip.compress((text / "train.de").read_bytes())
    (text / "train.de").unlink()
    (text / "train.de.gz").write_bytes(packed[: len(packed) // 2])


def _no_tab(text: Path) -> None:
    text.mkdir()
    (text / "train.tsv").write_text("one\teins\ntwo zwei\n")


def _nul(text: Path) -> None:
    write(text, "train", [("a\0b", "c"), *pairs(2000)])


def _twice(text: Path) -> None:
    write(text, "train", pairs(2000))
    (text / "train.de.gz").write_bytes(b"")


def _empty_dev(text: Path) -> None:
    write(text, "train", pairs(2000))
    write(text, "dev", [("", "")])


BAD = {
    _unequal: r"the two sides differ in length: .*train\.en has 2,000 lines, .*train\.de has 2,001",
    _not_utf8: r"train\.de, line 2, byte 4: 0xf6 is not UTF-8 .*; convert the file to UTF-8",
    _missing_side: r"has train in one language only: train\.de or train\.de\.gz is missing; it"
    r" holds train\.en$",
    _wrong_gz: r"train\.de\.gz is no gzip file; replace it with plain text or a whole gzip file",
    _cut_gz: r"train\.de\.gz is truncated or damaged \(.*\); replace it with",
    _no_tab: r"train\.tsv, line 2: has 1 columns, and needs 2: each line must be the source, a tab",
    _nul: r"train\.en, line 1, byte 2: a NUL byte is not text; remove it",
    _twice: r"has both train\.de and train\.de\.gz: remove one",
    _empty_dev: r"dev\.en and .*dev\.de: no pair is left for dev \(empty side: 1\)",
    lambda text: write(
        text, "train", pairs(1000)
    ): r"train\.de: \d{3} training pairs are left after"
    r" cleaning \(none dropped\), but 1,000 are the least .*: add text",
    lambda text: write(text, "train", [("a", "b")] * 5000): r": [01] training pairs are left after"
    r" cleaning \(repeated: 4,999\)",
    lambda text: write(text, "training", pairs(9)): r"needs train\.en and train\.de, or train\.tsv"
    r" with a column each, plain or \.gz; it holds training\.de, training\.en",
    lambda text: text.mkdir(): r"needs train\.en and train\.de, .*; it is empty",
    lambda text: None: r"text=.*: no such folder or file",
}


@pytest.mark.parametrize("make", BAD)
def test_bad_text_is_refused_in_a_sentence(tmp_path: Path, make) -> None:  # type: ignore[no-untyped-def]
    make(tmp_path / "text")
    with pytest.raises(ValueError, match=BAD[make]):
        clean(tmp_path / "text", tmp_path / "out")
    assert not list((tmp_path / "out").iterdir())


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The project's settings, and a text of 3,000 pairs in text/."""
    projects.copy(tmp_path, "config.yaml", "corpora.yaml", "hardware.yaml", "papers", "scales")
    write(tmp_path / "mine", "train", pairs(3000))
    monkeypatch.setattr(corpus_sizes, "TEXTS", tmp_path / "texts")
    yield tmp_path
    corpus_sizes.known_sizes.cache_clear()


def prepare(root: Path, **settings: object) -> None:
    """Prepare the text as Snakemake does before it reads its settings."""
    asked = {"text": root / "mine", "direction": "en-de", "hardware": "epycx2", **settings}
    flags = [word for key, value in asked.items() for word in (f"--{key}", value)]
    run_here("own_text", *flags, "--no-run", "--root", root)


def test_a_text_becomes_an_ordinary_scale(root: Path) -> None:
    prepare(root, methods="post,dlcl", hours=0.2)
    plan = load_plan(root, {"scale": "text-mine-en-de"})
    assert plan.selected == {
        f"text-mine-en-de.t1.{name}" for name in ("shallow-post", "deep-post", "deep-dlcl-pre")
    }
    assert {spec.data.subword for spec in plan.runs.values()} == {"sentencepiece"}
    decided = yaml.safe_load((root / "texts/text-mine-en-de/decided.yaml").read_text())
    assert decided["pairs"] == {
        split: plan.corpora.corpora["text-mine-en-de.en-de"].splits[split][0].lines  # type: ignore[index]
        for split in ("train", "dev", "test")
    }
    everything = {file: file.stat().st_mtime_ns for file in root.rglob("*") if file.is_file()}
    prepare(root, methods="post,dlcl", hours=0.2)
    assert everything == {f: f.stat().st_mtime_ns for f in root.rglob("*") if f.is_file()}
    assert "text-mine-en-de" not in load_config(root / "config.yaml", {}).papers
    for change, words in {
        "hours=1": "hours were 0.2 and are 1.0 now",
        "methods=pre": r"methods were \['post', 'dlcl-pre'\] and are \['pre'\] now",
    }.items():
        key, value = change.split("=")
        with pytest.raises(ValueError, match=f"{words}; .* give NAME=... for other results"):
            prepare(root, **{"methods": "post,dlcl", "hours": 0.2, key: value})
    write(root / "mine", "train", pairs(3000, 2))
    with pytest.raises(ValueError, match="the text has changed since"):
        prepare(root, methods="post,dlcl", hours=0.2)


def test_a_refused_text_leaves_no_folder(root: Path) -> None:
    write(root / "mine", "train", pairs(9))
    with pytest.raises(ValueError, match="training pairs"):
        prepare(root)
    assert not (root / "texts").exists()


@pytest.mark.slow
def test_more_hours_train_longer_or_larger(root: Path) -> None:
    sizes = []
    for hours in (0.1, 0.2, 4):
        prepare(root, methods="pre", hours=hours, name=f"for{hours * 10:g}")
        scale = yaml.safe_load((root / f"scales/text-for{hours * 10:g}-en-de.yaml").read_text())
        sizes.append((scale["depths"]["deep"], scale["change"]["training.updates"]))
    assert sizes == sorted(set(sizes))
    assert len(sizes) == 3
    with pytest.raises(ValueError, match=r"hours=0.01: too few .* give at least hours=0\.\d+"):
        prepare(root, methods="pre", hours=0.01, name="short")
    assert list(root.rglob("*text-short-en-de*")) == []


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"direction": "ende"}, "direction=ende: must be two languages of two or three"),
        ({"direction": "en-en"}, "direction=en-en: must be two languages"),
        ({"direction": "en-eng"}, "direction=en-eng: must be two languages"),
        ({"direction": "en-jp"}, "direction=en-jp: jp is no language of ISO 639-1"),
        ({"methods": "dclc"}, r"methods: unknown method 'dclc'.*\bdlcl\b"),
        ({"methods": "ds_init"}, r"unknown method 'ds_init'; did you mean 'ds-init'\?"),
        ({"name": "a/b"}, "name=a/b: names files; give a name of letters, digits"),
        ({"text": "nowhere"}, "text=nowhere: no such folder or file"),
    ],
)
def test_a_wrong_setting_is_named(root: Path, settings: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        prepare(root, **settings)


def test_every_method_has_a_paper_that_loads(root: Path) -> None:
    known = own_text.systems_of_methods(UNIFIED)
    prepare(root, methods=",".join(known), hours=100)
    plan = load_plan(root, {"scale": "text-mine-en-de"})
    assert {row.rpartition(".t1.")[2] for row in plan.selected} == {
        own_text.BASELINE,
        *known.values(),
    }


@pytest.mark.parametrize(
    ("target", "measure"),
    [("de", "bleu"), ("zh", "bleu_zh"), ("ja", "bleu_char"), ("jpn", "bleu_char")],
)
def test_bleu_follows_the_target_language(target: str, measure: str) -> None:
    asked = own_text.request("mine", f"en-{target}", ["pre"], 1, "", UNIFIED)
    [table] = own_text.paper_of(asked, UNIFIED)["tables"]
    assert table["columns"]["bleu"]["measure"] == measure
