#!/usr/bin/env bash
# Two jobs of a Snakemake group that each ask for one node ask Slurm for two nodes, and four times the memory.
# Topic: cluster
# Packages: snakemake==9.27.1, snakemake-executor-plugin-slurm==2.8.0 (jobstep plugin 0.6.1); Slurm's commands are
#   stand-ins
# Behaviour: two parallel jobs of a group with nodes=1, tasks=1, threads 2 and mem_mb_per_cpu=1000 become one
#   request: --nodes=2 --ntasks=2 --cpus-per-task=4 --mem-per-cpu 2000, which is 8 cores and 16,000 MB. They need 4
#   cores and 4,000 MB. The one command of the job runs both on the first node.
# Why a good guess is wrong: the resources of parallel jobs are added, as documented; from this one expects 4
#   cores and 4 GB. But what is counted for a node, a task or a core is added like any number, beside threads, which
#   are added as well.
# Who meets it: groups (--groups, group:) under a profile that sets nodes: 1 or mem_mb_per_cpu as default
#   resources: jobs wait for nodes that stay idle, or are refused in partitions of one node.
# Source: snakemake/resources, `GroupResources` (adds every integer but runtime); `get_submit_command` of the
#   plugin.
# Remedy: leave nodes and tasks to Slurm in rules of a group, and use mem_mb.
# Seen: --mem-per-cpu 2000 --nodes=2 --ntasks=2 --cpus-per-task=4
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
rule all:
    input: "a", "b"
    localrule: True
rule join:
    input: "a.part", "b.part"
    output: "a", "b"
    group: "g"
    threads: 1
    resources: nodes=1, tasks=1, mem_mb_per_cpu=1000
    shell: "touch {output}"
rule part:
    output: "{name}.part"
    group: "g"
    threads: 2
    resources: nodes=1, tasks=1, mem_mb_per_cpu=1000
    shell: "touch {output}"
SMK
submit --cores 64
seen=$(grep -oE -e '--mem-per-cpu [0-9]+|--nodes=[0-9]+|--ntasks=[0-9]+|--cpus-per-task=[0-9]+' requests | xargs)
echo "$seen"
[ "$seen" = "--mem-per-cpu 2000 --nodes=2 --ntasks=2 --cpus-per-task=4" ]
