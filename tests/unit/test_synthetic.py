"""Corpora that are made of others, and the systems that these need."""

from pathlib import Path

import pytest
from test_faulty_settings import TEXTS

import projects
from deepmt.settings.corpora import Corpora, load_corpora
from deepmt.study.plan import load_plan
from projects import ROOT


def loaded(folder: Path, more: str = "") -> Corpora:
    path = folder / "corpora.yaml"
    path.write_text(TEXTS.replace("monolingual:\n", f"{more}monolingual:\n"), encoding="utf-8")
    return load_corpora(path)


def test_a_corpus_is_the_one_it_comes_from_but_for_what_is_given(tmp_path: Path) -> None:
    corpora = loaded(tmp_path)
    small, half = corpora.corpus("small.en-de"), corpora.corpus("half.en-de")
    assert (half.base, half.title, half.note) == ("small.en-de", "Half", small.note)
    assert half.splits == small.splits
    assert half.split_names == ("train", "held", "dev", "test")


def test_a_reversed_corpus_has_its_sides_exchanged(tmp_path: Path) -> None:
    reversed_half = loaded(tmp_path).corpus("half.de-en")
    assert reversed_half.languages == ("de", "en")
    assert (reversed_half.title, reversed_half.note) == ("Half", "The other way")
    assert reversed_half.held_out == loaded(tmp_path).corpus("half.en-de").held_out


def test_a_corpus_made_of_a_synthetic_one_is_not_synthetic_itself(tmp_path: Path) -> None:
    found = loaded(tmp_path, "  back.de-en: {reverse_of: more.en-de, source: de, target: en}\n")
    assert found.corpus("back.de-en").synthetic is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("scale: toy", "scale: paper", "made for scale paper, but used at toy"),
        ("liu2020.fren", "liu2002.fren", "unknown paper 'liu2002'; did you mean 'liu2020'?"),
        ("liu2020.fren-back", "liu2020.fren-beck", "unknown system 'fren-becktranslation'"),
        ("liu2020.fren-backtranslation", "liu2020.base", "translates en to de; it must translate"),
        ("max_tokens: 80", "max_tokens: 101", "max_tokens=101 must be in 1..100: liu2020"),
    ],
)
def test_a_reverse_system_that_cannot_serve_stops_the_plan(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    projects.copy(tmp_path, "config.yaml", "corpora.yaml", "papers", "scales")
    before, start, rest = (ROOT / "corpora.yaml").read_text().partition("  toy-bt.en-de:\n")
    assert old in rest
    (tmp_path / "corpora.yaml").write_text(before + start + rest.replace(old, new, 1))
    with pytest.raises(ValueError, match=r"corpora\.toy-bt\.en-de\.synthetic: ") as raised:
        load_plan(tmp_path, {"papers": "liu2020"})
    assert message in str(raised.value)


def test_the_reverse_run_is_planned_though_no_row_has_it_and_its_paper_is_not_asked_for() -> None:
    plan = projects.plan(papers="unified", rows="unified.t2.synthetic")
    reverse = plan.reverse["toy-bt.en-de"]
    assert reverse.data.languages == ("de", "en")
    assert reverse.run in plan.every_run
    assert reverse.run not in plan.runs
