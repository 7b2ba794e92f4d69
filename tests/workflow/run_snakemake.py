"""Run Snakemake in forks of a process that has imported it: half of a dry run's time is imports."""

import multiprocessing
import os
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

SNAKEMAKE = Path(sys.executable).with_name("snakemake")
SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["snakemake.cli", "snakemake.api", "pandas", "pydantic"])


def run_snakemake(
    folder: Path, *flags: str, before: Callable[[], object] = dict
) -> CompletedProcess[str]:
    """Run `snakemake` with these flags in a folder, after a function of a test module."""
    environ = os.environ | {"PATH": f"{SNAKEMAKE.parent}{os.pathsep}{os.environ['PATH']}"}
    command = [str(SNAKEMAKE), *flags]
    with tempfile.TemporaryDirectory() as said:
        files = [Path(said, name) for name in ("stdout", "stderr")]
        process = SERVER.Process(target=_main, args=(folder, command, environ, files, before))
        process.start()
        process.join()
        stdout, stderr = (path.read_text() for path in files)
    assert process.exitcode is not None
    return CompletedProcess(command, process.exitcode, stdout, stderr)


def jobs_of(said: str) -> dict[str, int]:
    """The number of jobs of each rule, as Snakemake prints them."""
    found = re.findall(r"^(\w+) +(\d+) *$", said, re.MULTILINE)
    return {rule: int(count) for rule, count in found if rule != "total"}


def _main(
    folder: Path,
    command: list[str],
    environ: dict[str, str],
    files: list[Path],
    before: Callable[[], object],
) -> None:
    for descriptor, path in enumerate(files, start=1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), descriptor)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environ)
    sys.argv = command
    before()
    from snakemake.cli import main

    main()
