#!/usr/bin/env bash
# Bifixer writes "MockBa" for "Москва" in English and German text, "B-carotene" for "β-carotene", and takes out what stands between < and >.
# Topic: text
# Packages: bifixer==0.8.12, xxhash==3.5.0, nltk==3.9.2, ftfy==6.3.1
# Behaviour: letters of another alphabet that look like Latin ones are replaced one by one, with the default options, also in words that
#   are wholly Cyrillic or Greek; the others of the word stay. β becomes B in English and ß in German. Text from the first < to the
#   next > is taken for a tag: "1 < 2 and 3 > 2" becomes "1 2", and the placeholder <NAME> is gone.
# Why a good guess is wrong: "replaces characters from wrong alphabets" is meant for one Cyrillic letter in a Latin word, and
#   one expects that a word in one script is left alone; both sides change alike, so no filter sees it.
# Who meets it: corpora of ParaCrawl's pipeline with names in the original, physics, chemistry and biology (α, β, ρ), formulas, code,
#   and lines with placeholders.
# Source: bifixer/restorative_cleaning.py, getCharsReplacements and html_tags_regex.
# Remedy: --ignore_characters and --ignore_html.
# Seen: "Moscow is MockBa in Russian", "Das ß-Carotin", "1 2 holds", "Send the file".
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile bifixer==0.8.12 xxhash==3.5.0 nltk==3.9.2 ftfy==6.3.1
cat > pairs.tsv <<'TSV'
Moscow is Москва in Russian	Moskau heißt Москва auf Russisch
The β-carotene	Das β-Carotin
1 < 2 and 3 > 2 holds	Es gilt 1 < 2 und 3 > 2 hier
Send <NAME> the file	Sende <NAME> die Datei
TSV
columns="--scol 1 --tcol 2 --ignore_segmentation --ignore_duplicates --quiet"
bin/python -m bifixer.bifixer $columns pairs.tsv fixed.tsv en de
bin/python -m bifixer.bifixer $columns --ignore_characters --ignore_html pairs.tsv kept.tsv en de
cat > expected.tsv <<'TSV'
Moscow is MockBa in Russian	Moskau heißt MockBa auf Russisch
The B-carotene	Das ß-Carotin
1 2 holds	Es gilt 1 2 hier
Send the file	Sende die Datei
TSV
cut -f 1,2 fixed.tsv
diff <(cut -f 1,2 fixed.tsv) expected.tsv
diff <(cut -f 1,2 kept.tsv) pairs.tsv
