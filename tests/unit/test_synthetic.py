"""Corpora that are made of others, and what they need: every error is reported with its line."""

from pathlib import Path

import pytest

import projects
from deepmt.config.corpora import Corpora, load_corpora
from deepmt.config.plan import load_plan

ROOT = Path(__file__).parents[2]
GOOD = """
archives: {a.tar: {name: a.tar, bytes: 3, md5: abababababababababababababababab, obtain: ask}}
corpora:
  real.en-de:
    {source: en, target: de, title: Real, licence: CC0, citation: Nobody, note: A note, splits: {
    train: [{archive: a.tar}], dev: [{archive: a.tar}], test: [{archive: a.tar}]}}
  half.en-de: {from: real.en-de, title: Half, held_out: {split: held, every: 2}}
  half.de-en: {reverse_of: half.en-de, note: The other way round}
  more.en-de:
    from: half.en-de
    synthetic: {monolingual: held.de, reverse: some2020.back, scale: toy, shards: 2}
monolingual:
  held.de:
    {language: de, title: Held, licence: CC0, citation: Nobody, corpus: half.en-de, split: held}
"""


def loaded(folder: Path, old: str = "", new: str = "") -> Corpora:
    assert old in GOOD
    path = folder / "corpora.yaml"
    path.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    return load_corpora(path)


def test_a_corpus_is_the_one_it_comes_from_but_for_what_is_given(tmp_path: Path) -> None:
    corpora = loaded(tmp_path)
    real, half = corpora.corpus("real.en-de"), corpora.corpus("half.en-de")
    assert (half.base, half.title, half.note) == ("real.en-de", "Half", real.note)
    assert half.splits == real.splits
    assert half.split_names == ("train", "held", "dev", "test")


def test_a_reversed_corpus_has_its_sides_exchanged(tmp_path: Path) -> None:
    reversed_half = loaded(tmp_path).corpus("half.de-en")
    assert reversed_half.languages == ("de", "en")
    assert (reversed_half.title, reversed_half.note) == ("Half", "The other way round")
    assert reversed_half.held_out == loaded(tmp_path).corpus("half.en-de").held_out


def test_a_corpus_made_of_a_synthetic_one_is_not_synthetic_itself(tmp_path: Path) -> None:
    line = "  back.de-en: {reverse_of: more.en-de}\nmonolingual:"
    assert loaded(tmp_path, "monolingual:\n", f"{line}\n").corpus("back.de-en").synthetic is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("from: real.en-de", "from: reel.en-de", "did you mean 'real.en-de'"),
        ("from: real.en-de", "from: more.en-de", "a corpus cannot be made from itself"),
        ("reverse_of: half.en-de", "reverse_of: half.en-de, from: real.en-de", "needs either"),
        ("monolingual: held.de", "monolingual: hold.de", "did you mean 'held.de'"),
        ("language: de", "language: en", "is in en, but the target language is de"),
        ("corpus: half.en-de", "corpus: helf.en-de", "did you mean 'half.en-de'"),
        ("split: held}\n", "split: hold}\n", "did you mean 'held'"),
        ("split: held}\n", "split: held, archives: [a.tar]}\n", "needs either archives, or corpus"),
        (", split: held}\n", "}\n", "needs corpus and split together"),
        ("shards: 2", "shards: 2, max_ratio: 0.5", "max_ratio: 0.5 must be 0 (no limit) or at"),
        ("half.en-de\n    synth", "half.en-de\n    tokens: [train]\n    synth", "is tokenised"),
        ("some2020.back", "back", "reverse=back must be <paper>.<system>"),
    ],
)
def test_a_mistake_is_named_with_its_line(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"corpora\.yaml:\d+") as raised:
        loaded(tmp_path, old, new)
    assert message in str(raised.value)


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
