#!/usr/bin/env bash
# With sacct, all tasks of a Snakemake array job on Slurm get the status of one task: a finished one counts as failed.
# Topic: cluster
# Packages: snakemake==9.27.1, snakemake-executor-plugin-slurm==2.8.0 (jobstep plugin 0.6.1); Slurm's commands are
#   stand-ins
# Behaviour: task 1 of array 7 has completed and task 2 has failed. sacct names them by their own numbers, 8 and
#   7, since the last task keeps that of the array. The executor looks for 7_1 and 7_2, finds neither, and takes the
#   status of 7 for both: the first job counts as failed, too, and its finished output is deleted. If the last task
#   were the first to complete, the others would count as finished while they run.
# Why a good guess is wrong: JobIDRaw is the right column for jobs that are no array, and squeue, the other status
#   command, prints 7_1 and 7_2. The fallback to 7 is there on purpose, for an sacct that reports whole arrays.
# Who meets it: --slurm-array-jobs on any cluster with accounting, where sacct is the default.
# Source: `query_job_status_sacct` (JobIdRaw) and `_status_lookup_ids` of the plugin; snakemake/snakemake pull
#   request 2036 shows 1043074_91 with JobIDRaw 1043166; the raw numbers of a small array were seen in Slurm
#   22.05.8.
# Remedy: --slurm-status-command squeue, where MinJobAge is 120 s or more.
# Seen: sacct: jobs in error 2, finished files kept 0; squeue: jobs in error 1, finished files kept 1
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

printf '#!/bin/sh\necho done | tee a b > said.out\necho 7\n' > slurm/sbatch
cat > slurm/sacct <<'STANDIN'
#!/bin/sh
case "$*" in *JobIdRaw*) printf '8|COMPLETED\n7|FAILED\n' ;; esac
STANDIN
printf '#!/bin/sh\nprintf "7_1|COMPLETED\\n7_2|FAILED\\n"\n' > slurm/squeue
chmod +x slurm/*
export PATH="$folder/slurm:$folder/bin:$PATH"
cat > Snakefile <<'SMK'
rule all:
    input: "a", "b"
rule work:
    output: "{name}"
    resources: mem_mb=100, runtime=1
    shell: "echo > {output}"
SMK
for command in sacct squeue; do
  ! timeout -s INT 100 snakemake --executor slurm --jobs 9 --cores 4 --slurm-array-jobs all --workflow-profile none \
    --keep-going --slurm-status-command $command --slurm-init-seconds-before-status-checks 1 > said 2>&1
  errors=$(grep -c '^Error in rule work' said) kept=$(find . -maxdepth 1 -name "[ab]" | wc -l)
  echo "$command: jobs in error $errors, finished files kept $kept" | tee -a seen
done
[ "$(cat seen)" = "sacct: jobs in error 2, finished files kept 0
squeue: jobs in error 1, finished files kept 1" ]
