"""What differs between two environments is said before the newer is pinned."""

import json
import shlex
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from bench.releases.__main__ import differences, main
from bench.releases.measure import outputs
from bench.releases.text import scores
from bench.releases.workflow import jobs

CODE = """
import pathlib, sys
if "freeze" in sys.argv:
    print("tool=={version}")
else:
    pathlib.Path(sys.argv[-1]).write_text({outputs!r})
"""


def environment(folder: Path, version: str, outputs: Mapping[str, Sequence[str]]) -> str:
    """Write a Python that has one tool, whose outputs are given."""
    python = folder / version
    code = CODE.format(version=version, outputs=json.dumps(outputs))
    python.write_text(f'#!/bin/sh\nexec {shlex.join([sys.executable, "-c", code])} "$@"\n')
    python.chmod(0o755)
    return str(python)


def test_first_line_that_differs_is_shown() -> None:
    old = {"pieces": ["a", "b", "c"], "score": ["1.0"], "alike": ["x"], "lost": ["y"]}
    new = {"pieces": ["a", "d"], "score": ["1.1"], "alike": ["x"]}
    assert [*differences(old, new)] == [
        "lost: y -> nothing",
        "pieces: 2 of 3 lines differ: b -> d",
        "score: 1.0 -> 1.1",
    ]


@pytest.mark.parametrize(("line", "status"), [("a", 0), ("b", 1)])
def test_status_says_whether_an_output_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, status: int
) -> None:
    old = environment(tmp_path, "1.0", {"pieces": ["a"]})
    new = environment(tmp_path, "1.1", {"pieces": [line]})
    assert main(old, new) == status
    said = capsys.readouterr().out.splitlines()
    assert said == ["tool: 1.0 -> 1.1", *["pieces: a -> b"][:status]]


def test_probe_that_fails_keeps_what_it_found() -> None:
    def probe(de: Sequence[str], folder: Path) -> Iterator[tuple[str, Sequence[object]]]:
        yield "ids", [1, 2]
        raise AttributeError("gone")

    assert dict(outputs(probe, [])) == {
        "ids": ["1", "2"],
        "probe ends": ["AttributeError: gone"],
    }


def test_probe_gives_the_same_twice() -> None:
    text = ["Das ist ein Haus .", "Das sind zwei .", "Der Hund sieht den Mann ."]
    assert [*outputs(scores, text)] == [*outputs(scores, text)]


@pytest.mark.slow
def test_workflow_gives_the_same_in_another_folder() -> None:
    found = [dict(outputs(jobs, [])) for _ in range(2)]
    assert found[0] == found[1], found
    assert "--cpus-per-task=2" in found[0]["snakemake: request to Slurm"]
