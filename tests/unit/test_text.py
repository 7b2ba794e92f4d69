"""Text steps and cleaning."""

import dataclasses
from pathlib import Path

import pytest

from deepmt.data.cleaning import Cleaner, tokenise_split
from deepmt.data.line_forms import look_tokenised
from deepmt.data.lines import read_lines
from deepmt.data.tokeniser import Tokeniser, steps_for
from deepmt.settings.text_steps import TextSteps

IWSLT = TextSteps(normalise=False, lowercase=True)
MULTI30K = TextSteps(lowercase=True)
PLAIN = TextSteps(normalise=False)


def test_aggressive_splitting_of_hyphens_is_undone() -> None:
    tokeniser = Tokeniser(dataclasses.replace(PLAIN, aggressive=True), "en")
    assert tokeniser.tokenise("A well-known man.") == "A well @-@ known man ."
    assert tokeniser.detokenise("A well @-@ known man .") == "A well-known man."


def test_escapes_are_a_choice() -> None:
    plain = dataclasses.replace(IWSLT, escape=False)
    assert Tokeniser(IWSLT, "en").tokenise("a|b") == "a &#124; b"
    assert Tokeniser(plain, "en").tokenise("a|b") == "a | b"


def test_without_a_tokeniser_text_stays() -> None:
    steps = dataclasses.replace(PLAIN, tokenise="none")
    line = "It's\u2028 that (simple)."
    assert Tokeniser(steps, "en").tokenise(line) == line
    assert Tokeniser(steps, "en").detokenise(line) == line


@pytest.mark.parametrize(
    ("source", "target", "reason"),
    [
        ("a b", "c d", "kept"),
        ("", "a", "empty"),
        ("a", " ", "empty"),
        ("a " * 176, "b " * 170, "too_long"),
        ("a " * 175, "b " * 175, "kept"),
        ("a b c", "d e", "kept"),
        ("a b c d", "e f", "ratio"),
        ("x" * 1001, "a", "word_too_long"),
        ("w " * 10_000, "w " * 10_000, "too_long"),
    ],
)
def test_training_pairs_are_cleaned_as_moses_does(source: str, target: str, reason: str) -> None:
    cleaner = Cleaner(IWSLT)
    assert cleaner.keep(source, target) == (reason == "kept")
    assert cleaner.counts == {reason: 1}


def written(folder: Path, source: str, target: str) -> dict[str, Path]:
    for language, text in (("de", source), ("en", target)):
        (folder / f"raw.{language}").write_text(text, encoding="utf-8", newline="\n")
    return {language: folder / f"raw.{language}" for language in ("de", "en")}


@pytest.mark.parametrize(("clean", "lines"), [(True, ["a"]), (False, ["a", "", "w" + " w" * 9999])])
def test_only_training_text_loses_lines(tmp_path: Path, clean: bool, lines: list[str]) -> None:
    raw = written(tmp_path, "a\n\n" + "w " * 10_000 + "\n", "b\nc\nd\n")
    output = {language: tmp_path / f"tok.{language}" for language in raw}
    counts = tokenise_split(IWSLT, raw, output, clean=clean)
    assert list(read_lines(output["de"])) == lines
    assert counts == ({"kept": 1, "empty": 1, "too_long": 1} if clean else {"kept": 3})


def test_a_corpus_that_is_cleaned_away_is_an_error(tmp_path: Path) -> None:
    raw = written(tmp_path, "\n\n", "a\nb\n")
    output = {language: tmp_path / f"tok.{language}" for language in raw}
    with pytest.raises(ValueError, match=r"no pair of .* is left after cleaning"):
        tokenise_split(IWSLT, raw, output, clean=True)
    assert not output["de"].exists()


def test_impossible_limits_are_refused() -> None:
    with pytest.raises(ValueError, match=r"must be 0 \(no limit\) or at least 1"):
        dataclasses.replace(IWSLT, max_ratio=0.5)


def test_control_characters_become_spaces() -> None:
    steps = dataclasses.replace(PLAIN, printable=True)
    assert Tokeniser(steps, "en").tokenise("a\u200bb\x07 c\u2028d é") == "a b c d é"


def test_quotes_are_straightened_in_all_sets_but_train() -> None:
    steps = dataclasses.replace(PLAIN, straight_quotes=True, escape=False)
    found = {
        name: Tokeniser(steps_for(steps, name, ()), "en").tokenise("It’s")
        for name in ("train", "test")
    }
    assert found == {"train": "It ’ s", "test": "It 's"}


def test_a_set_that_came_tokenised_stays_as_it_is() -> None:
    steps = dataclasses.replace(MULTI30K, printable=True, straight_quotes=True)
    line = "Don ’ t touch\u200b &quot; this &quot; ( x )."
    assert Tokeniser(steps_for(steps, "train", ("train",)), "en").tokenise(line) == line


