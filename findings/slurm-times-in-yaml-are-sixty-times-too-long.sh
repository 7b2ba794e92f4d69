#!/usr/bin/env bash
# runtime: 2:00:00 in a Snakemake profile, or max_runtime: 2:00:00 in a partition file for Slurm, is five days.
# Topic: cluster
# Packages: snakemake==9.27.1, snakemake-executor-plugin-slurm==2.8.0
# Behaviour: YAML 1.1 reads 2:00:00 without quotes as a number to the base 60, 7200; both readers take a number
#   for minutes. Nothing is said. 1:30 is 90 minutes, as if it were hours, and 00:30:00 in a profile is an error,
#   since a leading zero makes it text. In quotes, the partition file takes "90:00", for Slurm 90 minutes, for 90
#   hours.
# Why a good guess is wrong: sbatch -t, sinfo and scontrol write times in just this form; a form that a program
#   does not know is expected to be refused, as "2:00:00" in a Snakefile is.
# Who meets it: profiles for clusters: jobs of two hours wait in the queue of those of five days, or are refused;
#   jobs too long for a short partition are sent to it.
# Source: PyYAML (implicit resolver of int); snakemake/resources, `Resource` of an int; `parse_time_to_minutes`
#   and `read_partition_file` of the plugin.
# Remedy: minutes as a plain number, or 2h.
# Seen: profile: 2:00:00 runtime=7200, 1:30 runtime=90, 2h runtime=120; partition: 2:00:00 7200, "90:00" 5400
#   minutes
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile snakemake==9.27.1 snakemake-executor-plugin-slurm==2.8.0
mkdir profile
printf 'rule work:\n    output: "done"\n    shell: "echo > {output}"\n' > Snakefile
for time in 2:00:00 1:30 2h; do
  printf 'set-resources:\n  work:\n    runtime: %s\n' $time > profile/config.yaml
  bin/snakemake -n --cores 1 --profile profile --workflow-profile none > said 2>&1
  echo "$time $(grep -oE -m 1 'runtime=[0-9]+' said)"
done | tee seen
printf 'partitions:\n  short: {max_runtime: 2:00:00}\n  clock: {max_runtime: "90:00"}\n' > partitions.yaml
bin/python -c 'from pathlib import Path
from snakemake_executor_plugin_slurm.partitions import read_partition_file
print(*(found.limits.max_runtime for found in read_partition_file(Path("partitions.yaml"))))' | tee -a seen
[ "$(tr '\n' ' ' < seen)" = "2:00:00 runtime=7200 1:30 runtime=90 2h runtime=120 7200 5400 " ]
