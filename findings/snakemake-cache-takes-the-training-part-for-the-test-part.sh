#!/usr/bin/env bash
# snakemake --cache puts the training set in place of dev and test set, if one rule wrote all three.
# Topic: workflow
# Packages: snakemake==9.27.1
# Behaviour: a rule writes parts/train, parts/dev and parts/test. A rule with cache: True makes cut/{part} of
#   parts/{part} by a command that reads {input} and nothing else. The first of the three jobs is run; for the others
#   snakemake links its output from the cache, in the same run, too. The key has the rule that made the input, and
#   not which of its files this is; contents are looked at only for files that no rule makes.
# Why a good guess is wrong: the documentation forbids wildcards, config and other variables in a cached command,
#   because the key lacks them, and excepts input files by name. It asks that the cached rule has one output; of the
#   rules before it nothing is said. Without --cache the three files differ.
# Who meets it: splits of a corpus and the two sides of an unpacked or filtered one, with a cached step of
#   tokenising, subwords or binarising behind it. A test set that was trained on gives splendid scores.
# Source: snakemake/caching/hash.py, `ProvenanceHashMap._get_provenance_hash`: input of other jobs is left out, and
#   the jobs themselves are hashed once each.
# Remedy: the part as a parameter of the cached rule: params: part=lambda wildcards: wildcards.part
# Seen: without: cut-train cut-dev cut-test; with --cache: cut-train cut-train cut-train
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
export XDG_CACHE_HOME="$folder"
python3 -m pip --python bin/python install -q --no-compile snakemake==9.27.1 2> /dev/null
printf '%s\n' train dev test > corpus
cat > Snakefile << 'SNAKE'
rule split:
    input: "corpus"
    output: "parts/train", "parts/dev", "parts/test"
    shell: "for part in train dev test; do grep $part {input} > parts/$part; done"

rule cut:
    input: "parts/{part}"
    output: "cut/{part}"
    #params: part=lambda wildcards: wildcards.part
    cache: True
    shell: "sed 's/^/cut-/' {input} > {output}"
SNAKE
mkdir cache
run() {
    SNAKEMAKE_OUTPUT_CACHE=$folder/cache bin/snakemake --cores 1 "$@" > log 2>&1 || { cat log; exit 1; }
}
show() { cat cut/train cut/dev cut/test | tr '\n' ' '; rm -rf cut; }
run cut/train cut/dev cut/test
plain=$(show)
run --cache -- cut/train
run --cache -- cut/dev cut/test
cached=$(show)
sed -i 's/#params/params/' Snakefile
run --cache -- cut/train cut/dev cut/test
echo "without: $plain; with --cache: $cached; with the part in params: $(cat cut/train cut/dev cut/test | tr '\n' ' ')"
[[ $plain == "cut-train cut-dev cut-test " && $cached == "cut-train cut-train cut-train " && $(show) == "$plain" ]]
