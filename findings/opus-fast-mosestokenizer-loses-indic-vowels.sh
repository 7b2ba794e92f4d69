#!/usr/bin/env bash
# opus-fast-mosestokenizer takes the vowel signs out of Hindi, Bengali, Tamil, Telugu and Burmese, and puts spaces there.
# Topic: text
# Packages: opus-fast-mosestokenizer==0.0.8.11, sacremoses==0.2.0
# Behaviour: "दुनिया" (world) becomes "दुन य"; in Bengali and Tamil only consonants are left. Detokenising does not bring the signs
#   back. It is so for every language code, also for "en". Thai keeps its vowels, and so do decomposed Latin
#   letters. German dates come apart, too: "3. Mai" is three tokens, where Moses has two.
# Why a good guess is wrong: the package is a C++ port of Moses' tokeniser and has lists of abbreviations for hi, bn, ta, te, mr and
#   others; sacremoses and the Perl script had their own trouble with these signs, but none loses a letter.
# Who meets it: OpusFilter and streaming tools, which install it for the Moses tokeniser; the corpus stays of
#   the same number of lines, and its lengths and ratios look plausible.
# Source: seen by its results.
# Remedy: sacremoses, or tokenize="none" for these scripts.
# Seen: दुन य | ব ল ভ ষ | தம ழ் ம ழ | తెల గ భాష | မ န်မ | แปลภาษา
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile opus-fast-mosestokenizer==0.0.8.11 sacremoses==0.2.0
bin/python - <<'PYTHON'
import sacremoses
from mosestokenizer import MosesTokenizer


def marks(text):
    return sum("\u0900" <= sign <= "\u109f" for sign in text)


for code, line in {"hi": "दुनिया", "bn": "বাংলা ভাষা", "ta": "தமிழ் மொழி", "te": "తెలుగు భాష", "en": "မြန်မာ"}.items():
    tokeniser = MosesTokenizer(code)
    tokens = tokeniser.tokenize(line)
    other = sacremoses.MosesTokenizer(code).tokenize(line, return_str=True)
    print(code, line, "->", " ".join(tokens), "->", tokeniser.detokenize(tokens), "| sacremoses:", other)
    assert marks(tokeniser.detokenize(tokens)) < marks(line) == marks(other)
assert MosesTokenizer("en").tokenize("แปลภาษา") == ["แปลภาษา"]
german = MosesTokenizer("de").tokenize("Am 3. Mai")
print(german)
assert german == ["Am", "3", ".", "Mai"]
assert sacremoses.MosesTokenizer("de").tokenize("Am 3. Mai") == ["Am", "3.", "Mai"]
PYTHON
