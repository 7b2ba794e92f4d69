#!/usr/bin/env bash
# pySBD ends a Chinese sentence before its closing quotation mark, which then begins the next one.
# Topic: text
# Packages: pysbd==0.3.4
# Behaviour: 他说：“你好。”然后走了。 becomes 他说：“你好。 and ”然后走了。 So does a question before ” or ’, and a sentence before ）.
#   Only 「」 and 《》 are kept whole; in Japanese 「」 is kept and 『』 is cut.
# Why a good guess is wrong: “ ” are the quotation marks of China, 「」 those of Taiwan; the library knows Chinese
#   as one of its 22 languages, has rules for what stands between quotation marks, and keeps the same curly ones
#   together in English.
# Who meets it: who cuts documents into sentences before aligning or translating them: dialogue loses its pairs of
#   marks, and the translation begins with a closing one.
# Source: pysbd/lang/chinese.py and japanese.py, BetweenPunctuation (its patterns name 《》 and 「」).
# Remedy: move closing marks from the beginning of a piece to the end of the one before.
# Seen: zh “ ”, zh ‘ ’, zh （ ）, ja 『』 cut before the closing mark; zh 「」, ja 「」, en “ ” kept
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile pysbd==0.3.4
bin/python - <<'PYTHON'
import sys

import pysbd

CUT = [("zh", "他说：“你好。”然后走了。"), ("zh", "“你是谁？”她问。"), ("zh", "他说：‘你好。’然后走了。"),
       ("zh", "（他来了。）我们走吧。"), ("ja", "『行こう！』と彼は言った。")]
KEPT = [("zh", "他说：「你好。」然后走了。"), ("ja", "「行こう！」と彼は言った。"), ("en", "“Who are you?” she asked.")]
wrong = 0
for code, text in CUT + KEPT:
    pieces = pysbd.Segmenter(language=code, clean=False).segment(text)
    print(code, pieces)
    wrong += any(piece[0] in "”’）』」" for piece in pieces) != ((code, text) in CUT)
sys.exit(wrong != 0)
PYTHON
