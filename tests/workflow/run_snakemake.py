"""Run Snakemake in forks of a process that has imported it: half of a dry run's time is imports."""

import gc
import json
import multiprocessing
import os
import re
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

ROOT = Path(__file__).parents[2]
SNAKEMAKE = Path(sys.executable).absolute().with_name("snakemake")
SERVER = multiprocessing.get_context("forkserver")
RULES = "".join(path.read_text() for path in (ROOT / "rules").glob("*.smk"))
OURS = re.findall(r"^from (deepmt\S+)", RULES, re.MULTILINE)
SERVER.set_forkserver_preload(["snakemake.cli", "snakemake.api", "pandas", *OURS])


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


def snakemake(*flags: str) -> CompletedProcess[str]:
    """Run it in the project itself."""
    return run_snakemake(ROOT, "--cores", "2", "--nolock", *flags)


@cache
def planned(*flags: str, root: Path = ROOT) -> list[dict[str, Any]]:
    """The jobs that a fresh run would do, in order, as `_tell_jobs` prints them."""
    flags = ("-n", "--cores", "8", "--nolock", "--forceall", *flags)
    found = run_snakemake(root, *flags, before=_tell_jobs)
    assert found.returncode == 0, found.stderr
    lines = [line for line in found.stdout.splitlines() if line.startswith('{"rule": ')]
    return [json.loads(line) for line in lines]


def jobs_of(said: str) -> dict[str, int]:
    """The number of jobs of each rule, as Snakemake prints them."""
    found = re.findall(r"^(\w+) +(\d+) *$", said, re.MULTILINE)
    return {rule: int(count) for rule, count in found if rule != "total"}


def _tell_jobs() -> None:
    """Make Snakemake print every job that it plans as a line of JSON, with what it compares."""
    from snakemake.jobs import Job

    def tell(job: Any, *_: object, **__: object) -> None:
        asked = {**job.resources, **job.wildcards_dict, "threads": job.threads}
        compared = {"input": [*map(str, job.input)], "params": [*job.non_derived_params]}
        print(json.dumps({"rule": job.rule.name, "shell": job.shellcmd, **compared, **asked}))

    Job.log_info = tell


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
    if (folder / "workflow_scripts").resolve() != ROOT / "workflow_scripts":
        for name in [name for name in sys.modules if name.partition(".")[0] == "deepmt"]:
            del sys.modules[name]  # it has its own
    gc.freeze()  # what is imported stays
    before()
    from snakemake.cli import main

    main()
