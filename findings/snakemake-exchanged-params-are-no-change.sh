#!/usr/bin/env bash
# snakemake runs nothing again if two params of a rule, or two input files, are exchanged: 6-12 layers stay 12-6.
# Topic: workflow
# Packages: snakemake==9.27.1
# Behaviour: params: encoder=12, decoder=6 becomes encoder=6, decoder=12 after the job has run. snakemake says "Nothing
#   to be done", and the output stays that of the old values. The same holds for input: source="text.de",
#   target="text.en" with the two files exchanged. Any new value is seen: encoder=6, decoder=11 runs again.
# Why a good guess is wrong: params and input are among the triggers that are on by default, and the help says that
#   these guarantee results consistent with code and configuration. Both values have changed, and so has the command.
# Who meets it: layers of encoder and decoder, rates of two dropouts, pairs of switches (tied=True, prenorm=False),
#   a direction turned around. The configuration says 6-12, and the scores are those of 12-6.
# Source: snakemake/persistence/__init__.py, `_params` and `_input`: the values are kept and compared as a sorted list
#   without their names; `_code` is the command before any value is put in.
# Remedy: names and values in one parameter (sizes={"encoder": 12, "decoder": 6}), or --forcerun.
# Seen: encoder 6, decoder 12, de-en: nothing, model 12-6 ein Haus a house
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT; cd "$folder"; python3 -m venv --without-pip .
export XDG_CACHE_HOME="$folder"
python3 -m pip --python bin/python install -q --no-compile snakemake==9.27.1 2> /dev/null
echo "ein Haus" > text.de
echo "a house" > text.en
run() {
    cat > Snakefile << SNAKE
rule train:
    input: source="text.$3", target="text.$4"
    output: "model"
    params: encoder=$1, decoder=$2
    shell: "echo {params.encoder}-{params.decoder} \$(cat {input.source} {input.target}) > {output}"
SNAKE
    bin/snakemake --cores 1 2> log || { cat log; exit 1; }
    result="$(cat model)"
    if grep -q 'Nothing to be done' log; then done=nothing; else done=run; fi
    echo "encoder $1, decoder $2, $3-$4: $done, model $result"
}
run 12 6 de en; [[ $done == run ]]
run 6 12 de en; [[ $done == nothing && $result == "12-6 ein Haus a house" ]]
run 12 6 en de; [[ $done == nothing && $result == "12-6 ein Haus a house" ]]
run 6 11 en de; [[ $done == run && $result == "6-11 a house ein Haus" ]]
