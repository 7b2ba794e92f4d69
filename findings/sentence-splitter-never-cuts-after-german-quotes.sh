#!/usr/bin/env bash
# sentence-splitter never ends a German or Czech sentence at its closing quote: „Gut.“ Dann ging er. is one sentence.
# Topic: text
# Packages: sentence-splitter==1.4, regex==2026.11.19
# Behaviour: a sentence that ends in .“ or !“ or .« stays with the next one: in German, Czech and Lithuanian („…“), in
#   German and Danish books (»…«), and in French with a no-break space before ». It is cut after "…", after ”…” in
#   Swedish, „…” in Polish, and «…» with an ordinary space or none.
# Why a good guess is wrong: each language has its own list of abbreviations, and the rule for quotes names all of
#   Unicode's final punctuation. But “ and « are initial punctuation in Unicode, whatever a language does with them,
#   and a no-break space is no space to the rule, which allows for spaces before ».
# Who meets it: news and books that are cut by Europarl's rules before alignment: one side has two sentences where the
#   other has one, and pairs with direct speech are long, or lost.
# Source: sentence_splitter/__init__.py, `split` (\p{Final_Punctuation} behind [?!\.][\ ]*).
# Remedy: none by options; write " for the marks before, or cut again between [.?!][“«] and a space.
# Seen: 1: de „Gut.“ Dann ging er. | de „Halt!“ Niemand hörte es. | de »Gut.« Dann ging er. | cs ... | lt ... | da ...
#   2: de "Gut." Dann ging er. | sv ”Bra.” Sedan gick han. | pl „Dobrze.” Potem wyszedł. | fr «Bien.» Puis il partit.
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile sentence-splitter==1.4 regex==2026.11.19 2> /dev/null
bin/python - << 'PYTHON'
from sentence_splitter import SentenceSplitter

NBSP = "\u00a0"
TEXTS = [
    ("de", "Er sagte: „Gut.“ Dann ging er."),
    ("de", "Sie rief: „Halt!“ Niemand hörte es."),
    ("de", "Er sagte: »Gut.« Dann ging er."),
    ("cs", "Řekl: „Dobře.“ Potom odešel."),
    ("lt", "Jis tarė: „Gerai.“ Tada išėjo."),
    ("da", "Han sagde: »Godt.« Så gik han."),
    ("fr", f"Il dit : «{NBSP}Bien.{NBSP}» Puis il partit."),
    ("de", 'Er sagte: "Gut." Dann ging er.'),
    ("sv", "Han sade: ”Bra.” Sedan gick han."),
    ("pl", "Powiedział: „Dobrze.” Potem wyszedł."),
    ("fr", "Il dit : «Bien.» Puis il partit."),
    ("fr", "Il dit : « Bien. » Puis il partit."),
]
counts = [len(SentenceSplitter(language=language).split(text)) for language, text in TEXTS]
for number in (1, 2):
    quotes = [f"{language} {text.split(': ')[1]}" for (language, text), count in zip(TEXTS, counts) if count == number]
    print(f"{number}: " + " | ".join(quotes))
assert counts == [1] * 7 + [2] * 5
PYTHON