@pytest.mark.parametrize(
    ("tokens", "text"),
    [("the man", "The man"), ("&quot; the man", '"The man'), ("1 man", "1 Man"), ("...", "...")],
)
def test_a_true_cased_translation_gets_its_capital_back(tokens: str, text: str) -> None:
    steps = dataclasses.replace(PLAIN, recase=True)
    assert Tokeniser(steps, "en").detokenise(tokens) == text


def test_chinese_words_are_parted_and_joined_again() -> None:
    tokeniser = Tokeniser(dataclasses.replace(PLAIN, normalise=True), "zh")
    line = "他来到了网易杭研大厦，用 Open Source 软件。"
    words = tokeniser.tokenise(line)
    assert words.split()[:3] == ["他", "来到", "了"]
    assert tokeniser.detokenise(words) == line.replace(" Open Source ", "Open Source")


@pytest.mark.parametrize(
    "line",
    [
        "他用Open Source, Café和Vim (9.1)。",
        "“100% C++!”他说",
        "他去В大厦（北京）。",
        "好&quot;的。",
        "共1,000.50元，比分3:2，升-5.5%，A/B测试。",
        "请看www.example.com/a?b=1或写信给a.b@example.com。",
        "他去了Café Müller和Ελλάδα (2019-2020)。",
        "电话415-575-4444，802.11n标准，Holt's，R&D，$5。",
    ],
)
def test_what_is_not_chinese_comes_back_as_it_was(line: str) -> None:
    tokeniser = Tokeniser(PLAIN, "zh")
    assert tokeniser.detokenise(tokeniser.tokenise(line)) == line


@pytest.mark.parametrize(
    "line",
    [
        "Narodil se v roce 1990 v Praze a zemřel roku 2020.",
        "Čisté objednávky spadly z 83 letadel na 26.",
        "V letech 1992, 1996, 2002 i 2006.",
        "To stojí 3,14 koruny.",
        "",
    ],
)
def test_czech_numbers_come_back_as_they_were(line: str) -> None:
    tokeniser = Tokeniser(PLAIN, "cs")
    assert tokeniser.detokenise(tokeniser.tokenise(line)) == line


def test_a_czech_translation_may_have_any_tokens() -> None:
    assert Tokeniser(PLAIN, "cs").detokenise("ptá se x&apos; - li .") == "ptá se x' - li."


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        ("EU : n jäsenet .", "EU:n jäsenet."),
        ("USA : ssa , EU : ssax", "USA:ssa, EU: ssax"),
        ("EU : stakin", "EU:stakin"),
        ("hän sanoi : näin on", "hän sanoi: näin on"),
    ],
)
def test_finnish_endings_join_their_colon_again(tokens: str, text: str) -> None:
    assert Tokeniser(PLAIN, "fi").detokenise(tokens) == text
    assert Tokeniser(PLAIN, "sv").detokenise("EU : n") == "EU: n"


@pytest.mark.parametrize(
    ("language", "line", "tokens"),
    [
        ("ca", "Una il·lusió · aquí", "Una il·lusió · aquí"),
        ("fi", "Hän sanoi: EU:n, 3:2", "Hän sanoi : EU:n , 3 : 2"),
        ("sv", "Å:s, SVT:s (S:t), A:B", "Å:s , SVT:s ( S:t ) , A : B"),
        ("sv", "[oː] EU:s", "&#91; oː &#93; EU : s"),
        ("de", "EU:s", "EU : s"),
    ],
)
def test_a_sign_stays_in_words_where_moses_leaves_it(language: str, line: str, tokens: str) -> None:
    tokeniser = Tokeniser(PLAIN, language)
    assert tokeniser.tokenise(line) == tokens


@pytest.mark.parametrize(
    ("language", "lines"),
    [
        ("en", ["A man, in a red coat, waits.", "Is it his dog?", "It costs 1,000.5 dollars."]),
        ("fr", ["Quoi ? Non !", "Il dit : \u00ab oui \u00bb ; elle, non.", "Et apr\u00e8s ... ?"]),
        ("de", ["Ein Mann, der wartet.", "So ein Hund!", "Am 3. Mai, um 5 Uhr ..."]),
        ("ru", ["\u041a\u043e\u0448\u043a\u0430, \u0434\u0430.", "\u041a\u0442\u043e?"]),
    ],
)
def test_text_looks_tokenised_after_moses_alone(language: str, lines: list[str]) -> None:
    tokeniser = Tokeniser(TextSteps(tokenise="moses"), language)
    assert not look_tokenised(lines)
    assert look_tokenised([tokeniser.tokenise(line) for line in lines])
