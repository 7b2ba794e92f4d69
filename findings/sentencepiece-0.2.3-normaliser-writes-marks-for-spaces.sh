#!/usr/bin/env bash
# SentencePieceNormalizer returns "▁das▁Haus" for "das Haus" since sentencepiece 0.2.3, and drops spaces at the ends and doubled ones.
# Topic: text
# Packages: sentencepiece==0.2.3, sentencepiece==0.2.2
# Behaviour: SentencePieceNormalizer(rule_name="nmt_nfkc") normalised letters and left spaces alone up to 0.2.2. In 0.2.3
#   the same call puts the mark U+2581 before the text and in place of each space. Its arguments
#   add_dummy_prefix, escape_whitespaces and remove_extra_whitespaces were False by default; now they are unset, and
#   unset means what a model for subwords does: True.
# Why a good guess is wrong: the class exists to normalise text outside of a model, and a third number of a version changes no
#   output; text of one word with the letters of the mark looks right in many fonts.
# Who meets it: pipelines that normalise a corpus by the rules of SentencePiece before another tool cuts, filters or
#   deduplicates it: lines without any space, one word each.
# Source: sentencepiece/__init__.py, SentencePieceNormalizer.__init__ ("Defaults used to be False", issue 1334).
# Remedy: give all three as False.
# Seen: 0.2.2 'das  Haus ', 0.2.3 '▁das▁Haus'; with the three as False both 'das  Haus '.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for version in 0.2.2 0.2.3; do
    python3 -m venv --without-pip "$version"
    python3 -m pip --python "$version/bin/python" install -q "sentencepiece==$version"
    "$version/bin/python" - "$version" <<'PYTHON'
import sys

from sentencepiece import SentencePieceNormalizer

names = "add_dummy_prefix", "escape_whitespaces", "remove_extra_whitespaces"
plain = SentencePieceNormalizer(rule_name="nmt_nfkc")
told = SentencePieceNormalizer(rule_name="nmt_nfkc", **dict.fromkeys(names, False))
line = "ｄａｓ  Haus "
found = plain.normalize(line), told.normalize(line)
print(sys.argv[1], *map(repr, found))
assert found == ("das  Haus " if sys.argv[1] == "0.2.2" else "▁das▁Haus", "das  Haus ")
PYTHON
done
