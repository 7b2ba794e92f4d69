"""One table of languages serves every place that asks, whichever code names the language."""

from typing import Any

import pytest
from test_extraction import columns
from texts import texts_of

from deepmt.base.languages import ISO_639, WITHOUT_SPACES, language
from deepmt.data.tokeniser import Tokeniser
from deepmt.scores.scores import measures_for, score_texts
from deepmt.settings.spec import Data
from deepmt.settings.text_steps import TextSteps


def test_every_code_names_one_language() -> None:
    entries = [entry.replace("/", ":").split(":") for entry in ISO_639.split()]
    codes = [code for entry in entries for code in entry]
    assert len(codes) == len(set(codes)) > 2 * len(entries) == 2 * 183
    assert [language(code).code for code in codes] == [e[0] for e in entries for _ in e]


def test_a_code_of_three_letters_may_have_none_of_two() -> None:
    assert (language("hsb").code, language("hsb").tokeniser) == ("hsb", "13a")
    assert language("yue").tokeniser == "zh"


@pytest.mark.parametrize("code", ["jp", "cn", "cz", "ua"])
def test_a_country_is_no_language(code: str) -> None:
    with pytest.raises(ValueError, match=f"{code} is no language of ISO 639-1"):
        language(code)


@pytest.mark.parametrize(("name", "code"), [("zh-CN", "zh"), ("German", "de")])
def test_a_name_is_no_code(name: str, code: str) -> None:
    with pytest.raises(ValueError, match=f"{name} is no language of ISO 639-1: write {code}"):
        language(name)


@pytest.mark.parametrize("code", [*WITHOUT_SPACES, "jpn", "zho", "chi", "tha", "deu", "eng"])
def test_the_bleu_of_every_language_is_computed_for_it(code: str) -> None:
    metric: Any = measures_for(code)["bleu"].metric()
    assert metric.tokenizer.signature() == language(code).tokeniser


@pytest.mark.parametrize("code", ["ja", "jpn"])
def test_japanese_is_scored_by_characters(code: str) -> None:
    scores = score_texts(
        texts_of(["猫が庭で静かに眠っている。"], ["犬が庭で静かに眠っている。"], code)
    )
    assert scores["bleu"].value > 60
    assert "tok:char" in scores["bleu"].signature


@pytest.mark.parametrize("code", ["en", "eng"])
def test_moses_knows_the_abbreviations_of_a_language(code: str) -> None:
    tokeniser = Tokeniser(TextSteps(), code)
    assert tokeniser.tokenise("Mr. Smith's cat.") == "Mr. Smith &apos;s cat ."
    assert tokeniser.detokenise("Mr. Smith &apos;s cat .") == "Mr. Smith's cat."


@pytest.mark.parametrize("code", ["zho", "chi"])
def test_chinese_is_segmented_whatever_its_code(code: str) -> None:
    assert Tokeniser(TextSteps(), code).tokenise("我喜欢猫。") == "我 喜欢 猫 。"


def test_moses_is_refused_where_it_finds_no_words() -> None:
    with pytest.raises(ValueError, match="tokenise=moses needs spaces, which jpn lacks"):
        Data(corpus="c", source="en", target="jpn")
    assert Data(corpus="c", source="en", target="jpn", tokenise="none").target == "jpn"


def test_exchanged_columns_of_english_are_noticed_by_its_long_code(tmp_path: Any) -> None:
    with pytest.raises(ValueError, match="column of eng has 6 letters beyond ASCII"):
        columns(tmp_path, "这 是\tthis is\n" * 3, zho=2, eng=1)
