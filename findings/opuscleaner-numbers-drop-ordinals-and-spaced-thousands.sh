#!/usr/bin/env bash
# OpusCleaner's num_mismatch drops "the 21st century" beside "das 21. Jahrhundert", and 1,000 beside "1 000".
# Topic: text
# Packages: opuscleaner==0.7.1
# Behaviour: an English ordinal in digits (1st, 21st) is no number for the filter, the German, Polish or Finnish "21." is one,
#   so the pair has a number on one side alone, and goes at the default ratio of 1. "1 000" of French, Polish or
#   Russian is two numbers, 1 and 0. 1,000.50 and 1.000,50 are equal, as one hopes.
# Why a good guess is wrong: the description says that numbers are compared on both sides, and the separators of
#   thousands are taken care of.
# Who meets it: English with a language that writes 21. or 1 000: dates, centuries, ranks and prices vanish from the corpus,
#   and the model never learns to turn one form into the other.
# Source: opuscleaner/filters/num_mismatch.py, NUM_EXPR: \b behind the digits ("disallow 30beep, but also 30th and
#   1st #TODO"), and separators [\.,:] without the space.
# Remedy: RATIO of 0.5 keeps a pair with one number that has no partner; numbers with spaces need a regexp before.
# Seen: kept 3 of 6 pairs: 1,000.50, 2020 and the pair without numbers
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile --no-deps opuscleaner==0.7.1
filter=$(bin/python -c 'import opuscleaner; print(opuscleaner.__path__[0])')/filters/num_mismatch.py
bin/python - "$filter" <<'PYTHON'
import subprocess, sys

pairs = [
    ("It began in the 21st century.", "Es begann im 21. Jahrhundert.", False),
    ("She came on May 1st.", "Sie kam am 1. Mai.", False),
    ("It costs 1,000 euros.", "Cela coûte 1 000 euros.", False),
    ("It costs 1,000.50 euros.", "Es kostet 1.000,50 Euro.", True),
    ("It was in 2020.", "Das war 2020.", True),
    ("Good morning.", "Guten Morgen.", True),
]
text = "".join(f"{source}\t{target}\n" for source, target, _ in pairs)
out = subprocess.run([sys.executable, sys.argv[1]], input=text, capture_output=True, text=True, check=True).stdout
for source, target, kept in pairs:
    print("kept   " if f"{source}\t{target}\n" in out else "dropped", source, "|", target)
assert out == "".join(f"{source}\t{target}\n" for source, target, kept in pairs if kept)
loose = [sys.executable, sys.argv[1], "--ratio", "0.5"]
assert text.split("\n")[:2] == subprocess.run(loose, input=text, capture_output=True, text=True).stdout.split("\n")[:2]
PYTHON
