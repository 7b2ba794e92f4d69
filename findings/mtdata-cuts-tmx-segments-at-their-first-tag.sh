#!/usr/bin/env bash
# mtdata reads a TMX segment only up to its first inline tag: "Click <bpt/>Save<ept/> to go on." becomes "Click".
# Topic: text
# Packages: mtdata==0.5.1
# Behaviour: text inside and behind <bpt>, <ept>, <ph>, <it> and <hi> is lost. Where one side has its tag early and the
#   other late, most of a sentence is paired with the first word of its translation. A pair with a side that begins with
#   a tag is left out, and counted as a "language mismatch". Files without inline tags are read rightly.
# Why a good guess is wrong: TMX has these tags for formatting inside a sentence, and a reader drops the tags and keeps
#   the text, or keeps both. Nothing is logged for a cut pair, and the number of lines looks right.
# Who meets it: translation memories of CAT tools (manuals, user interfaces, web pages): every sentence with a bold
#   word, link, footnote or placeholder. Learnt from such pairs, a model stops in the middle of a sentence.
# Source: mtdata/tmx.py, `parse_tmx`: tuv.findtext('seg'), which is the text before the first child. Data sets of mtdata
#   in TMX go through it as well (mtdata/parser.py).
# Remedy: take the tags out of the file before, or read it with the Translate Toolkit.
# Seen: Please wait. = Bitte warten.; Click = Um weiterzumachen,; Never open = Diese Tür darf man (of four pairs)
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile mtdata==0.5.1 2> /dev/null
bin/python - << 'PYTHON'
import subprocess

PAIRS = [
    ("Please wait.", "Bitte warten."),
    ('Click <bpt i="1">[b]</bpt>Save<ept i="1">[/b]</ept> to go on.',
     'Um weiterzumachen, <bpt i="1">[b]</bpt>Speichern<ept i="1">[/b]</ept> anklicken.'),
    ("You have <ph>{n}</ph> new messages in your inbox.", "<ph>{n}</ph> neue Nachrichten sind da."),
    ("Never open <hi>this</hi> door.", "Diese Tür darf man <hi>nie</hi> öffnen."),
]
units = "".join(f'<tu><tuv xml:lang="en"><seg>{english}</seg></tuv><tuv xml:lang="de"><seg>{german}</seg></tuv></tu>'
                for english, german in PAIRS)
with open("memory.tmx", "w", encoding="utf-8") as file:
    file.write('<?xml version="1.0" encoding="UTF-8"?><tmx version="1.4"><header creationtool="x"'
               ' creationtoolversion="1" segtype="sentence" o-tmf="x" adminlang="en" srclang="en"'
               f' datatype="plaintext"/><body>{units}</body></tmx>')
command = ["bin/python", "-m", "mtdata.tmx", "-i", "memory.tmx", "-l", "eng-deu", "-o", "pairs.tsv"]
subprocess.run(command, check=True, capture_output=True)
pairs = [tuple(line.rstrip("\n").split("\t")) for line in open("pairs.tsv", encoding="utf-8")]
print("; ".join(" = ".join(pair) for pair in pairs))
assert pairs == [PAIRS[0], ("Click", "Um weiterzumachen,"), ("Never open", "Diese Tür darf man")]
PYTHON
