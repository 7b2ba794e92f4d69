#!/usr/bin/env bash
# Snakemake on Slurm asks sacct although --slurm-status-command says squeue, if MinJobAge is below 120 seconds.
# Topic: cluster
# Packages: snakemake==9.27.1, snakemake-executor-plugin-slurm==2.8.0 (jobstep plugin 0.6.1); Slurm's commands are
#   stand-ins
# Behaviour: the executor compares MinJobAge of slurm.conf with three times
#   --slurm-init-seconds-before-status-checks (40). Below it, or if scontrol does not tell, every look at the jobs
#   goes to sacct as long as there is a program of that name; squeue is never called. A smaller number of seconds to
#   the first look lets squeue be asked. (Here MinJobAge is 5, and the number 2 and 1.)
# Why a good guess is wrong: a status command that was chosen by hand is expected to be used; it is chosen where
#   sacct does not work, for lack of accounting, and the program is there all the same. There it never tells of an
#   end.
# Who meets it: clusters without accounting whose administrators keep finished jobs for a short time.
# Source: `check_active_jobs` of the plugin.
# Remedy: a smaller --slurm-init-seconds-before-status-checks, below a third of MinJobAge.
# Seen: MinJobAge 5; 2 seconds: sacct 1, squeue 0; 1 seconds: sacct 0, squeue 1
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile snakemake==9.27.1 snakemake-executor-plugin-slurm==2.8.0
# Slurm's commands are stand-ins.
mkdir slurm
printf '#!/bin/sh\necho "MinJobAge = 5 sec"\n' > slurm/scontrol
printf '#!/bin/sh\nexit 0\n' | tee slurm/sinfo slurm/sacctmgr slurm/scancel > /dev/null

printf '#!/bin/sh\necho > a\necho 7\n' > slurm/sbatch
printf '#!/bin/sh\ncase "$*" in *JobIdRaw*) echo >> sacct; echo "7|COMPLETED" ;; esac\n' > slurm/sacct
printf '#!/bin/sh\necho >> squeue\necho "7|COMPLETED"\n' > slurm/squeue
chmod +x slurm/*
export PATH="$folder/slurm:$folder/bin:$PATH"
cat > Snakefile <<'SMK'
rule work:
    output: "a"
    resources: mem_mb=100, runtime=1
    shell: "echo > {output}"
SMK
for seconds in 2 1; do
  rm -f a sacct squeue && touch sacct squeue
  timeout -s INT 100 snakemake --executor slurm --jobs 1 --cores 1 --workflow-profile none \
    --slurm-status-command squeue --slurm-init-seconds-before-status-checks $seconds > said 2>&1
  echo "$seconds seconds: sacct $(wc -l < sacct), squeue $(wc -l < squeue)" | tee -a seen
done
[ "$(cat seen)" = "2 seconds: sacct 1, squeue 0
1 seconds: sacct 0, squeue 1" ]
