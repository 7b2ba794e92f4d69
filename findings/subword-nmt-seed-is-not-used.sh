#!/usr/bin/env bash
# subword-nmt apply-bpe takes --seed and --num-workers, and uses neither: dropout gives other cuts in each run.
# Topic: text
# Packages: subword-nmt==0.3.8
# Behaviour: `subword-nmt apply-bpe --dropout 0.5 --seed 7` gives another text each time. `python -m
#   subword_nmt.apply_bpe` with the same options repeats a run with one worker; with --num-workers 2 it does not,
#   as Python seeds the generator of each worker anew.
# Why a good guess is wrong: both options are in the help of the command, which accepts them, and the same file as a
#   module obeys --seed.
# Who meets it: whoever publishes a seed with a training text made by BPE-dropout.
# Source: subword_nmt/subword_nmt.py, branch 'apply-bpe' of `main` (no args.seed, no args.num_workers; apply_bpe.py has
#   both in its `__main__`); random's register_at_fork in Python's random.py for the workers.
# Remedy: python -m subword_nmt.apply_bpe with one worker.
# Seen: two runs with one seed: command differ, module equal, module with two workers differ
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile --no-deps subword-nmt==0.3.8 tqdm==4.67.1 mock==5.2.0
for number in $(seq 200); do echo "low lower lowest new newer newest wide wider widest"; done > text
bin/subword-nmt learn-bpe -s 40 < text > codes 2> log
twice() {
    for run in 1 2; do "$@" --dropout 0.5 --seed 7 -c codes -i text -o "out$run" 2>> log; done
    if cmp -s out1 out2; then echo equal; else echo differ; fi
}
command=$(twice bin/subword-nmt apply-bpe)
one=$(twice bin/python -m subword_nmt.apply_bpe)
two=$(twice bin/python -m subword_nmt.apply_bpe --num-workers 2)
echo "two runs with one seed: command $command, module $one, module with two workers $two"
test "$command $one $two" = "differ equal differ"
