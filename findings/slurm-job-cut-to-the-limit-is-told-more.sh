#!/usr/bin/env bash
# A Slurm job whose memory was cut to --resources mem_mb is told the uncut memory.
# Topic: cluster
# Packages: snakemake==9.27.1, snakemake-executor-plugin-slurm==2.8.0 (jobstep plugin 0.6.1); Slurm's commands are
#   stand-ins
# Behaviour: with --resources mem_mb=20000 a job that wants 40,000 MB is submitted with --mem 20000. The Snakemake
#   inside the job is started without --resources and evaluates the rule anew: {resources.mem_mb} in the command is
#   40000. On one machine it is 20000.
# Why a good guess is wrong: the plan on the console, the request and a run on one machine all say 20000, and the
#   value of a resource in a command is thought to be what was given.
# Who meets it: commands that take their size from {resources.mem_mb} (java -Xmx, sort -S, --workspace), under a
#   profile that says what a node has: they are killed for memory that Snakemake promised them.
# Source: snakemake/rules (the limit caps values of resources), snakemake/spawn_jobs (no --resources for the inner
#   call).
# Remedy: cap in the rule: mem_mb=lambda w, attempt: min(20000, ...).
# Seen: asked for --mem 20000, told 40000; on one machine told 20000
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
    resources: mem_mb=40000
    shell: "echo {resources.mem_mb} > {output}"
SMK
submit --cores 2 --resources mem_mb=20000
asked=$(grep -o -e '--mem [0-9]*' requests) cluster=$(cat told)
rm told
snakemake --cores 2 --resources mem_mb=20000 --workflow-profile none > said 2>&1
echo "asked for $asked, told $cluster; on one machine told $(cat told)"
[ "$asked, $cluster, $(cat told)" = "--mem 20000, 40000, 20000" ]
