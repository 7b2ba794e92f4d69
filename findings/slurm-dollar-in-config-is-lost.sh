#!/usr/bin/env bash
# A dollar sign in --config is lost on the way into a Slurm job: the job has another setting than the workflow.
# Topic: cluster
# Packages: snakemake==9.27.1, snakemake-executor-plugin-slurm==2.8.0 (jobstep plugin 0.6.1); Slurm's commands are
#   stand-ins
# Behaviour: with --config 'ends=_[0-9]$x' the workflow and its plan have _[0-9]$x, and so has a job on one
#   machine; a job on Slurm has _[0-9]: the value was put between double quotes for the shell that calls sbatch,
#   where $x is a variable.
# Why a good guess is wrong: Snakemake quotes settings for the jobs that it starts, and does so rightly. The plugin
#   wraps that command once more and escapes double quotes alone.
# Who meets it: regular expressions, prices, LaTeX, passwords and templates as settings.
# Source: `run_job` of the plugin: --wrap="..." with only " escaped, run by a shell.
# Remedy: --slurm-pass-command-as-script, which hands the command over as a file; or a configfile.
# Seen: local: _[0-9]$x; Slurm: _[0-9]; as script: _[0-9]$x
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile snakemake==9.27.1 snakemake-executor-plugin-slurm==2.8.0
# Slurm's commands are stand-ins: sbatch keeps request and job, squeue runs the jobs and tells how they ended.
mkdir slurm
cat > slurm/sbatch <<'STANDIN'
#!/bin/bash
printf '%s\n' "$*" | sed 's/ --wrap=.*//' >> requests
number=$(wc -l < requests)
printf '%s\n' "$@" | sed -n '/^--wrap=/,$p' | sed '1s/^--wrap=//' > job.$number
echo $number
STANDIN
cat > slurm/squeue <<'STANDIN'
#!/bin/bash
for job in job.*; do
  state=state.${job#job.}
  [ -e $state ] || { bash $job > log.${job#job.} 2>&1 && echo COMPLETED > $state || echo FAILED > $state; }
  echo "${job#job.}|$(cat $state)"
done
STANDIN
printf '#!/bin/sh\nwhile [ "${1#-}" != "$1" ]; do shift; done\nexec "$@"\n' > slurm/srun
printf '#!/bin/sh\necho "MinJobAge = 300 sec"\n' > slurm/scontrol
printf '#!/bin/sh\nexit 0\n' | tee slurm/sinfo slurm/sacctmgr slurm/scancel > /dev/null
printf '#!/bin/sh\nexit 1\n' > slurm/sacct
chmod +x slurm/*
export PATH="$folder/slurm:$folder/bin:$PATH"
submit() {
  timeout -s INT 100 snakemake --executor slurm --jobs 9 --slurm-status-command squeue \
    --slurm-init-seconds-before-status-checks 1 --workflow-profile none "$@" > said 2>&1
}
cat > Snakefile <<'SMK'
rule work:
    output: "told"
    shell: "printf '%s' {config[ends]:q} > {output}"
SMK
snakemake --cores 1 --workflow-profile none --config 'ends=_[0-9]$x' > said 2>&1
here=$(cat told); rm told
submit --cores 1 --config 'ends=_[0-9]$x'
there=$(cat told); rm told
sed -i 's/^printf .*sed -n.*/cat > job.$number/' slurm/sbatch  # the command comes by standard input
submit --cores 1 --slurm-pass-command-as-script --config 'ends=_[0-9]$x'
echo "local: $here; Slurm: $there; as script: $(cat told)"
[ "$here|$there|$(cat told)" = '_[0-9]$x|_[0-9]|_[0-9]$x' ]
