"""A small copy of the project, with results of its own, run here or through the profile."""

import json
import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import small_toy
from cluster import wait
from run_snakemake import SNAKEMAKE

from deepmt.base.files import sha256
from deepmt.study.plan import load_plan
from projects import ROOT

PATIENCE = 900.0
ON_SLURM = ["--profile", "profiles/slurm", "--cores", "4"]
# This cluster has no accounts, and nobody wants to wait 40 seconds for the first look at a job.
ON_SLURM += ["--slurm-no-account", "--slurm-status-command", "squeue"]
ON_SLURM += ["--slurm-init-seconds-before-status-checks", "2"]


@dataclass
class Project:
    """A folder with all that a checkout has; `rows` of the unified table are run."""

    folder: Path
    rows: tuple[str, ...] = ("shallow-post",)
    seeds: tuple[int, ...] = (1,)
    processes: list[subprocess.Popen[str]] = field(default_factory=list)

    def fill(self, *, updates: int, checkpoint_every: int) -> None:
        """Make the project, whose toy scale costs seconds, with more updates."""
        self.folder.mkdir()
        small_toy.make(self.folder)
        (self.folder / "profiles").symlink_to(ROOT / "profiles")
        scale = self.folder / "scales/toy.yaml"
        text = scale.read_text()
        own = {"updates": updates, "warmup": updates // 4, "checkpoint_every": checkpoint_every}
        for name, number in own.items():
            text = re.sub(rf"(training\.{name}:) \d+", rf"\1 {number}", text, count=1)
        scale.write_text(text)

    def copy_to(self, folder: Path) -> "Project":
        """The same files elsewhere, with what Snakemake knows of them."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return Project(folder, self.rows, self.seeds)

    @property
    def config(self) -> dict[str, str]:
        """Return the configuration that requests these rows and seeds."""
        rows = ",".join(f"unified.t1.{row}" for row in self.rows)
        return {"papers": "unified", "rows": rows, "seeds": ",".join(map(str, self.seeds))}

    def files(self, name: str) -> list[str]:
        """Such a file of every seed, as a target."""
        runs = load_plan(self.folder, self.config).runs
        return [f"results/toy/runs/{run}/seed{seed}/{name}" for run in runs for seed in self.seeds]

    def snakemake(self, *flags: str) -> subprocess.Popen[str]:
        """Start Snakemake; what it says goes to a file."""
        config = [f"{key}={value}" for key, value in self.config.items()]
        path = f"{SNAKEMAKE.parent}{os.pathsep}{os.environ['PATH']}"
        with (self.folder / "said").open("w") as said:
            process = subprocess.Popen(
                [str(SNAKEMAKE), *flags, "--config", *config],
                cwd=self.folder,
                env=os.environ | {"PATH": path},
                stdout=said,
                stderr=said,
                text=True,
            )
        self.processes.append(process)
        return process

    def locally(self, *targets: str) -> None:
        """Make targets on this machine."""
        assert self.ended(self.snakemake(*targets, "--cores", "2")) == 0, self.said

    def on_slurm(self, *flags: str) -> subprocess.Popen[str]:
        """Start Snakemake with the profile as it is shipped."""
        return self.snakemake(*flags, *ON_SLURM)

    def ended(self, process: subprocess.Popen[str]) -> int:
        """Wait for a process; its exit status."""
        return process.wait(timeout=PATIENCE)

    @property
    def said(self) -> str:
        return (self.folder / "said").read_text()

    @property
    def run(self) -> Path:
        """The folder of the only seed."""
        (outcome,) = self.files("outcome.json")
        return (self.folder / outcome).parent

    def events(self, kind: str = "") -> list[dict[str, Any]]:
        """Whole lines of the log of the only seed."""
        log = self.run / "log.jsonl"
        lines = log.read_bytes().split(b"\n") if log.exists() else []
        found = [json.loads(line) for line in lines if line.endswith(b"}")]
        return [event for event in found if kind in ("", event["event"])]

    def came(self, kind: str, count: int) -> None:
        """Wait until the log has `count` such events."""
        wait(lambda: len(self.events(kind)) >= count, f"{kind} in {self.run}", PATIENCE)


def results(project: Project) -> dict[str, Any]:
    """Return the checksum of the weights and the record of every seed, without times and hosts."""
    paths = [project.folder / target for target in project.files("record.json")]
    return {
        str(path.relative_to(project.folder)): (
            sha256(path.with_name("model.safetensors")),
            dict(small_toy.leaves(small_toy.read(path))),
        )
        for path in paths
    }


def interrupt(process: subprocess.Popen[str]) -> None:
    """Press Ctrl-C."""
    process.send_signal(signal.SIGINT)
