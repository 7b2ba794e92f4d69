#!/usr/bin/env bash
# tokenizers 0.23.1 and 0.23.2 lose what is behind the limit of length: enable_truncation(4, stride=1) gives one window and none of the rest.
# Topic: text
# Packages: tokenizers==0.22.2, tokenizers==0.23.1, tokenizers==0.23.2, tokenizers==0.23.3
# Behaviour: a text of twelve words, cut into windows of four. 0.22.2 and 0.23.3 give the first window and, in `overflowing`, those
#   behind it. In 0.23.1 and 0.23.2 the first window is right and `overflowing` is empty (with subwords, it ends after
#   the word in which the limit falls). No error, no warning, and the windows that come are right.
# Why a good guess is wrong: `overflowing` is there to lose nothing, it worked for years, and both releases before and after agree.
# Who meets it: documents cut into overlapping windows (translation of long text, question answering, scoring by
#   windows) in an environment made between the two releases: all but the beginning is left out.
# Source: seen by results.
# Remedy: 0.23.3; count the tokens without truncation.
# Seen: number of further windows 3, 0, 0, 3.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for version in 0.22.2 0.23.1 0.23.2 0.23.3; do
    python3 -m venv --without-pip "$version"
    python3 -m pip --python "$version/bin/python" install -q --no-deps "tokenizers==$version"
    "$version/bin/python" - "$version" <<'PYTHON'
import sys

from tokenizers import Tokenizer, models, pre_tokenizers

words = "a b c d e f g h i j k l".split()
tokenizer = Tokenizer(models.WordLevel({word: i for i, word in enumerate(words)}, unk_token="a"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
tokenizer.enable_truncation(4, stride=1)
found = tokenizer.encode(" ".join(words))
windows = [" ".join(window.tokens) for window in [found, *found.overflowing]]
print(sys.argv[1], windows)
whole = ["a b c d", "d e f g", "g h i j", "j k l"]
assert windows == (whole[:1] if sys.argv[1] in ("0.23.1", "0.23.2") else whole)
PYTHON
done
