"""Every mistake in a paper or in corpora.yaml is named with its file and line, and its remedy."""

import re
from pathlib import Path

import pytest
from full_sizes import CORPORA

from deepmt.settings.corpora import load_corpora
from deepmt.study.papers import load, settings_of
from projects import ROOT

PAPER = """\
paper: {key: some2020, title: Some, year: 2020}
vocabulary: {}
systems:
  base: {encoder.layers: 6, training.lr: 1.0}
  deep: {from: base, encoder.layers: 12}
tables:
  - id: some2020.table1
    number: 1
    caption: Measured
    columns:
      bleu: {label: BLEU, unit: BLEU, measure: bleu}
    rows:
      - {id: some2020.t1.r1, label: Deep, status: trained, system: deep, values: {bleu: 1.5}}
figures:
  - {id: some2020.fig1, number: 1, plots: speed, systems: [base],
     draw: {kind: speed-by-depth, label: a, y: b, reference: base,
       lines: [{label: base, systems: [base]}]}}
claims:
  - id: some2020.c01
    where: abstract
    statement: deeper is better
    judge:
      - {of: t1.r1.bleu, above: 1}
      - {of: fig1.base.tokens_per_s_ratio, above: 1}
      - {of: table1.base.bleu, below: t1.r1.bleu}
"""
DRAWN = PAPER[PAPER.index("speed-by-depth") : PAPER.index("}}\nclaims:")]
JUDGED = PAPER[PAPER.index("    judge:") :]
TEXTS = """\
archives:
  text.tar:
    name: text.tar
    bytes: 3
    md5: abababababababababababababababab
    addresses: [https://example.org/text.tar]
corpora:
  small.en-de:
    source: en
    target: de
    title: Small
    licence: CC0
    citation: Nobody
    note: A note
    splits:
      train: [{archive: text.tar, member: "train.{language}"}]
      dev: [{archive: text.tar, member: "dev.{language}"}]
      test: [{archive: text.tar, member: "test.{language}"}]
  half.en-de: {from: small.en-de, title: Half, held_out: {split: held, every: 2}}
  half.de-en: {reverse_of: half.en-de, source: de, target: en, note: The other way}
  more.en-de:
    from: half.en-de
    synthetic: {monolingual: held.de, reverse: some2020.back, scale: toy, shards: 2}
monolingual:
  held.de:
    {language: de, title: Held, licence: CC0, citation: Nobody, corpus: half.en-de, split: held}
"""
GOOD = {
    "some2020.yaml": PAPER,
    "wang2019.yaml": (ROOT / "papers/wang2019.yaml").read_text(),
    "corpora.yaml": TEXTS,
}
NAMES = [
    ("some2020.yaml", "key", "training.lr", "judge"),
    ("some2020.yaml", "system", "from: base", "system: deep"),
    ("some2020.yaml", "column", "values: {bleu"),
    ("some2020.yaml", "measure", "measure: bleu"),
    ("some2020.yaml", "cell", "of: t1.r1.bleu", "of: table1.base.bleu"),
    ("some2020.yaml", "cell", "of: fig1.base.tokens_per_s_ratio"),
    ("wang2019.yaml", "value", "kind: score-by-depth"),
    ("wang2019.yaml", "table", "table: wang2019.table1"),
    ("wang2019.yaml", "column", "          column: bleu"),
    ("wang2019.yaml", "system", "{label: Big-6L, system: ende-big-6l-pre"),
    ("wang2019.yaml", "reference", "reference: ende-big-6l-pre"),
    ("corpora.yaml", "key", "licence"),
    ("corpora.yaml", "corpus", "from: small.en-de", "reverse_of: half.en-de", "corpus: half.en-de"),
    ("corpora.yaml", "monolingual text", "monolingual: held.de"),
    ("corpora.yaml", "split", "half.en-de, split: held"),
]
"""File, kind of a name that must be known, and places that end with one."""
FAULTS: dict[str, list[tuple[str, str, int, str]]] = {
    "some2020.yaml": [
        ("6, training", "6, from: deep, training", 0, "from: circular 'from': deep, base"),
        ("lr: 1.0", "lr: 1.0, data.source: de", 0, "data.source: is set by corpora.yaml"),
        (", system: deep", "", 0, "a row with status trained needs a system"),
        ("status: trained", "status: quoted", 0, "status quoted must not have a system"),
        ("status: trained", "status: not-run", 0, "values.bleu: a row with status not-run has no"),
        ("bleu: 1.5", "bleu: null", 0, "has no number: give the text"),
        ("measure: bleu", "measure: mean", 0, "a mean or a delta needs `of`"),
        ("bleu}", "bleu, differs: [{printed: [1.5, 2], why: a}]}", 0, "no row prints 2 in this"),
        ("    columns:", "    baseline: t1.r2\n    columns:", 0, "baseline: unknown row 't1.r2'"),
        (DRAWN, "learning-rates, lines: [], groups: [Shallow]", 0, "unknown group 'Shallow'"),
        (DRAWN, "learning-rates, lines: [], without: [dep]", 0, "'dep'; did you mean 'deep'"),
        (
            "tables:\n",
            "probes: {fig1: {seeds: [1], named: {a: dep}}}\ntables:\n",
            0,
            "probes.fig1.named.a: unknown system 'dep'; did you mean 'deep'",
        ),
        (
            "tables:\n",
            "probes: {fig1: {seeds: [1], named: {a: deep}, readings: {b: c}}}\ntables:\n",
            0,
            "probes.fig1.readings.b: unknown name 'c'",
        ),
        (DRAWN, "norm-by-layer, lines: [{label: a, system: base}]", 0, "unknown probe 'base'"),
        ("key: some2020", "key: other", 0, "must be some2020, the name of the file"),
        ("t1.r1", "table1", 0, "duplicate id 'some2020.table1'"),
        ("some2020.t1.r1", "t1.r1", 0, "'t1.r1' must begin with 'some2020.', the name"),
        ("id: some2020.table1", "id: zhang2019.table1", 0, "must begin with 'some2020.'"),
        ("above: 1", "above: 1, near: 2", 0, "needs exactly one of above, below"),
        ("of: t1.r1.bleu, above", "above", 0, "needs one of `of`, `each` and"),
        ("above: 1", "above: 1, by: 1", 0, "`within` is for"),
        ("above: 1", "near: 1", 0, "`within` is for"),
        ("above: 1", "above: 1, by_at_least: 1, times: 2, within: 1", 0, "give at most one"),
        ("above: 1", "near: 1, within: 1, diverged: worse", 0, "`diverged` needs"),
        ("judge:", "unjudged: a\n    judge:", 3, "a part without a check is `unchecked`"),
        (JUDGED, "    tests: [a]\n    unchecked: [b]\n", 3, "`unchecked` is for parts"),
        (JUDGED, "", 3, "needs `judge`"),
    ],
    "wang2019.yaml": [("kind: score-by-depth", "colour: red", 1, "kind: is required and not set")],
    "corpora.yaml": [
        ("md5: abab", "md5: abzz", 0, "should match pattern '^[0-9a-f]{32}$'"),
        ("https://example.org", "file://example.org", 0, "should match pattern '^https?://'"),
        ("name: text.tar", "name: ../text.tar", 1, "must be relative and without '..'"),
        ("    addresses: [https://example.org/text.tar]\n", "", 4, "needs a path, an address"),
        ("target: de", "target: en", 0, "must differ from the source language"),
        ("corpora:", "parts: [{archive: txt.tar}]\ncorpora:", 0, "did you mean 'text.tar'?"),
        ("test: [{archive: text", "test: [{archive: txt", 10, "did you mean 'text.tar'?"),
        ("    note: A note\n", "    tokens: [tran]\n    note: A\n", 0, "did you mean 'train'?"),
        ("    splits:", "    size: {pears: 3}\n    splits:", 0, "size.pears: unknown key 'pears'"),
        ("      dev: [", "      devel: [", 9, "has no dev split"),
        ('"dev.{language}"', "x, columns: {en: 1, fr: 2}", 0, "the columns of en and de"),
        ('"dev.{language}"', "x, columns: {en: 1, de: 0}", 0, "columns.de: 0 should be greater"),
        ("from: small.en-de", "from: more.en-de", 0, "circular 'from': more.en-de, half.en-de"),
        ("reverse_of: half", "from: small.en-de, reverse_of: half", 0, "needs either"),
        ("source: de, target: en", "source: en, target: de", 0, "of that one, exchanged"),
        ("language: de", "language: en", 3, "is in en, but the target language is de"),
        ("split: held}\n", "split: held, archives: [a]}\n", 1, "needs either archives, or corpus"),
        (", split: held}\n", "}\n", 1, "needs corpus and split together"),
        ("shards: 2", "shards: 2, max_ratio: 0.5", 0, "max_ratio: 0.5 must be 0 (no limit) or at"),
        ("shards: 2}", "shards: 2}\n    tokens: [train]", 0, "is tokenised"),
        ("some2020.back", "back", 0, "reverse=back must be <paper>.<system>"),
    ],
}
"""By file: what is written, what instead, how many lines above it is named, and what is said."""
CASES = [(file, fault) for file, faults in FAULTS.items() for fault in faults]


