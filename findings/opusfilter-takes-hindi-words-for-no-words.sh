#!/usr/bin/env bash
# OpusFilter's remove_duplicates drops different Hindi lines as duplicates, if it may look at letters only.
# Topic: text
# Packages: opusfilter==3.3.1, xxhash==3.5.0, regex==2026.11.15
# Behaviour: letters_only takes out vowel signs: "दिन" (day), "दान" (gift) and "दीन" (poor) are one line. With
#   letter_words_only each word that has a vowel sign is no word and is dropped, so that most lines are empty, and all
#   of these are duplicates of the first: of 4 lines here 1 is left. The same holds for Bengali and Tamil.
# Why a good guess is wrong: the options are documented as ignoring digits and punctuation; a vowel sign is a part of
#   the word, and other filters of OpusFilter (AlphabetRatioFilter) count it as a letter.
# Who meets it: cleaning of Indic text by options that help for English.
# Source: opusfilter/segment_hash.py, `SegmentHasher`: [^\p{L}] and ^[\p{L}]+$; vowel signs are marks, \p{M}.
# Remedy: lowercase and a RegExpSub of digits and punctuation in a preprocessing step; or letters_only: false.
# Seen: letters_only: 3 words, 1 key; letter_words_only: 4 Hindi lines, 1 key; 4 English lines, 4 keys
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile --no-deps opusfilter==3.3.1 xxhash==3.5.0 regex==2026.11.15
bin/python - <<'PYTHON'
import sys, types

# only the hasher is needed; tokenisers are not used here and would ask for many packages
sys.modules["opusfilter.tokenization"] = types.SimpleNamespace(get_tokenize=None)
from opusfilter.segment_hash import SegmentHasher


def keys(lines, **options):
    hasher = SegmentHasher(**options)
    return len({hasher.apply([line]) for line in lines})


words = ["दिन", "दान", "दीन"]
others = ["কাল", "কল"], ["கலை", "கல்"]  # Bengali: time, machine; Tamil: art, stone
hindi = ["मेरी किताब बड़ी है", "वे दिल्ली में हैं", "किताबें यहाँ नहीं हैं", "बारिश हो रही है"]
english = ["my book is big", "they are in Delhi", "the books are not here", "it is raining"]
counts = keys(words, letters_only=True), keys(hindi, letter_words_only=True), keys(english, letter_words_only=True)
print("letters_only, 3 words: %d key; letter_words_only, 4 lines: Hindi %d key, English %d keys" % counts)
assert counts == (1, 1, 4), counts
assert keys(words) == 3 and keys(hindi) == 4
assert all(keys(pair, letters_only=True) == 1 for pair in others)
PYTHON
