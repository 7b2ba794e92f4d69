#!/usr/bin/env bash
# snakemake --list-changes params names every output of the workflow although nothing has changed.
# Topic: workflow
# Packages: snakemake==9.27.1, snakemake==9.13.7
# Behaviour: after a finished run, 9.13.7 lists nothing, and the outputs of one rule after its params changed. 9.27.1 lists all
#   outputs in both cases, those of rules without params too. A dry run of 9.27.1 says "Nothing to be done", and
#   --list-changes code and input are empty as before.
# Why a good guess is wrong: the option and the trigger answer one question, and the trigger is right; a list that is
#   too long looks like many changes.
# Who meets it: the recipe of the documentation, snakemake -R $(snakemake --list-changes params), and scripts made of it:
#   everything is computed again.
# Source: snakemake/persistence, params_changed: the result names the files that were compared, and is false if they are
#   alike; snakemake/dag.py, get_outputs_with_changes lists the names without asking.
# Remedy: the reasons of a dry run.
# Seen: 9.13.7: nothing, then a; 9.27.1: a b c, then a b c.
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
export XDG_CACHE_HOME="$folder"
cat > Snakefile <<'SNAKEFILE'
rule all:
    input: "a", "b", "c"
rule a:
    output: "a"
    params: config.get("rate", 1)
    shell: "echo {params} > {output}"
rule b:
    output: "b"
    shell: "echo > {output}"
rule c:
    input: "b"
    output: "c"
    params: 5
    shell: "echo {params} > {output}"
SNAKEFILE
for version in 9.13.7 9.27.1; do
    python3 -m venv --without-pip "$version"
    python3 -m pip --python "$version/bin/python" install -q "snakemake==$version"
    run() { "$version/bin/python" -m snakemake "$@" 2> said; }
    run --cores 1 --forceall --quiet all
    before=$(run --list-changes params | sort | xargs)
    after=$(run --list-changes params --config rate=2 | sort | xargs)
    code=$(run --list-changes code | xargs)
    run -n --cores 1 > plan
    cat said plan | grep -q "Nothing to be done"
    echo "$version: nothing changed: '$before', rate changed: '$after', code: '$code'"
    test -z "$code"
    if [ "$version" = 9.13.7 ]; then test "$before,$after" = ",a"; else test "$before,$after" = "a b c,a b c"; fi
done
