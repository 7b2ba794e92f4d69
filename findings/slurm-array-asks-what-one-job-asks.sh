#!/usr/bin/env bash
# An array job of Snakemake on Slurm gives all its tasks the memory, time and cores of one of them.
# Topic: cluster
# Packages: snakemake==9.27.1, snakemake-executor-plugin-slurm==2.8.0 (jobstep plugin 0.6.1); Slurm's commands are
#   stand-ins
# Behaviour: two jobs of one rule, of 1,000 and of 40,000 MB, 10 and 400 minutes, 1 and 40 threads, are submitted
#   as --array=1-2 with the numbers of the job that comes first. If that is the small one, the large one is killed;
#   if it is the large one, every small task waits for 40 cores. Each command is still told its own numbers.
# Why a good guess is wrong: Snakemake computes the resources of each job; one expects one array for each request,
#   or a refusal. Nothing is said; the only warning is about wildcards in a comment.
# Who meets it: --slurm-array-jobs with resources that are functions of input size, wildcards or attempt: retries
#   of jobs killed for memory are cases of it.
# Source: `run_array_jobs` of the plugin: the request is made of jobs[0].
# Remedy: array jobs for rules with constant resources alone.
# Seen: one request for two jobs: -t 400 --mem 40001 --ntasks=1 --cpus-per-task=40 --array=1-2
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
# An array is refused by this stand-in, which has kept the request by then.
printf '%s\n' '#!/bin/sh' 'echo "$*" | sed "s/ --wrap=.*//" >> requests; exit 1' > slurm/sbatch
cat > Snakefile <<'SMK'
SIZE = {"small": 1, "large": 40}
rule all:
    input: expand("{name}", name=SIZE)
rule work:
    output: "{name}"
    threads: lambda wildcards: SIZE[wildcards.name]
    resources:
        mem_mb=lambda wildcards: 1000 * SIZE[wildcards.name],
        runtime=lambda wildcards: 10 * SIZE[wildcards.name],
    shell: "echo {resources.mem_mb} > {output}"
SMK
! submit --cores 64 --slurm-array-jobs all
echo "$(wc -l < requests) request for two jobs:" \
  "$(grep -oE -e '-t [0-9]+|--mem [0-9]+|--ntasks=[0-9]+|--cpus-per-task=[0-9]+|--array=.*' requests | xargs)"
# The plugin adds 1 MB to what an array asks for.
[ "$(wc -l < requests)" = 1 ] && grep -qE -e '(-t 400 --mem 40001|-t 10 --mem 1001) .*--array=1-2' requests
