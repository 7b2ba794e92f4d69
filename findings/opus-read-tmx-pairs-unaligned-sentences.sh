#!/usr/bin/env bash
# opus_read of OpusTools writes two sentences without a translation as one pair of its TMX, and no well-formed TMX if a link has two sentences.
# Topic: text
# Packages: opustools==1.9.0
# Behaviour: a document whose links are 1-1, 1-0, 0-1, 1-1 becomes a TMX of three units; in the second, "Nur hier." is
#   the translation of "Only there." A link of 2-1 or 1-2 gives a file that no parser of XML reads. The same call with
#   -wm moses is right: empty sides, and the two sentences joined by a space.
# Why a good guess is wrong: a link is a unit of the file that it comes from; one expects a unit with one side, or
#   none, and both sentences in one segment.
# Who meets it: TMX of a corpus of OPUS read as its XML: subtitles, Europarl, books, where links without a side stand
#   side by side wherever the two texts differ.
# Source: opustools/formatting.py, `sentence_format_type`: tmx_src opens a unit for each source sentence, tmx_trg
#   closes one for each target sentence, whatever the link.
# Remedy: -wm tmx with -S 1 -T 1 (links of one sentence each), or -wm moses.
# Seen: Das Haus. = The house. | Nur hier. = Only there. | Der Hof. = The yard.; 2-1: mismatched tag; -S 1 -T 1: two
#   units
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile opustools==1.9.0
cat > read.py <<'PYTHON'
import subprocess
import zipfile
from xml.etree import ElementTree

TEXTS = {"de": ["Das Haus.", "Nur hier.", "Der Hof."], "en": ["The house.", "Only there.", "The yard."]}
for language, sentences in TEXTS.items():
    lines = [f'<s id="{i}">{sentence}</s>' for i, sentence in enumerate(sentences, 1)]
    with zipfile.ZipFile(f"{language}.zip", "w") as archive:
        archive.writestr(f"Tiny/raw/{language}/1.xml", "\n".join(["<text>", *lines, "</text>"]) + "\n")


def read(links, mode, *options):
    inner = "\n".join(f'<link xtargets="{link}" />' for link in links)
    with open("links.xml", "w") as file:
        file.write('<?xml version="1.0" encoding="utf-8"?>\n<cesAlign version="1.0">\n<linkGrp targType="s"'
                   f' fromDoc="de/1.xml.gz" toDoc="en/1.xml.gz">\n{inner}\n</linkGrp>\n</cesAlign>\n')
    command = "bin/opus_read -d Tiny -s de -t en -r v1 -p raw -af links.xml -sz de.zip -tz en.zip -w out -wm"
    subprocess.run([*command.split(), mode, *options], check=True, capture_output=True)
    return open("out").read()


def units(text):
    root = ElementTree.fromstring(text.encode())
    return [" = ".join(segment.text for segment in unit.iter("seg")) for unit in root.iter("tu")]


links = ("1;1", "2;", ";2", "3;3")
print(units(read(links, "tmx")))
assert units(read(links, "tmx")) == [" = ".join(pair) for pair in zip(*TEXTS.values())]
assert read(links, "moses").splitlines()[1:3] == ["Nur hier.\t", "\tOnly there."]
assert units(read(links, "tmx", "-S", "1", "-T", "1")) == ["Das Haus. = The house.", "Der Hof. = The yard."]
for link in ("1 2;1", "1;1 2"):
    try:
        raise SystemExit(f"readable: {units(read([link], 'tmx'))}")
    except ElementTree.ParseError as error:
        print(f"link {link}: {error}; moses: {read([link], 'moses')!r}")
PYTHON
bin/python read.py
