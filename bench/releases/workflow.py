"""Probe what the installed Snakemake plans, runs and asks of Slurm."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.releases.text import Lines

WORKFLOW = """
rule make_one:
    output: "out/a.txt"
    params: rate=config.get("rate", 1), seeds=config.get("seeds")
    threads: 2
    resources: mem_mb=500, runtime="90s", gpu=1
    shell: "echo {params.rate} {params.seeds} > {output}"
"""
PROFILE = """
cores: 2
config: {rate: 2, seeds: [1, 2]}
set-resources: {make_one: {mem_mb: 700}}
"""
CALLS = {
    "first run": "--cores 2",
    "dry run after it": "-n --cores 2",
    "other params": "-n --cores 2 --config rate=3",
    "touch": "--touch --cores 2 --config rate=3",
    "after touch": "-n --cores 2 --config rate=3",
    "profile": "-n --workflow-profile profile -p",
    "lint": "--lint",
    "slurm": "-F --executor slurm --jobs 1 --slurm-init-seconds-before-status-checks 1"
    " --default-resources slurm_account=a slurm_partition=a",
}
COMMANDS = dict.fromkeys(("sacctmgr", "sinfo", "squeue", "sacct", "scontrol"), "echo a")
COMMANDS["sbatch"] = 'printf "%s\\n" "$@" > "${0%/*}/request"; exit 1'
OPTION = re.compile(r"^-.*(?:\n[^-].*)?", re.MULTILINE)
PATHS = ("--job-name", "--output", "--wrap", "-D")
"""Options to sbatch that differ from one run to the next."""
TOLD = re.compile(r"Nothing to be done|(?:(?:reason|resources|threads|Shell command):|  \* ).*")
"""What Snakemake says of a workflow that each run says alike."""


def jobs(de: Sequence[str], folder: Path) -> Iterator[tuple[str, Lines]]:
    """Run and plan a small workflow; what stands in for Slurm keeps the request."""
    (folder / "profile").mkdir()
    (folder / "profile/config.yaml").write_text(PROFILE)
    (folder / "Snakefile").write_text(WORKFLOW)
    for name, does in COMMANDS.items():
        (folder / name).write_text(f"#!/bin/sh\n{does}\n")
        (folder / name).chmod(0o755)
    known = {"USER": "a", "XDG_CACHE_HOME": str(folder), "PYTHONHASHSEED": "0"}
    known["PATH"] = f"{folder}:{os.environ['PATH']}"
    for name, options in CALLS.items():
        command = [
            os.path.abspath(sys.executable),
            "-m",
            "snakemake",
            "--nocolor",
            *options.split(),
        ]
        run = subprocess.run(command, cwd=folder, env=os.environ | known, capture_output=True)
        said = (run.stdout + run.stderr).decode().replace(str(folder), "")
        yield f"snakemake: {name}", [f"exit {run.returncode}", *TOLD.findall(said)]
    request = (folder / "request").read_text()
    asked = (option.replace("\n", " ") for option in OPTION.findall(request))
    yield "snakemake: request to Slurm", (word for word in asked if not word.startswith(PATHS))
