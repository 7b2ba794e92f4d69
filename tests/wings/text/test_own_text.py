"""A user's own text: found, cleaned, split, refused if it is bad, and turned into a scale."""

import gzip
import io
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from itertools import chain
from pathlib import Path

import invented
import pytest
import yaml

import projects
from deepmt.base.errors import UserError
from deepmt.base.files import write_hashed_json, write_json
from deepmt.settings.seed_folder import SeedFolder
from deepmt.study.config_file import load_config, read_overrides
from deepmt.study.papers import OWN_PAPER, load
from deepmt.study.plan import Plan, load_plan
from deepmt.untrained.update_time import seconds_of_updates
from tiny import tiny_spec
from tiny_runs import SCRIPTS, run_here
from wings.text import pace, text_folder
from wings.text.clean_text import CleanText
from wings.text.known_failures import known_failures
from wings.text.recommended import recommended
from wings.text.request import BASELINE, method_rows
from wings.text.scratch import scratch_folder
from wings.text.text_settings import EXPORTS, with_updates
from wings.text.text_sides import doubts

ROOT = SCRIPTS.parent
UNIFIED = ROOT / "papers" / f"{OWN_PAPER}.yaml"
LANGUAGES = ("en", "de")
NAME = "text-mine-en-de"
RUSSIAN = "\u043a\u043e\u0448\u043a\u0430 \u0441\u043f\u0438\u0442"
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


def clean(text: Path, out: Path) -> CleanText:
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
    write(tmp_path / "text", "dev", [*held, *pairs(9, 3)])
    write(tmp_path / "text", "test", held)
    cleaned = clean(tmp_path / "text", tmp_path / "out")
    assert lines_of(tmp_path / "out", "train") == [("a b [31m", "c d"), *good]
    assert cleaned.cleaning == {
        "read": 2118,
        "lines with control characters": 1,
        "empty side": 2,
        "repeated": 2,
        "source in dev or test": 51,
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
        ("a b\tA B\tmore", r"has 3 columns of text, and needs two: .*as in en<tab>de"),
        ("0.5\ta b", r"has 1 columns of text, and needs two"),
        ('"a b"\t"A B"', r"has quotes around every text, as CSV has: name it .csv, or"),
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


def test_sides_in_each_others_script_are_refused(tmp_path: Path) -> None:
    lines = [(f"{RUSSIAN} {n}", source) for n, (source, _) in enumerate(pairs(3000))]
    write(tmp_path / "text", "train", lines)
    languages = ("en", "ru")
    (tmp_path / "text/train.de").rename(tmp_path / "text/train.ru")
    with pytest.raises(ValueError, match="the lines of en are ru, and the reverse: exchange"):
        text_folder.clean_text(text_folder.find(tmp_path / "text", languages), languages, tmp_path)


def test_a_romanised_side_is_said(tmp_path: Path) -> None:
    write(tmp_path / "text", "train", pairs(3000))
    (tmp_path / "text/train.de").rename(tmp_path / "text/train.hi")
    languages = ("en", "hi")
    files = text_folder.find(tmp_path / "text", languages)
    cleaned = text_folder.clean_text(files, languages, tmp_path)
    assert doubts(cleaned, languages) == [
        "only 0% of the letters of hi are of its script: is it hi?"
    ]


def packed(text: Path, share: float) -> None:
    """Pack one side, and keep a share of the file."""
    whole = gzip.compress((text / "train.de").read_bytes())
    (text / "train.de").unlink()
    (text / "train.de.gz").write_bytes(whole[: int(share * len(whole))])


def recoded(text: Path, change: Callable[[bytes], bytes]) -> None:
    """Change the bytes of one side."""
    (text / "train.de").write_bytes(change((text / "train.de").read_bytes()))


def alone(text: Path, **files: str) -> None:
    """Write these files and no others."""
    shutil.rmtree(text)
    for name, content in files.items():
        text.mkdir(exist_ok=True)
        (text / name.replace("_", ".")).write_text(content)


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "one line more": (
        lambda text: recoded(text, lambda whole: whole + b"one more\n"),
        r"the two sides differ in length: .*train\.en has 2,000 lines, .*train\.de has 2,001",
    ),
    "Latin 1": (
        lambda text: recoded(text, lambda whole: b"gut\nsch\xf6n\n" * 1000),
        r"train\.de, line 2, byte 4: 0xf6 is not UTF-8 .*; convert the file to UTF-8",
    ),
    "UTF-16": (
        lambda text: recoded(text, lambda whole: whole.decode().encode("utf-16-le")),
        r"train\.de: is UTF-16LE, not UTF-8; convert it: iconv -f UTF-16LE -t UTF-8 train\.de",
    ),
    "carriage returns": (
        lambda text: recoded(text, lambda whole: whole.replace(b"\n", b"\r")),
        r"train\.de: its lines end in a carriage return alone; convert it: tr '",
    ),
    "one side": (
        lambda text: (text / "train.de").unlink(),
        r"has train in one language only: train\.de or train\.de\.gz is missing; it holds"
        r" train\.en$",
    ),
    "cut": (
        lambda text: packed(text, 0.5),
        r"train\.de\.gz cannot be read \(.*\); replace it with",
    ),
    "twice": (
        lambda text: (text / "train.de.gz").touch(),
        r"has both train\.de and train\.de\.gz: remove one",
    ),
    "no tab": (
        lambda text: alone(text, train_tsv="one\teins\ntwo zwei\n"),
        r"train\.tsv, line 2: has 1 columns, and needs 2: each line must be the source, a tab",
    ),
    "empty dev": (
        lambda text: write(text, "dev", [("", "")]),
        r"dev\.en and .*dev\.de: no pair is left for dev \(empty side: 1\)",
    ),
    "few": (
        lambda text: write(text, "train", pairs(1000)),
        r"train\.de: \d{3} training pairs are left after cleaning \(none dropped\), but 1,000 are"
        r" the least .*: add text",
    ),
    "repeated": (
        lambda text: write(text, "train", [("a", "b")] * 5000),
        r": [01] training pairs are left after cleaning \(repeated: 4,999\)",
    ),
    "other names": (
        lambda text: alone(text, training_en="a", training_de="b"),
        r"needs train\.en and train\.de, or train\.tsv, .*, plain, \.gz or \.xz; it holds"
        r" training\.de, training\.en",
    ),
    "no folder": (lambda text: alone(text), r"text=.*: no such folder or file"),
}
"""What is done to a text of 2,000 pairs, and what is said of it."""


