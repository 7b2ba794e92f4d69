#!/usr/bin/env bash
# OpusCleaner's fix_wiki writes nothing at all, if its option to remove empty lines is switched off.
# Topic: text
# Packages: opuscleaner==0.7.1
# Behaviour: with REMOVEEMPTYLINES on, the filter mends pairs and leaves out those that became empty. Off, it leaves out
#   every pair, also those that it did not touch, and ends with 0.
# Why a good guess is wrong: the option says that pairs with an empty side are removed after filtering, so without it one
#   expects more lines, and not none.
# Who meets it: whoever wants to keep line numbers in step with another file, or calls the filter by hand, where the
#   option is off by default.
# Source: opuscleaner/filters/fix_wiki.py, the last two lines: the only print stands behind `if
#   args.remove_empty_lines and all(...)`.
# Remedy: leave the option on, and count lines before and after.
# Seen: 3 pairs in; 2 out with --remove-empty-lines, 0 out without
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile --no-deps opuscleaner==0.7.1
filter=$(bin/python -c 'import opuscleaner; print(opuscleaner.__path__[0])')/filters/fix_wiki.py
printf '%s\t%s\n' "A plain line." "Eine einfache Zeile." "It is old.[1]" "Es ist alt." "[2]" "" > pairs
with=$(bin/python "$filter" --footnotes --remove-empty-lines < pairs)
without=$(bin/python "$filter" --footnotes < pairs)
echo "with --remove-empty-lines:"
echo "$with"
echo "without: '$without'"
test "$with" = "$(printf '%s\t%s\n' "A plain line." "Eine einfache Zeile." "It is old." "Es ist alt.")"
test -z "$without"