def said_of(folder: Path, file: str, text: str) -> list[str]:
    """The lines in which a file is refused: each has the file, a line of it, and a key."""
    (folder / file).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"\w") as refused:
        (load_corpora if file == "corpora.yaml" else load)(folder / file)
    said = str(refused.value).splitlines()
    for line in said:
        assert re.fullmatch(rf"{re.escape(str(folder / file))}:\d+: [\w.\[\]-]+: .+", line)
    return said


@pytest.mark.parametrize(
    ("file", "kind", "place"),
    [(file, kind, place) for file, kind, *places in NAMES for place in places],
)
def test_an_unknown_name_gets_the_nearest(tmp_path: Path, file: str, kind: str, place: str) -> None:
    before, _, after = GOOD[file].partition(place)
    name = place.split(" ")[-1].lstrip("{")
    wrong = name[1] + name[0] + name[2:]
    said = said_of(tmp_path, file, before + place.removesuffix(name) + wrong + after)
    start = f"{tmp_path / file}:{(before + place).count(chr(10)) + 1}: "
    told = f"unknown {kind} '{wrong}'; did you mean '{name}'"
    assert [line for line in said if line.startswith(start) and told in line], said


@pytest.mark.parametrize(("file", "fault"), CASES)
def test_a_mistake_is_named_with_its_line(
    tmp_path: Path, file: str, fault: tuple[str, str, int, str]
) -> None:
    old, new, above, told = fault
    before, found, after = GOOD[file].partition(old)
    assert found
    said = said_of(tmp_path, file, before + new + after)
    start = f"{tmp_path / file}:{before.count(chr(10)) + 1 - above}: "
    assert [line for line in said if line.startswith(start) and told in line], said


