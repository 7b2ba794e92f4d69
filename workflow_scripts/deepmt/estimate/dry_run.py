"""Ask Snakemake for the remaining jobs by a dry run."""

import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

COUNT = re.compile(r"^(\w+) +(\d+)$", re.MULTILINE)
COMMAND = re.compile(r"^Shell command: .*workflow_scripts/(\w+)\.py(.*)$", re.MULTILINE)
FLAG = re.compile(r" --([\w-]+) (\S+)")


@dataclass(frozen=True, kw_only=True)
class RemainingJobs:
    """Hold the jobs that Snakemake would run: their number by rule, and the flags of scripts."""

    by_rule: Mapping[str, int]
    commands: Sequence[tuple[str, Mapping[str, str]]]

    def flags_of(self, script: str) -> Iterator[Mapping[str, str]]:
        """Yield the flags of every job of a script, e.g. train."""
        return (flags for name, flags in self.commands if name == script)


def remaining_jobs(root: Path, config: Sequence[str]) -> RemainingJobs:
    """Return the jobs that `snakemake -n` prints; `config` has settings such as scale=toy.

    Raises:
        ValueError: Snakemake fails; the error has its output.
    """
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--printshellcmds", "--nolock"]
    command += ["--cores", "1", *(["--config", *config] if config else [])]
    found = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if found.returncode:
        raise ValueError(found.stdout + found.stderr)
    return parse_dry_run(found.stdout)


def parse_dry_run(printed: str) -> RemainingJobs:
    """Parse the output of a dry run."""
    table, _, jobs = printed.partition("\n\n\n")
    by_rule = {rule: int(count) for rule, count in COUNT.findall(table) if rule != "total"}
    commands = [(script, dict(FLAG.findall(rest))) for script, rest in COMMAND.findall(jobs)]
    return RemainingJobs(by_rule=by_rule, commands=commands)
