#!/usr/bin/env bash
# OpusCleaner's fix_sent_final_punct copies %, $, ), + and # to the other side: "um 5 Prozent" becomes "um 5 Prozent%".
# Topic: text
# Packages: opuscleaner==0.7.1
# Behaviour: punctuation at the end of a sentence is every ASCII sign that is no letter or digit. If one side ends in it
#   and the other does not, the sign is added: "um 5 Prozent%", "5 Dollar$", "In C++ geschrieben+"; if both do, the last
#   sign of the target is replaced by that of the source: "(Seite 5)" becomes "(Seite 5.".
# Why a good guess is wrong: the description says that it mends mismatched punctuation at the end of sentences, and works
#   for Latin and Cyrillic; full stops, question and exclamation marks are what one thinks of.
# Who meets it: web text and user interfaces, with prices, shares, brackets and programming languages at the end of a line.
# Source: opuscleaner/filters/fix_sent_final_punct.py, `my_punct` and the chain of conditions after it.
# Remedy: use it only for pairs that end in one of . ! ? on one side at least.
# Seen: five of five pairs get worse
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile --no-deps opuscleaner==0.7.1
filter=$(bin/python -c 'import opuscleaner; print(opuscleaner.__path__[0])')/filters/fix_sent_final_punct.py
bin/python - "$filter" <<'PYTHON'
import subprocess, sys

pairs = {
    "Prices rose by 5%": ("Die Preise stiegen um 5 Prozent", "Die Preise stiegen um 5 Prozent%"),
    "It costs 5$": ("Es kostet 5 Dollar", "Es kostet 5 Dollar$"),
    "Written in C++": ("In C++ geschrieben", "In C++ geschrieben+"),
    "Save (as a new file)": ("Als neue Datei sichern", "Als neue Datei sichern)"),
    "See page 5 (above).": ("Siehe oben (Seite 5)", "Siehe oben (Seite 5."),
}
text = "".join(f"{source}\t{target}\n" for source, (target, _) in pairs.items())
out = subprocess.run([sys.executable, sys.argv[1]], input=text, capture_output=True, text=True, check=True).stdout
print(out, end="")
assert out == "".join(f"{source}\t{spoiled}\n" for source, (_, spoiled) in pairs.items())
PYTHON
