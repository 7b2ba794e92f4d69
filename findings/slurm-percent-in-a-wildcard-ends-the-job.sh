#!/usr/bin/env bash
# A wildcard with a percent sign makes a Snakemake job on Slurm fail before it starts, and leaves no log.
# Topic: cluster
# Packages: snakemake==9.27.1, snakemake-executor-plugin-slurm==2.8.0; Slurm's commands are stand-ins
# Behaviour: values of wildcards become the folder of the log: the executor makes rule_work/a%user and asks for
#   --output .../rule_work/a%user/%j.log. There Slurm reads %u as the name of the user and looks for the folder
#   arootser, which does not exist. The job fails with JobLaunchFailure, status FAILED; the log that Snakemake names
#   was never written.
# Why a good guess is wrong: "%" is allowed in file names and wildcards, the same rule runs on one machine, and
#   the executor checks its folder for %j alone.
# Who meets it: shares and settings in file names: 5%noise (%n is the number of the node), top10%seed (%s), 1%test
#   (%t).
# Source: `run_job` and `get_job_wildcards` of the plugin; "filename pattern" of sbatch. Seen in Slurm 22.05.8:
#   StdOut=.../rule_work/aroot/4.log, Reason=JobLaunchFailure.
# Remedy: a number without the sign.
# Seen: folder made: a%user; folder asked for, %u replaced as sbatch does: arootser (with the user root)
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
# This one refuses after it has kept the request.
printf '%s\n' '#!/bin/sh' 'echo "$*" | sed "s/ --wrap=.*//" >> requests; ls .snakemake/slurm_logs/rule_work > made; exit 1' \
  > slurm/sbatch
cat > Snakefile <<'SMK'
rule all:
    input: "a%user.out"
rule work:
    output: "{share}.out"
    shell: "echo > {output:q}"
SMK
! submit --cores 1
asked=$(grep -oE -e '--output [^ ]+' requests | cut -d ' ' -f 2 | tr -d "'" | sed "s/%u/$(id -un)/" | xargs dirname | xargs basename)
made=$(cat made)
echo "folder made: $made; folder asked for, %u replaced as sbatch does: $asked"
[ "$made" = "a%user" ] && [ "$asked" = "a$(id -un)ser" ]
