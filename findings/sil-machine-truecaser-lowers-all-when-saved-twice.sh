#!/usr/bin/env bash
# A truecaser of sil-machine that is loaded and saved again has lost all capitals: Berlin becomes berlin.
# Topic: text
# Packages: sil-machine==1.9.2, numpy==2.4.6, networkx==3.6.1, regex==2026.11.15, sortedcontainers==2.4.0,
#   charset-normalizer==2.1.1
# Behaviour: the first file has "Berlin 2". Loading fills the table of counts with lower-case spellings under wrong keys,
#   so that saving writes "berlin 2". The truecaser itself still writes "Berlin" until the second file is loaded.
# Why a good guess is wrong: load and save are inverse to each other as a rule, and the loaded model works.
# Who meets it: models that are trained further on new segments (train_segment) and saved again, as interactive
#   translation does.
# Source: machine/translation/unigram_truecaser.py, `_parse_line`: self._casing[parts[i - 1]].increment(token_lower,
#   count), where parts[i - 1] is the count before, or the last one of the line.
# Remedy: train from the text each time; keep the first file.
# Seen: BERLIN, ANNA, LIVE -> Berlin, Anna, live; after the second save berlin, anna, live
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile --no-deps \
    sil-machine==1.9.2 numpy==2.4.6 networkx==3.6.1 regex==2026.11.15 sortedcontainers==2.4.0 charset-normalizer==2.1.1
bin/python - <<'PYTHON'
from machine.translation import UnigramTruecaser

first = UnigramTruecaser()
for line in "we live in Berlin now", "he was in Berlin with Anna":
    first.train_segment(line.split())
first.save("first")
second = UnigramTruecaser("first")
second.save("second")
third = UnigramTruecaser("second")
words = ["BERLIN", "ANNA", "LIVE"]
results = [list(truecaser.truecase(words)) for truecaser in (first, second, third)]
for name, result in zip(("trained", "loaded", "loaded after a second save"), results):
    print(f"{name}: {result}")
print("second file:", open("second").read().split("\n"))
assert results == [["Berlin", "Anna", "live"]] * 2 + [["berlin", "anna", "live"]]
PYTHON