@pytest.mark.parametrize("fault", BAD)
def test_bad_text_is_refused_in_a_sentence(tmp_path: Path, fault: str) -> None:
    write(tmp_path / "text", "train", pairs(2000))
    spoil, message = BAD[fault]
    spoil(tmp_path / "text")
    with pytest.raises(ValueError, match=message):
        clean(tmp_path / "text", tmp_path / "out")
    assert not list((tmp_path / "out").iterdir())


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The project's settings, and a text of 3,000 pairs in mine/."""
    projects.copy(tmp_path, "config.yaml", "corpora.yaml", "hardware.yaml", "papers", "scales")
    (tmp_path / "corpora").mkdir()
    write(tmp_path / "mine", "train", pairs(3000))
    return tmp_path


def prepare(root: Path, **settings: object) -> None:
    """Prepare the text as `make text` does before it runs Snakemake."""
    asked = {"text": root / "mine", "direction": "en-de", "hardware": "epycx2", **settings}
    flags = [word for key, value in asked.items() for word in (f"--{key}", value)]
    run_here("wings.text.__main__", *flags, "--no-run", "--root", root)


def plan_of(root: Path, rows: str = "all") -> Plan:
    """The plan of the text."""
    return load_plan(root, {"scale": NAME, "papers": "unified", "rows": rows})


