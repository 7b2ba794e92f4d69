#!/usr/bin/env bash
# snakemake leaves its cluster jobs running on Ctrl-C if --cluster-generic-cancel-cmd has an option: "scancel --quiet".
# Topic: cluster
# Packages: snakemake==9.27.1, snakemake-executor-plugin-cluster-generic==1.0.9; submit and cancel are stand-ins
# Behaviour: the whole text of the cancel command is taken for the name of one program. With an option in it, Ctrl-C ends
#   in FileNotFoundError, no job is cancelled, and snakemake is gone. A command without options is called.
# Why a good guess is wrong: the submit command and the status command are shell lines, with options, quotes and wildcards;
#   the help says of the third one only that it takes job numbers as arguments.
# Who meets it: profiles with cluster-generic-cancel-cmd: scancel --signal=INT, qdel -W force, bkill -r. It shows on the
#   day when somebody wants to stop a hundred jobs, and the traceback hides that they run on.
# Source: snakemake_executor_plugin_cluster_generic/__init__.py, `cancel_jobs`: check_call([cancel_cmd] + ids,
#   shell=False), which guards against SubprocessError alone; submit and status use shell=True.
# Remedy: a script of two lines that calls the command with its options.
# Seen: ./cancel: cancelled 17; ./cancel --quiet: not called, FileNotFoundError
set -euo pipefail
unset PYTHONDONTWRITEBYTECODE # else each start compiles all modules again
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv --without-pip .
python3 -m pip --python bin/python install -q --no-compile snakemake==9.27.1 snakemake-executor-plugin-cluster-generic==1.0.9
printf 'rule a:\n    output: "a.txt"\n    shell: "touch {output}"\n' > Snakefile
printf '#!/bin/sh\necho 17\n' > submit  # a job that waits in the queue
printf '#!/bin/sh\necho "cancelled $*" >> cancelled\n' > cancel
chmod +x submit cancel
bin/python - <<'PYTHON'
import os, signal, subprocess, time

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores Ctrl-C
seen = {}
for command in "./cancel", "./cancel --quiet":
    with open("log", "w") as log:
        run = subprocess.Popen(
            ["bin/snakemake", "-j", "1", "--nolock", "--rerun-incomplete", "--executor", "cluster-generic",
             "--cluster-generic-submit-cmd", "./submit", "--cluster-generic-cancel-cmd", command,
             "--seconds-between-status-checks", "1"], stdout=log, stderr=subprocess.STDOUT)
    for _ in range(600):
        time.sleep(0.2)
        if "Submitted job" in open("log").read():
            break
    time.sleep(1)
    run.send_signal(signal.SIGINT)
    run.wait(timeout=60)
    called = open("cancelled").read().strip() if os.path.exists("cancelled") else "not called"
    seen[command] = called, "FileNotFoundError" in open("log").read()
    print(f"{command}: {called}; FileNotFoundError: {seen[command][1]}")
    if os.path.exists("cancelled"):
        os.remove("cancelled")
assert seen == {"./cancel": ("cancelled 17", False), "./cancel --quiet": ("not called", True)}, seen
PYTHON
