"""Run a program of others on texts."""

import os
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from deepmt.base.errors import UserError
from deepmt.data.lines import write_lines


def run_on(
    texts: Mapping[str, Iterable[str]], command: list[str], *, file: Path, **environment: str
) -> str:
    """Return what a command prints that finds the texts as files of these names.

    Raises:
        FileNotFoundError: the program is missing.
        ValueError: it fails; names `file`, which the user gave, and quotes the program.
    """
    with tempfile.TemporaryDirectory() as folder:
        for name, lines in texts.items():
            write_lines(Path(folder, name), lines)
        env = os.environ | environment
        run = subprocess.run(
            command, cwd=folder, env=env, capture_output=True, text=True, check=False
        )
    if run.returncode:
        message = (run.stderr or run.stdout)[-300:].strip()
        raise UserError(f"{file} failed with exit status {run.returncode}: {message}")
    return run.stdout
