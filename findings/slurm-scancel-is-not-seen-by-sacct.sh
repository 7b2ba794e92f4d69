#!/usr/bin/env bash
# Snakemake on Slurm does not see that a job was cancelled with scancel if it asks sacct.
# Topic: cluster
# Packages: snakemake==9.27.1, snakemake-executor-plugin-slurm==2.8.0 (jobstep plugin 0.6.1); Slurm's commands are
#   stand-ins
# Behaviour: sacct calls such a job "CANCELLED by 1000", with the number of the user. The executor compares the
#   whole text with CANCELLED and takes anything that it does not know for "still running". Here sacct says so once,
#   and FAILED the next time, as no real one would: only then does Snakemake end.
# Why a good guess is wrong: CANCELLED is in the list of states that fail, squeue prints exactly this word, and
#   older releases of the plugin cut the text at the first space.
# Who meets it: whoever cancels one job of a long workflow, or whose administrator does: the workflow waits for
#   it, with sacct the default.
# Source: `query_job_status` of the plugin (row[1].strip()); the man page of sacct, field State;
#   snakemake-executor-plugin-slurm 0.x, `job_stati` (split at the first space).
# Remedy: --slurm-status-command squeue, where MinJobAge is 120 s or more.
# Seen: sacct said CANCELLED by 1000 1 times; Snakemake reported: SLURM status is: FAILED
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile snakemake==9.27.1 snakemake-executor-plugin-slurm==2.8.0
# Slurm's commands are stand-ins.
mkdir slurm
printf '#!/bin/sh\necho "MinJobAge = 300 sec"\n' > slurm/scontrol
printf '#!/bin/sh\nexit 0\n' | tee slurm/sinfo slurm/sacctmgr slurm/scancel > /dev/null

printf '#!/bin/sh\necho 7\n' > slurm/sbatch
cat > slurm/sacct <<'STANDIN'
#!/bin/sh
case "$*" in *JobIdRaw*) echo >> asked ;; *) exit 0 ;; esac
if [ "$(wc -l < asked)" -le 1 ]; then echo "7|CANCELLED by 1000" | tee -a told; else echo "7|FAILED"; fi
STANDIN
printf '#!/bin/sh\nexit 1\n' > slurm/squeue
chmod +x slurm/*
export PATH="$folder/slurm:$folder/bin:$PATH"
cat > Snakefile <<'SMK'
rule work:
    output: "a"
    resources: mem_mb=100, runtime=1
    shell: "sleep 100"
SMK
! timeout -s INT 150 snakemake --executor slurm --jobs 1 --cores 1 --workflow-profile none \
  --slurm-status-command sacct --slurm-init-seconds-before-status-checks 1 > said 2>&1
reported=$(grep -o "SLURM status is: '[^']*'" said)
echo "sacct said CANCELLED by 1000 $(wc -l < told) times; Snakemake reported: $reported"
[ "$(wc -l < told), $reported" = "1, SLURM status is: 'FAILED'" ]
