#!/usr/bin/env bash
# jieba keeps C++ and AT&T in one piece, but cuts Zürich into three, Кремль into six letters and 1,000.50 at its comma.
# Topic: text
# Packages: jieba==0.42.1
# Behaviour: letters of other scripts are a word only if they are A to Z, digits or one of + # & . _ % -. Any
#   other letter is a word of its own: Z ü rich, Beyonc é, К р е м л ь (with the default settings). A number stays
#   whole with a point and falls apart at a comma..
# Why a good guess is wrong: jieba is known to leave foreign words alone, which English, code and percentages
#   confirm.
# Who meets it: tokenised Chinese for translation, as WMT's: names count as rare pieces, lengths and length ratios
#   are wrong, and who joins pieces of Latin letters by a space again gets "Z ü rich".
# Source: jieba/__init__.py: re_han_default, re_skip_default, and the loop of `cut` that yields the rest by
#   character.
# Remedy: cut foreign runs out before (a pattern for letters and numbers), and jieba the rest.
# Seen: C++ 1, AT&T 1, 3.14% 1, Zürich 3, Beyoncé 2, Кремль 6, 1,000.50 3
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile setuptools==80.9.0 jieba==0.42.1
bin/python - <<'PYTHON'
import sys

import jieba

jieba.setLogLevel(60)
jieba.initialize()
WORDS = ["C++", "AT&T", "3.14%", "Zürich", "Beyoncé", "Кремль", "1,000.50"]
counts = [len(jieba.lcut(f"我们去{word}吧")) - len(jieba.lcut("我们去")) - 1 for word in WORDS]
print(", ".join(f"{word} {count}" for word, count in zip(WORDS, counts)))
print("  ".join("/".join(jieba.lcut(word)) for word in WORDS))
sys.exit(counts != [1, 1, 1, 3, 2, 6, 3])
PYTHON
