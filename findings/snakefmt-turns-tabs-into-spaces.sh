#!/usr/bin/env bash
# snakefmt changes what a rule does: a tab inside a triple-quoted shell command becomes four spaces.
# Topic: workflow
# Packages: snakefmt==2.1.0
# Behaviour: cut -d '<tab>', sort -t '<tab>', a header of TSV columns and the indentation of <<-EOF, written with a real tab
#   in a triple-quoted string, are formatted with four spaces: cut then refuses its delimiter, the header is one
#   column, and the here-document never ends at its own terminator. Tabs in strings of one line stay.
# Why a good guess is wrong: a formatter does not touch the inside of strings (black does not), and snakefmt's own
#   comment there says that the strings are put back exactly as they were.
# Who meets it: workflows on tab-separated text, such as corpora of sentence pairs; a commit that "only formats".
# Source: snakefmt/formatter.py, `align_strings`: s.replace("\t", TAB) for every part of code that is a string.
# Remedy: write \t and $'\t' in the command; put # fmt: off around what must keep a tab.
# Seen: 2 tabs in the command before, 0 after: printf 'de    en\n', cut -d '    '
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile snakefmt==2.1.0
bin/python - <<'PYTHON'
import ast, io, re

from snakefmt.formatter import Formatter
from snakefmt.parser.parser import Snakefile

before = '''rule pairs:
    output:
        "pairs.tsv",
    shell:
        """
        printf 'de\ten\\n' > {output}
        cut -d '\t' -f 2 {output}
        """
'''
after = Formatter(Snakefile(io.StringIO(before))).get_formatted()
commands = [ast.literal_eval(re.search(r'""".*?"""', text, re.DOTALL)[0]) for text in (before, after)]
print("tabs in the command before and after:", [command.count("\t") for command in commands])
print(after)
assert commands[0] != commands[1] == commands[0].replace("\t", "    ")
short = 'rule a:\n    shell:\n        "cut -f 2 -d \'\t\' {input}"\n'
assert "\t" in Formatter(Snakefile(io.StringIO(short))).get_formatted()
PYTHON
