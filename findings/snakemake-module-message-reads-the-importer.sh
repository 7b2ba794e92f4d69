#!/usr/bin/env bash
# A message of a rule that was imported by module shows the variables of the importing Snakefile, or is a NameError.
# Topic: workflow
# Packages: snakemake==9.27.1
# Behaviour: message: "... {NAME}" and shell: "... {NAME}" of one rule are formatted with two sets of variables:
#   the command with those of the Snakefile that holds the rule, the message with those of the one that imports it.
#   If both have the name, the message tells the other's value; if the importer has none, Snakemake ends before the
#   job starts.
# Why a good guess is wrong: module gives a workflow a namespace of its own, and command and params keep to it.
#   Without import both agree, and as long as no job of the rule has to run, an import looks fine.
# Who meets it: workflows that are published to be imported (module, snakedeploy) and tested by themselves.
# Source: snakemake/jobs, `Job.format_wildcards`, and snakemake/rules (variables of the workflow that runs).
# Remedy: messages with {params.name} or {wildcards.name} alone.
# Seen: importer without NAME: NameError; with it: message outer, command inner
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile snakemake==9.27.1
mkdir inner
cat > inner/Snakefile <<'SMK'
NAME = "inner"
rule work:
    output: "told"
    message: "message {NAME}"
    shell: "printf {NAME} > {output}"
SMK
printf 'module inner:\n    snakefile: "inner/Snakefile"\nuse rule * from inner\n' > without
(echo 'NAME = "outer"'; cat without) > with
! bin/snakemake --cores 1 --workflow-profile none -s without > said 2>&1
error=$(grep -o "NameError: The name 'NAME' is unknown" said)
bin/snakemake --cores 1 --workflow-profile none -s with > said 2>&1
echo "importer without NAME: $error; with it: $(grep -o 'message .*' said), command $(cat told)"
[ "$(grep -o 'message .*' said), $(cat told)" = "message outer, inner" ]
