#!/usr/bin/env bash
# pysubs2 puts the name of the next WebVTT cue into a caption's text, and takes away its last line if that is a number.
# Topic: text
# Packages: pysubs2==1.8.1, webvtt-py==0.6.0; the second for comparison
# Behaviour: a cue of WebVTT may have a name above its times or none, and comments may stand between cues. pysubs2
#   appends both to the caption before ("Good morning.", an empty line, "intro-2"). "It was in", next line "1984",
#   loses the year where the next cue has no number. A line of three words with their times, we<00:00:04.200>
#   do<00:00:04.500> not, counts as the times of a new caption: the words are lost, and an empty caption is there
#   instead. With one time, or three, words and times are kept.
# Why a good guess is wrong: the documentation calls its WebVTT a flavour of SubRip without extra support for styles
#   and alignment, so one expects to lose these, and not to gain text or to lose words. webvtt-py reads what is said.
# Who meets it: parallel text made of subtitles: broadcasters and meeting software name each cue (words, hashes), and
#   automatic captions have no names and times in each line.
# Source: pysubs2/formats/webvtt.py, a subclass of pysubs2/formats/subrip.py, `SubripFormat.from_file`, which takes a
#   number before a time for that of the next subtitle, and any line with two times for the times of one.
# Remedy: webvtt-py.
# Seen: pysubs2: ['Good morning.\n\nintro-2', 'The door\nis open.\n\nNOTE checked by Ann', 'It was in', '', '',
#   'Come<00:00:05.300> in.']; webvtt-py: ['Good morning.', 'The door\nis open.', 'It was in\n1984', 'we do not',
#   'Come in.']
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile pysubs2==1.8.1 webvtt-py==0.6.0 2> /dev/null
bin/python - << 'PYTHON'
import pysubs2
import webvtt

CAPTIONS = """WEBVTT

intro-1
00:00:01.000 --> 00:00:02.000
Good morning.

intro-2
00:00:02.000 --> 00:00:03.000
The door
is open.

NOTE checked by Ann

00:00:03.000 --> 00:00:04.000
It was in
1984

00:00:04.000 --> 00:00:05.000
we<00:00:04.200> do<00:00:04.500> not

00:00:05.000 --> 00:00:06.000
Come<00:00:05.300> in.
"""
theirs = [event.plaintext for event in pysubs2.SSAFile.from_string(CAPTIONS)]
right = [caption.text for caption in webvtt.from_string(CAPTIONS)]
print(f"pysubs2: {theirs}; webvtt-py: {right}")
assert right == ["Good morning.", "The door\nis open.", "It was in\n1984", "we do not", "Come in."]
assert theirs == ["Good morning.\n\nintro-2", "The door\nis open.\n\nNOTE checked by Ann", "It was in", "", "",
                  "Come<00:00:05.300> in."]
PYTHON
