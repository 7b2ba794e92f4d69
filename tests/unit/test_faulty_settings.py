"""Every mistake in a paper or in corpora.yaml is named with its file and line, and its remedy."""

from pathlib import Path

import pytest
from full_sizes import CORPORA

from deepmt.config.papers import load, settings_of
from deepmt.spec.corpora import load_corpora
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
    caption: Results
    columns:
      bleu: {label: BLEU, unit: BLEU, measure: bleu}
    rows:
      - {id: some2020.t1.r1, label: Deep, status: trained, system: deep, values: {bleu: 1.5}}
figures:
  - {id: some2020.fig1, number: 1, section: '1', plots: speed, finding: it falls, systems: [base],
     draw: {kind: speed-by-depth, label: a, y: b, reference: base,
       lines: [{label: base, systems: [base]}]}}
claims:
  - id: some2020.c01
    where: abstract
    kind: quantitative
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
FAULTS: dict[str, list[tuple[str, str, int, str]]] = {
    "some2020.yaml": [
        ("training.lr", "trainign.lr", 4, "unknown key 'trainign.lr'; did you mean 'training.lr'"),
        ("from: base", "from: bsae", 5, "from: unknown system 'bsae'; did you mean"),
        (
            "6, training",
            "6, from: deep, training",
            4,
            "from: circular 'from': deep, base",
        ),
        ("lr: 1.0", "lr: 1.0, data.source: de", 4, "data.source: is set by corpora.yaml"),
        ("system: deep", "system: dep", 13, "unknown system 'dep'; did you mean 'deep'"),
        (", system: deep", "", 13, "a row with status trained needs a system"),
        ("status: trained", "status: quoted", 13, "status quoted must not have a system"),
        ("bleu: 1.5", "blue: 1.5", 13, "unknown column 'blue'; did you mean 'bleu'"),
        ("bleu: 1.5", "bleu: null", 13, "has no number: give the text"),
        ("measure: bleu", "measure: blue", 11, "unknown measure 'blue'; did you mean 'bleu"),
        ("measure: bleu", "measure: mean", 11, "a mean or a delta needs `of`"),
        (
            "measure: bleu",
            "measure: bleu, differs: [{printed: [1.5, 2], why: rounded}]",
            11,
            "printed[1]: no row prints 2 in this column",
        ),
        (
            "caption: Results",
            "caption: Results\n    baseline: some2020.t1.r2",
            10,
            "baseline: unknown row 'some2020.t1.r2'",
        ),
        (DRAWN, "learning-rates, lines: [], groups: [Shallow]", 16, "unknown group 'Shallow'"),
        (
            DRAWN,
            "learning-rates, lines: [], without: [dep]",
            16,
            "unknown system 'dep'; did you mean 'deep'",
        ),
        (
            "tables:\n",
            "probes: {fig1: {seeds: [1], named: {a: dep}}}\ntables:\n",
            6,
            "probes.fig1.named.a: unknown system 'dep'; did you mean 'deep'",
        ),
        (
            "tables:\n",
            "probes: {fig1: {seeds: [1], named: {a: deep}, readings: {b: c}}}\ntables:\n",
            6,
            "probes.fig1.readings.b: unknown name 'c'",
        ),
        (
            DRAWN,
            "norm-by-layer, lines: [{label: 'a, b', system: base}]",
            16,
            "unknown probe 'base'",
        ),
        ("key: some2020", "key: other", 1, "must be some2020, the name of the file"),
        ("t1.r1", "table1", 13, "duplicate id 'some2020.table1'"),
        ("some2020.t1.r1", "t1.r1", 13, "'t1.r1' must begin with 'some2020.', the name"),
        ("id: some2020.table1", "id: zhang2019.table1", 7, "must begin with 'some2020.'"),
        ("of: t1.r1", "of: t1.r2", 24, "unknown cell 't1.r2.bleu'; did you mean 't1.r1.bleu"),
        ("table1.base", "table1.bsae", 26, "did you mean 'table1.base.bleu"),
        ("fig1.base.tok", "fig1.bsae.tok", 25, "did you mean 'fig1.base.tok"),
        ("above: 1", "above: 1, near: 2", 24, "needs exactly one of above, below"),
        ("of: t1.r1.bleu, above", "above", 24, "needs one of `of`, `each` and"),
        ("above: 1", "above: 1, by: 1", 24, "`within` is for"),
        ("above: 1", "near: 1", 24, "`within` is for"),
        ("above: 1", "above: 1, by_at_least: 1, times: 2, within: 1", 24, "give at most one"),
        ("above: 1", "near: 1, within: 1, diverged: worse", 24, "`diverged` needs"),
        ("judge:", "tests: [a]\n    jugde:", 24, "unknown key 'jugde'; did you mean 'judge'"),
        ("judge:", "unjudged: a\n    judge:", 19, "a part without a check is `unchecked`"),
        (JUDGED, "    tests: [a]\n    unchecked: [b]\n", 19, "`unchecked` is for parts"),
        (JUDGED, "", 19, "needs `judge`"),
    ],
    "wang2019.yaml": [
        ("kind: score-by-depth", "kind: score-by-dept", 0, "did you mean 'score-by-depth'"),
        ("kind: score-by-depth", "colour: red", 0, "kind: is required and not set"),
        ("          column: bleu\n", "          column: blue\n", 0, "did you mean 'bleu'"),
        ("table: wang2019.table1", "table: wang2019.tabel1", 0, "did you mean 'wang2019.table1"),
        ("system: ende-big-6l-pre}", "system: ende-big-7l-pre}", 0, "did you mean 'ende-big-6l"),
        ("reference: ende-big-6l-pre", "reference: big", 0, "unknown reference 'big'"),
    ],
    "corpora.yaml": [
        ("md5: abab", "md5: abzz", 0, "should match pattern '^[0-9a-f]{32}$'"),
        ("target: de", "target: en", 0, "must differ from the source language"),
        ("\ncorpora:", "\nparts: [{archive: txt.tar}]\ncorpora:", 0, "did you mean 'text.tar'?"),
        ("test: [{archive: text", "test: [{archive: txt", 0, "did you mean 'text.tar'?"),
        ("      dev: [", "      devel: [", 0, "has no dev split"),
        ("name: text.tar", "name: ../text.tar", 0, "must be relative and without '..'"),
        ("https://example.org", "file://example.org", 0, "should match pattern '^https?://'"),
        ("    addresses: [https://example.org/text.tar]\n", "", 0, "needs a path, an address"),
        (
            "    note: A note\n",
            "    tokens: [tran]\n    note: A\n",
            0,
            "did you mean 'train'?",
        ),
        ('"dev.{language}"', "x, columns: {en: 1, fr: 2}", 0, "the columns of en and de"),
        (
            '"dev.{language}"',
            "x, columns: {en: 1, de: 0}",
            0,
            "columns.de: 0 should be greater than",
        ),
        ("from: small.en-de", "from: smell.en-de", 0, "did you mean 'small.en-de'"),
        ("from: small.en-de", "from: more.en-de", 0, "circular 'from': half.en-de, more.en-de"),
        ("reverse_of: half", "from: small.en-de, reverse_of: half", 0, "needs either"),
        ("source: de, target: en", "source: en, target: de", 0, "of that one, exchanged"),
        ("monolingual: held.de", "monolingual: hold.de", 0, "did you mean 'held.de'"),
        ("language: de", "language: en", 0, "is in en, but the target language is de"),
        ("corpus: half.en-de", "corpus: helf.en-de", 0, "did you mean 'half.en-de'"),
        ("split: held}\n", "split: hold}\n", 0, "did you mean 'held'"),
        ("split: held}\n", "split: held, archives: [a]}\n", 0, "needs either archives, or corpus"),
        (", split: held}\n", "}\n", 0, "needs corpus and split together"),
        ("shards: 2", "shards: 2, max_ratio: 0.5", 0, "max_ratio: 0.5 must be 0 (no limit) or at"),
        ("half.en-de\n    synth", "half.en-de\n    tokens: [train]\n    synth", 0, "is tokenised"),
        (
            "note: A note",
            "note: A\n    size: {pears: 3}",
            0,
            "size.pears: unknown key 'pears'",
        ),
        ("some2020.back", "back", 0, "reverse=back must be <paper>.<system>"),
    ],
}
"""By file: what is written in it, what is written instead, the line if it matters, what is said."""
CASES = [(file, fault) for file, faults in FAULTS.items() for fault in faults]