def test_a_text_becomes_an_ordinary_scale(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {*root.rglob("*")}
    prepare(root, methods="post,dlcl", hours=0.06)
    made = [root / f"corpora/{NAME}.{kind}" for kind in ("tar.gz", "yaml")]
    assert {*root.rglob("*")} - before == {*made, root / f"scales/{NAME}.yaml"}
    said = capsys.readouterr().out
    rows = [f"unified.t1.{name}" for name in ("shallow-post", "deep-post", "deep-dlcl-pre")]
    targets = "all translator " * EXPORTS
    command = f"./deepmt run {targets}--cores 2 --config scale={NAME} papers=unified rows="
    assert said.endswith(f"{command}{','.join(rows)}\n")
    plan = plan_of(root, ",".join(rows))
    assert plan.selected == {*rows}
    [paper] = plan.reported
    assert [row.id for table in paper.tables for row in table.rows] == rows
    assert {spec.data.subword for spec in plan.runs.values()} == {"sentencepiece"}
    [corpus] = (plan.corpora.corpora[spec.data.corpus] for spec in [*plan.runs.values()][:1])
    counts = ", ".join(f"{name} {parts[0].lines:,}" for name, parts in corpus.splits.items())
    assert f"pairs     {counts}\n" in said
    assert said.count("\n          en: ") == said.count("\n          de: ") == 3
    assert "too few updates to tell methods apart: 1,500 would take" in said
    everything = {file: file.stat().st_mtime_ns for file in root.rglob("*") if file.is_file()}
    prepare(root, methods="post,dlcl", hours=1)
    assert everything == {f: f.stat().st_mtime_ns for f in root.rglob("*") if f.is_file()}
    monkeypatch.setattr(text_folder, "GzipFile", partial(gzip.GzipFile, compresslevel=1))
    prepare(root, methods="post,dlcl", hours=1)  # by another zlib, which packs otherwise
    assert everything == {f: f.stat().st_mtime_ns for f in root.rglob("*") if f.is_file()}
    write(root / "mine", "train", pairs(3000, 2))
    with pytest.raises(ValueError, match="the text has changed since: give NAME"):
        prepare(root)


def train(root: Path, *rows: str, core_seconds: float = 0.0) -> None:
    """Let runs of rows begin, and end; an update takes so many core seconds."""
    for row in rows:
        spec = plan_of(root).specs[row]
        seed = SeedFolder.of(root / f"results/{NAME}", spec.run, 1)
        write_json(seed.spec, spec.sections)
        spent = {"core_seconds": core_seconds * spec.training.updates} if core_seconds else {}
        write_hashed_json(seed.record, invented.record_of(spec, 1, throughput=spent))


def test_more_hours_continue_the_runs_that_have_ended(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ("unified.t1.shallow-post", "unified.t1.deep-pre")
    with pytest.raises(ValueError, match=r"hours=\+1: .* is not there to be continued"):
        prepare(root, hours="+1")
    prepare(root, methods="pre", hours=0.2)
    first = plan_of(root).specs
    train(root, *rows)
    prepare(root, hours="+0.2")
    longer = plan_of(root).specs
    before, after = (each[rows[0]].training for each in (first, longer))
    assert before.updates < after.updates
    assert after.updates % after.checkpoint_every == 0
    assert all(first[row].sha256_of_updates == longer[row].sha256_of_updates for row in rows)
    with pytest.raises(ValueError, match=r"hours=\+1: .*deep-pre must end first"):
        prepare(root, hours="+1")
    capsys.readouterr()
    prepare(root, methods="admin", hours=2)
    said = capsys.readouterr().out
    assert f"rows={','.join([*rows, 'unified.t1.deep-admin'])}\n" in said
    assert re.search(r"^hours     \d+\.\d\d for 3 runs$", said, re.MULTILINE)
    train(root, *rows, "unified.t1.deep-admin")
    prepare(root)
    assert "hours     0: nothing is left to train" in capsys.readouterr().out
    assert plan_of(root).specs == longer


def test_an_edited_scale_is_continued_by_no_run_and_keeps_its_comments(root: Path) -> None:
    scale = root / f"scales/{NAME}.yaml"
    prepare(root, methods="pre", hours=0.2)
    train(root, "unified.t1.shallow-post", "unified.t1.deep-pre")
    written = scale.read_text()
    scale.write_text(
        f"# mine\n{written}# the end\n".replace("  training.lr", "  # why\n  training.lr")
    )
    prepare(root, hours="+0.2")
    longer = yaml.safe_load(scale.read_text())
    assert scale.read_text().startswith("# mine\n")
    assert scale.read_text().endswith("# the end\n")
    assert "  # why\n  training.lr" in scale.read_text()
    first = yaml.safe_load(written)
    assert longer["change"].pop("training.updates") > first["change"].pop("training.updates")
    assert longer == first
    scale.write_text(written.replace("training.lr: 0.002", "training.lr: 0.001"))
    with pytest.raises(ValueError, match=r"hours=\+1: no run has the settings of .*was edited"):
        prepare(root, hours="+1")


def test_updates_that_cannot_be_found_are_not_written(tmp_path: Path) -> None:
    scale = tmp_path / "mine.yaml"
    scale.write_text("change: {training.updates: 100}\n")
    with pytest.raises(ValueError, match=r"training\.updates cannot be found: set it to 200"):
        with_updates(scale, 200)


def test_the_pace_of_trained_runs_is_that_of_their_records(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = ("unified.t1.shallow-post", "unified.t1.deep-pre")
    monkeypatch.setattr(pace, "seconds_of_updates", lambda specs, *_, **__: [1] * len(specs))
    asked = {"hardware": "auto", "methods": "pre"}
    prepare(root, hours=1, **asked)
    train(root, *rows, core_seconds=0.5)
    monkeypatch.delattr(pace, "seconds_of_updates")
    with pytest.raises(ValueError, match=r"too few; give at least hours=\+0\.\d+") as refusal:
        prepare(root, hours="+0.0001", **asked)
    before = plan_of(root).specs[rows[0]].training.updates
    prepare(root, hours=str(refusal.value).rpartition("=")[2], **asked)
    assert plan_of(root).specs[rows[0]].training.updates > before


def test_a_damaged_archive_of_a_text_is_written_again(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    prepare(root, methods="pre", hours=0.2)
    archive = root / f"corpora/{NAME}.tar.gz"
    whole = archive.read_bytes()
    for damage in (lambda: archive.write_bytes(whole[:99]), archive.unlink):
        damage()
        prepare(root)
        assert archive.read_bytes() == whole
        assert "was missing or damaged: written again" in capsys.readouterr().out


FAULTS: dict[str, Callable[[bytes], bytes]] = {
    "bytes": lambda text: b"\xff" + text,
    "cut": lambda text: text[: len(text) // 2],
    "empty": lambda text: b"",
    "no YAML": lambda text: text + b"\n}: [",
    "unknown key": lambda text: text + b"corpus: {}\n",
    "another archive": lambda text: text.replace(b".tar.gz:", b".tar.xz:", 1),
    "a side less": lambda text: text.replace(b"target: de", b"target: en", 1),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_damaged_corpus_ends_its_own_commands_alone_and_is_named(
    root: Path, capsys: pytest.CaptureFixture[str], fault: str
) -> None:
    prepare(root, methods="pre", hours=0.2)
    path = root / f"corpora/{NAME}.yaml"
    path.write_bytes(FAULTS[fault](path.read_bytes()))
    capsys.readouterr()
    assert load_plan(root, {"scale": "toy", "papers": "unified"}).runs
    assert f"left out: {path}:" in capsys.readouterr().err
    for use in (plan_of, prepare):
        with pytest.raises(UserError, match=rf"unknown .*{NAME}"):
            use(root)
        assert f"left out: {path}:" in capsys.readouterr().err


def test_a_corpus_without_the_sum_of_its_archive_is_another_one(root: Path) -> None:
    prepare(root, methods="pre", hours=0.2)
    path = root / f"corpora/{NAME}.yaml"
    path.write_text(re.sub("sha256: .*", "", path.read_text()))
    with pytest.raises(UserError, match="the text has changed since"):
        prepare(root)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_a_killed_preparation_leaves_no_text_behind(tmp_path: Path, number: int) -> None:
    code = (
        "import os, pathlib, sys\n"
        "from wings.text.scratch import scratch_folder\n"
        "with scratch_folder(pathlib.Path(sys.argv[1]), 'text-') as folder:\n"
        "    (folder / 'mine').touch()\n"
        f"    os.kill(os.getpid(), {number:d})\n"
    )
    path = {**os.environ, "PYTHONPATH": str(SCRIPTS)}
    done = subprocess.run([sys.executable, "-c", code, tmp_path], env=path, check=False)
    killed = number == signal.SIGKILL
    assert done.returncode == (-number if killed else 128 + number)
    assert len([*tmp_path.iterdir()]) == killed
    with scratch_folder(tmp_path, "text-") as folder:
        assert [*tmp_path.iterdir()] == [folder]
    assert [*tmp_path.iterdir()] == []


def test_a_refused_text_leaves_nothing(root: Path) -> None:
    before = {*root.rglob("*")}
    write(root / "mine", "train", pairs(9))
    with pytest.raises(ValueError, match="training pairs"):
        prepare(root)
    write(root / "mine", "train", pairs(3000))
    with pytest.raises(ValueError, match=r"hours=0.01: too few .* give at least hours=0\.\d+"):
        prepare(root, methods="pre", hours=0.01)
    assert {*root.rglob("*")} == before


def test_text_of_long_lines_alone_is_refused(root: Path) -> None:
    drawn = random.Random(1)
    lines = [" ".join(drawn.choices("abcdefgh", k=170)) for _ in range(1400)]
    write(root / "mine", "train", [(line, line.upper()) for line in lines])
    with pytest.raises(ValueError, match="about 0 training pairs are short enough, and 1,000"):
        prepare(root)


@pytest.mark.slow
def test_more_hours_train_longer_or_larger(root: Path) -> None:
    sizes = []
    for hours in (0.1, 0.15, 4):
        prepare(root, methods="pre", hours=hours, name=f"for{hours * 100:g}")
        scale = yaml.safe_load((root / f"scales/text-for{hours * 100:g}-en-de.yaml").read_text())
        sizes.append((scale["depths"]["deep"], scale["change"]["training.updates"]))
    assert sizes == sorted(set(sizes))
    assert len(sizes) == 3


def test_the_passes_of_a_small_text_leave_it_enough_updates(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(root / "mine", "train", pairs(1300))
    prepare(root, methods="post", hours=2)
    said = capsys.readouterr().out
    assert "updates   1,500, " in said
    assert "after 40 passes models rather overfit" in said
    assert "too few updates" not in said
    assert "128 wide, 6 and 12 layers" in said
    prepare(root, methods="shallow-pre", hours=2, name="shallow")
    assert "128 wide, 6 layers" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"direction": "ende"}, "direction=ende: must be two languages of two or three"),
        ({"direction": "EN-DE"}, "direction=EN-DE: must be .* two or three small letters"),
        ({"direction": "en-en"}, "direction=en-en: must be two languages"),
        ({"direction": "en-eng"}, "direction=en-eng: must be two languages"),
        ({"direction": "en-jp"}, "direction=en-jp: jp is no language of ISO 639-1"),
        ({"methods": "dclc"}, r"methods: unknown method 'dclc'.*\bdlcl\b"),
        ({"methods": "ds_init"}, r"'ds_init'; there are pre, post, .*\bds-init\b"),
        ({"hours": "two"}, r"hours=two: must be a number, such as 2, or \+2"),
        ({"name": "a/b"}, r"name=a/b: '/' \(U\+002F\) cannot be there, since it names files"),
        ({"name": "wmt.v2"}, r"name=wmt\.v2: '\.' \(U\+002E\) cannot be there"),
        ({"name": "n" * 101}, "name=n+: has over 100 characters; give NAME"),
        ({"name": "\U0001f600"}, r"\(U\+1F600\) cannot be there"),
        ({"text": "nowhere"}, "text=nowhere: no such folder or file"),
        ({"text": ""}, "text: none is given: make text DIR=folder/of/text DIRECTION=en-de"),
    ],
)
def test_a_wrong_setting_is_named(root: Path, settings: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        prepare(root, **settings)


def test_a_method_that_no_record_trains_at_such_a_depth_is_named(tmp_path: Path) -> None:
    failed = {"outcome": "diverged", "failure": {"update": 90, "reason": "loss is nan"}}
    found = [
        invented.record_of(invented.spec(12), 1, **failed),
        invented.record_of(invented.spec(18), 1, **failed),
        invented.record_of(invented.spec(2), 1, scores={"test": {}}),
    ]
    lines = (json.dumps(record) for record in found)
    (tmp_path / "toy.jsonl").write_text("".join(f"{line}\n" for line in lines))
    specs = {"deep": invented.spec(12), "shallow": invented.spec(2), "deepest": invented.spec(24)}
    (said,) = known_failures(specs, tmp_path)
    assert said.startswith("deep: in each of 2 recorded runs its method, with 12 layers or more,")


def test_post_norm_of_twelve_layers_never_trained_in_our_records() -> None:
    plan = load_plan(ROOT, {"scale": "multi30k-fair", "papers": OWN_PAPER, "rows": "all"})
    rows = ("unified.t1.deep-post", "unified.t1.deep-pre", "unified.t1.shallow-post")
    (said,) = known_failures({row: plan.specs[row] for row in rows}, ROOT / "records")
    assert said.startswith("unified.t1.deep-post: in each of ")


class Terminal(io.StringIO):
    """Somebody who answers."""

    def isatty(self) -> bool:
        return True


def test_on_a_terminal_a_method_that_never_trained_is_asked_about(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wings.text.prepare.known_failures", lambda *_: iter(["never"]))
    before = {*root.rglob("*")}
    for answer in ("n\n", "\n", ""):
        monkeypatch.setattr("sys.stdin", Terminal(answer))
        with pytest.raises(UserError, match="nothing is written: leave them out of METHODS"):
            prepare(root, methods="post", hours=0.2)
    assert {*root.rglob("*")} == before
    monkeypatch.setattr("sys.stdin", Terminal("yes\n"))
    prepare(root, methods="post", hours=0.2)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    prepare(root, methods="post")


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        (
            14_500,
            r"METHODS=[a-z-]+: \d+\+\d+ .* ranks first of \d+ .*Half of Multi30k.* 14,500 pairs",
        ),
        (60_000, r"METHODS=[a-z-]+: .* Multi30k English-German, 29,000 pairs \(\d+ seeds?\)"),
        (1_000_000, ""),
    ],
)
def test_the_recipe_is_the_first_system_on_a_text_of_about_as_many_pairs(
    pairs: int, said: str
) -> None:
    found = recommended(ROOT, pairs)
    assert re.match(said, found) if said else not found


@pytest.mark.parametrize("name", ["2024_01", "1e5"])
def test_names_of_digits_are_names(root: Path, name: str) -> None:
    prepare(root, name=name, methods="pre", hours=0.2)
    assert load_config(root / "config.yaml", read_overrides([f"scale=text-{name}-en-de"]))


def test_a_file_is_named_up_to_its_first_dot(root: Path) -> None:
    (root / "mine.v1.tsv").write_text("".join(f"{a}\t{b}\n" for a, b in pairs(3000)))
    prepare(root, text=root / "mine.v1.tsv", methods="pre", hours=0.2)
    assert (root / f"scales/{NAME}.yaml").exists()


def test_every_method_has_a_row_that_can_be_trained(root: Path) -> None:
    rows = method_rows(load(UNIFIED))
    prepare(root, methods=",".join(rows), hours=100)
    assert {BASELINE, *rows.values()} <= plan_of(root).specs.keys()


def test_updates_of_runs_that_share_the_cores_are_timed() -> None:
    specs = [tiny_spec(), tiny_spec(method__norm="pre")]
    found = seconds_of_updates(specs, (50, 60), ((4, 5), (4, 6)), threads=1, runs=1)
    assert len(found) == 2
    assert min(found) > 0