@pytest.mark.parametrize(
    ("file", "changes", "said"),
    [
        ("some2020.yaml", {"number: 1": "number: one", "training.lr": "training.rl"},
         ("training.rl", "number: 'one' should be a valid integer")),
        ("some2020.yaml", {"from: base": "from: bsae", "measure: bleu": "measure: blue"},
         ("unknown system 'bsae'", "unknown measure 'blue'")),
        ("corpora.yaml", {"name: text.tar": "nome: text.tar", "bytes: 3": "bites: 3"},
         ("'nome'", "'bites'", "name: is required and not set")),
    ],
)  # fmt: skip
def test_all_mistakes_come_at_once(
    tmp_path: Path, file: str, changes: dict[str, str], said: tuple[str, ...]
) -> None:
    text = GOOD[file]
    for old, new in changes.items():
        text = text.replace(old, new, 1)
    found = "\n".join(said_of(tmp_path, file, text))
    assert [part for part in said if part not in found] == []


def test_a_good_paper_is_read_with_the_nearer_setting_and_each_side_as_a_list(
    tmp_path: Path,
) -> None:
    (tmp_path / "some2020.yaml").write_text(PAPER)
    paper = load(tmp_path / "some2020.yaml")
    assert settings_of(paper, "deep") == {"encoder.layers": 12, "training.lr": 1.0}
    first, second, third = paper.claims[0].judge
    assert (first.of, first.above) == (("t1.r1.bleu",), (1,))
    assert second.of == ("fig1.base.tokens_per_s_ratio",)
    assert third.of == ("table1.base.bleu",)


def test_shipped_corpora_are_named_by_their_languages_and_an_unknown_one_gets_the_nearest() -> None:
    for key, corpus in CORPORA.corpora.items():
        assert key.endswith(f".{corpus.source}-{corpus.target}")
    with pytest.raises(ValueError, match=r"did you mean 'multi30k\.en-de'"):
        CORPORA.corpus("multi30k.en-du")
