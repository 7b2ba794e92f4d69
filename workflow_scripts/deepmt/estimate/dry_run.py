"""Which jobs are left, asked of Snakemake."""

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
class JobsLeft:
    """Jobs that Snakemake would run: how many by rule, and the flags of those that run a script."""

    by_rule: Mapping[str, int]
    commands: Sequence[tuple[str, Mapping[str, str]]]

    def of(self, script: str) -> Iterator[Mapping[str, str]]:
        """Yield the flags of every job of a script, e.g. train."""
        return (flags for name, flags in self.commands if name == script)


def jobs_left(root: Path, config: Sequence[str]) -> JobsLeft:
    """Return what `snakemake -n` prints; `config` are words such as scale=toy.

    Raises:
        ValueError: Snakemake stops; its message.
    """
    command = [sys.executable, "-m", "snakemake", "--dry-run", "--printshellcmds", "--nolock"]
    command += ["--cores", "1", *(["--config", *config] if config else [])]
    found = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    if found.returncode:
        raise ValueError(found.stdout + found.stderr)
    return parsed(found.stdout)


def parsed(printed: str) -> JobsLeft:
    """Read the output of a dry run."""
    table, _, jobs = printed.partition("\n\n\n")
    by_rule = {rule: int(count) for rule, count in COUNT.findall(table) if rule != "total"}
    commands = [(script, dict(FLAG.findall(rest))) for script, rest in COMMAND.findall(jobs)]
    return JobsLeft(by_rule=by_rule, commands=commands)
