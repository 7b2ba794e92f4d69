"""A machine that lacks what most have does the same work."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from runs import Run, ended
from small_toy import ROW

from projects import checkout, plan


def after(change: str, namespace: str) -> list[str]:
    """The start of a command that runs in a changed namespace; the test is skipped without one."""
    made = ["unshare", "--map-root-user", namespace, "sh", "-c", f'{change} && exec "$@"', "sh"]
    try:
        subprocess.run([*made, "true"], capture_output=True, text=True, check=True)
    except FileNotFoundError:
        pytest.skip("no unshare program")
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no namespace of its own: {error.stderr.strip()}")
    return made


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "namespace"),
    [
        ("hostname nowhere.invalid", "--uts"),
        ("mount -t tmpfs -o size=64k none /dev/shm", "--mount"),
    ],
    ids=["a name without address", "little shared memory"],
)
def test_two_workers_train(change: str, namespace: str, run: Run) -> None:
    status, said = ended(run.train("--workers", 2, within=after(change, namespace)))
    assert (status, run.done) == (0, True), said


def test_the_workflow_says_what_it_found_in_any_locale(tmp_path: Path) -> None:
    root = checkout(tmp_path)
    spec = plan(scale="toy", papers="unified").specs[ROW]
    headline = root / "results/toy/headline.txt"
    headline.parent.mkdir(parents=True)
    headline.write_text("27.0 ± 0.7\n", encoding="utf-8")
    os.utime(headline, (time.time() + 30,) * 2)  # as if this run had written it
    ascii_ = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    target = f"results/toy/runs/{spec.run}/spec.json"
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "1", target],
        cwd=root,
        env=os.environ | ascii_,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    assert rb"27.0 \xb1 0.7" b"\nOpen results/toy/report.html\n" in done.stderr
