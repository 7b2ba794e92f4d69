#!/usr/bin/env bash
# indic-nlp-library's normaliser turns Marathi ॲप (app) into एप (ep), and keeps अॅप, the other spelling of the word.
# Topic: text
# Packages: indic-nlp-library==0.92, numpy==2.4.6, pandas==3.1.1
# Behaviour: with the default options ॲ (U+0972, the vowel of "app") becomes ए (U+090F, e): ॲपल (Apple) is एपल. The
#   older way to write ॲ, which is अ with the sign ॅ, stays, so that one word is two words afterwards. So do ऍ, the
#   letter of the same sound in Hindi, and the sign in कॅमेरा (camera).
# Why a good guess is wrong: the normaliser is there to give one form to what has several. Its docstring lists what it
#   does to Devanagari, without this, and the option that replaces these vowels (do_normalize_chandras) is off.
# Who meets it: Marathi and Konkani in translation, where English words are full of ॲ. IndicTrans normalises by this
#   class: a model never writes the letter, and references that were not normalised have it.
# Source: indicnlp/normalize/indic_normalize.py, `DevanagariNormalizer.normalize` ("chandra a replacement for Marathi");
#   in the table of do_normalize_chandras the same line is commented out.
# Remedy: text.replace("ॲ", "अॅ") before.
# Seen: by default ॲप -> एप, ॲपल -> एपल, अॅप -> अॅप, ऍप -> ऍप, कॅमेरा -> कॅमेरा
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile indic-nlp-library==0.92 numpy==2.4.6 \
  pandas==3.1.1 2> /dev/null
bin/python -W ignore - << 'PYTHON'
from indicnlp.normalize.indic_normalize import IndicNormalizerFactory

LETTER, SIGNED, E = "\u0972", "\u0905\u0945", "\u090f" # ॲ, अॅ, ए
WORDS = [LETTER + "प", LETTER + "पल", SIGNED + "प", "\u090dप", "क\u0945मेरा"]


def normalised(**options):
    normaliser = IndicNormalizerFactory().get_normalizer("mr", **options)
    return [normaliser.normalize(word) for word in WORDS]


default, candras = normalised(), normalised(do_normalize_chandras=True)
print("by default " + ", ".join(f"{word} -> {result}" for word, result in zip(WORDS, default)))
print("with do_normalize_chandras: " + ", ".join(candras))
assert default == [E + "प", E + "पल", *WORDS[2:]]
assert not any("\u0945" in word or "\u090d" in word for word in candras)
PYTHON
