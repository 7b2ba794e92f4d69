"""corpora.yaml: the shipped file is whole, and mistakes in one are all reported."""

from pathlib import Path

import pytest
from full_sizes import CORPORA

from deepmt.config.corpora import load_corpora

GOOD = """
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
"""


def problems_of(folder: Path, old: str, new: str) -> str:
    assert old in GOOD
    path = folder / "corpora.yaml"
    path.write_text(GOOD.replace(old, new), encoding="utf-8")
    with pytest.raises(ValueError, match=r"corpora\.yaml:\d+") as raised:
        load_corpora(path)
    return str(raised.value)


def test_the_shipped_file_names_the_corpora_of_the_scales() -> None:
    corpora = CORPORA.corpora
    expected = {"toy.en-de", "toy.de-en", "multi30k.en-de", "iwslt14.de-en"}
    assert expected | {"iwslt14-subset.de-en"} <= corpora.keys()
    for key, corpus in corpora.items():
        assert key.endswith(f".{corpus.source}-{corpus.target}")


def test_an_unknown_corpus_gets_a_did_you_mean() -> None:
    with pytest.raises(ValueError, match=r"did you mean 'multi30k\.en-de'"):
        CORPORA.corpus("multi30k.en-du")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("md5: abab", "md5: abzz", "must be 32 lower-case hexadecimal digits"),
        ("target: de", "target: en", "must differ from the source language"),
        ("\ncorpora:", "\nparts: [{archive: txt.tar}]\ncorpora:", "did you mean 'text.tar'?"),
        ("test: [{archive: text.tar", "test: [{archive: txt.tar", "did you mean 'text.tar'?"),
        ("      dev: [", "      devel: [", "has no dev split"),
        ("name: text.tar", "name: ../text.tar", "must be relative and without '..'"),
        ("https://example.org", "file://example.org", "must start with https:// or http://"),
        ("    addresses: [https://example.org/text.tar]\n", "", "needs a path, an address"),
        ("    note: A note\n", "    note: A note\n    tokens: [tran]\n", "did you mean 'train'?"),
        ('"dev.{language}"', "x, columns: {en: 1, fr: 2}", "must name the columns of en and de"),
        (
            '"dev.{language}"',
            "x, columns: {en: 1, de: 0}",
            "splits.dev[0].columns.de: 0 must be at least 1",
        ),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert message in problems_of(tmp_path, old, new)


def test_all_mistakes_come_at_once(tmp_path: Path) -> None:
    message = problems_of(tmp_path, "name: text.tar\n    bytes: 3", "nome: text.tar\n    bites: 3")
    assert all(word in message for word in ("'nome'", "'bites'", "missing key 'name'"))
