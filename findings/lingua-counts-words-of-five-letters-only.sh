#!/usr/bin/env bash
# lingua finds no Chinese, and no Russian of short words, beside another language: "Это мой дом. This is my house." is English.
# Topic: text
# Packages: lingua-language-detector==2.1.1
# Behaviour: detect_multiple_languages_of gives one English section for a Russian and an English sentence, and for a Chinese
#   and a longer English one. Alone, each sentence gets its right language. A Russian sentence with words of five
#   letters is found.
# Why a good guess is wrong: the scripts differ, which settles the language of every word, as it does for
#   detect_language_of; the method is made for such text.
# Who meets it: filters of parallel text for copied source, wrong-language parts and code switching, above all with
#   Chinese and Japanese, whose characters count as words of one letter.
# Source: lingua-rs, src/detector.rs, `detect_multiple_languages_of`: languages are searched for by the whole text and
#   by words of five letters and more; all other languages are not tried when the text is cut.
# Remedy: cut at changes of script and sentence ends first, and call detect_language_of for each part.
# Seen: both mixed lines: [ENGLISH], alone: RUSSIAN, ENGLISH and CHINESE, ENGLISH; with longer words: RUSSIAN, ENGLISH
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile --no-deps lingua-language-detector==2.1.1
bin/python - <<'PYTHON'
from lingua import Language, LanguageDetectorBuilder

languages = Language.ENGLISH, Language.GERMAN, Language.RUSSIAN, Language.CHINESE
detector = LanguageDetectorBuilder.from_languages(*languages).build()


def sections(text):
    return [section.language.name for section in detector.detect_multiple_languages_of(text)]


english = "This is my house."
park = "We are going to the park this morning with our children."
for other, name, english in ("Это мой дом.", "RUSSIAN", english), ("今天天气很好，我们去公园。", "CHINESE", park):
    alone = [detector.detect_language_of(text).name for text in (other, english)]
    both = sections(f"{other} {english}")
    print(f"{other} {english} -> {both}; alone: {alone}")
    assert alone == [name, "ENGLISH"]
    assert both == ["ENGLISH"], both
longer = sections("Сегодня хорошая погода. This is my house.")
print("with longer words:", longer)
assert longer == ["RUSSIAN", "ENGLISH"]
PYTHON