def said_of(folder: Path, file: str, text: str) -> list[str]:
    """The lines in which a file is refused."""
    (folder / file).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"\w") as refused:
        (load_corpora if file == "corpora.yaml" else load)(folder / file)
    return str(refused.value).splitlines()


@pytest.mark.parametrize(("file", "fault"), CASES)
def test_a_mistake_is_named_with_its_line(
    tmp_path: Path, file: str, fault: tuple[str, str, int, str]
) -> None:
    old, new, line, text = fault
    assert old in GOOD[file]
    said = said_of(tmp_path, file, GOOD[file].replace(old, new, 1))
    start = f"{tmp_path / file}:" + (f"{line}: " if line else "")
    assert [each for each in said if each.startswith(start) and text in each], said


@pytest.mark.parametrize(
    ("file", "changes", "said"),
    [
        (
            "some2020.yaml",
            {"number: 1": "number: one", "training.lr": "training.rl"},
            ("training.rl", "number: 'one' should be a valid integer"),
        ),
        (
            "some2020.yaml",
            {"from: base": "from: bsae", "measure: bleu": "measure: blue"},
            ("unknown system 'bsae'", "unknown measure 'blue'"),
        ),
        (
            "corpora.yaml",
            {"name: text.tar": "nome: text.tar", "bytes: 3": "bites: 3"},
            ("'nome'", "'bites'", "name: is required and not set"),
        ),
    ],
)
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
