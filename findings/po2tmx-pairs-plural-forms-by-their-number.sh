#!/usr/bin/env bash
# Translate Toolkit turns plural messages of Arabic and Slovenian into wrong pairs: one file = no files.
# Topic: text
# Packages: translate-toolkit==3.20.4
# Behaviour: po2tmx pairs the first form of a message with the English singular and every other form with the
#   English plural. Which form says what is decided by Plural-Forms of the file, which is not read. In Arabic form 0
#   is "none" and form 1 "one"; in Slovenian, as GNOME has it, form 0 is "five or more" and form 1 "one". So "%d
#   file" gets "no files" or "5 datotek", and "%d files" gets "one file". po2csv and po2xliff pair in the same way.
# Why a good guess is wrong: in German, French, Russian and Polish form 0 is the singular, so all looks right; and
#   gettext itself, with the same file, gives the right form for 1.
# Who meets it: training text made of the catalogues of software, the largest free source for many languages; also
#   Welsh and others with a form for zero.
# Source: translate/convert/po2tmx.py and translate/storage/pypo.py (units of a plural are numbered); Plural-Forms
#   of GNU gettext's manual.
# Remedy: leave messages with msgid_plural out, or choose form plural(1) for the singular by gettext.
# Seen: ar: %d file = لا ملفات (none), gettext for 1 gives ملف واحد; sl: %d file = %d datotek, gettext for 1 gives
#   %d datoteka
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile translate-toolkit==3.20.4
bin/python - <<'PYTHON'
import gettext, io, re, subprocess, sys

FORMS = {
    "ar": ("nplurals=6; plural=n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5;",
           ["لا ملفات", "ملف واحد", "ملفان", "%d ملفات", "%d ملفا", "%d ملف"]),
    "sl": ("nplurals=4; plural=n%100==1 ? 1 : n%100==2 ? 2 : n%100==3 || n%100==4 ? 3 : 0;",
           ["%d datotek", "%d datoteka", "%d datoteki", "%d datoteke"]),
}
wrong = 0
for code, (rule, forms) in FORMS.items():
    header = f'msgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n"Plural-Forms: {rule}\\n"\n\n'
    lines = "".join(f'msgstr[{n}] "{form}"\n' for n, form in enumerate(forms))
    with open(f"{code}.po", "w", encoding="utf-8") as file:
        file.write(f'{header}msgid "%d file"\nmsgid_plural "%d files"\n{lines}')
    subprocess.run(["bin/po2tmx", "--progress=none", "-l", code, f"{code}.po", f"{code}.tmx"], check=True)
    segments = re.findall("<seg>(.*)</seg>", open(f"{code}.tmx", encoding="utf-8").read())
    subprocess.run(["bin/pocompile", "--progress=none", f"{code}.po", f"{code}.mo"], check=True)
    one = gettext.GNUTranslations(open(f"{code}.mo", "rb")).ngettext("%d file", "%d files", 1)
    print(f"{code}: {segments[0]} = {segments[1]}, gettext for 1 gives {one}")
    wrong += segments[:2] == ["%d file", forms[0]] and one == forms[1]
sys.exit(wrong != 2)
PYTHON
