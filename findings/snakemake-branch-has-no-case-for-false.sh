#!/usr/bin/env bash
# snakemake's branch(..., cases={True: ..., False: ...}) ends in a TypeError for False, as well as for 0 and "".
# Topic: workflow
# Packages: snakemake==9.27.1
# Behaviour: a condition that is, or gives, False, 0, "" or None is replaced by an empty list before it is looked up in
#   cases: "unhashable type: 'list'". True, 1 and other words are found. then= and otherwise= are not concerned.
# Why a good guess is wrong: cases is documented as a mapping that the value of the condition is the key of; the second
#   of two cases is False as a rule.
# Who meets it: branch(lookup(dpath="cleaning/enabled", within=config), cases={True: ..., False: ...}), and cases by a
#   number, such as {0: ..., 1: ...}. It shows when somebody sets the option to false.
# Source: snakemake/ioutils/branch.py, `convert_none` (value or []), which `do_branch_cases` applies to the condition, too.
# Remedy: cases by words: branch(lambda wildcards: str(...), cases={"True": ..., "False": ...}).
# Seen: True: yes; False, 0 and "": unhashable type: 'list'
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile snakemake==9.27.1
cat > Snakefile <<'SNAKEFILE'
rule all:
    input:
        branch(lookup(dpath="clean", within=config), cases={True: "clean.txt", False: "raw.txt"}),


rule text:
    output:
        "{name}.txt",
    shell:
        "echo {wildcards.name} > {output}"
SNAKEFILE
bin/snakemake -c 1 -n --config clean=True > log 2>&1
grep -q "output: clean.txt" log
if bin/snakemake -c 1 -n --config clean=False > log 2>&1; then echo "False has a case now"; exit 1; fi
grep "unhashable type" log | head -n 1
bin/python - <<'PYTHON'
from snakemake.ioutils.branch import branch

cases = {True: "yes", False: "no", "": "empty"}
seen = {}
for value in (True, False, 0, ""):
    for kind, condition in ("value", value), ("function", lambda wildcards, value=value: value):
        try:
            found = branch(condition, cases=cases)
            seen[value, kind] = found(None) if callable(found) else found
        except TypeError as error:
            seen[value, kind] = str(error)
    print(repr(value), seen[value, "value"], "|", seen[value, "function"])
assert seen[True, "value"] == seen[True, "function"] == "yes"
assert all("unhashable" in found for (value, _), found in seen.items() if not value)
PYTHON
