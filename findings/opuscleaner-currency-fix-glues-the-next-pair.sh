#!/usr/bin/env bash
# OpusCleaner's currency_mismatch with FIX writes no line end after a mended pair: the next pair hangs on its target.
# Topic: text
# Packages: opuscleaner==0.7.1, babel==2.17.0
# Behaviour: three pairs, of which the first is mended, come out as two lines. The first has the mended target with the
#   second source behind it, and three columns; columns beyond the second (scores) of a mended pair are lost.
# Why a good guess is wrong: a filter that mends one word is expected to write a pair for a pair, and OpusCleaner's
#   preview shows the mended pair in its place.
# Who meets it: cleaning with FIX on: later filters see a pair with three columns, and take the wrong two or stop.
# Source: opuscleaner/filters/currency_mismatch.py, `filter_currency_mismatch`: fout.write(f"{src}\t{fixed}"), after
#   the line end was stripped.
# Remedy: FIX off; or one pair at a time.
# Seen: "It costs $5. <tab> Das kostet $5.Good day. <tab> Guten Tag."
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile --no-deps opuscleaner==0.7.1 babel==2.17.0
filter=$(bin/python -c 'import opuscleaner; print(opuscleaner.__path__[0])')/filters/currency_mismatch.py
printf '%s\t%s\n' 'It costs $5.' 'Das kostet €5.' 'Good day.' 'Guten Tag.' 'A cat.' 'Eine Katze.' > pairs
bin/python "$filter" --fix < pairs | tee fixed
test "$(wc -l < fixed)" = 2
test "$(head -n 1 fixed)" = "$(printf '%s\t%s\t%s' 'It costs $5.' 'Das kostet $5.Good day.' 'Guten Tag.')"
