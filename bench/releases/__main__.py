"""Print what two environments make of one text, and which of their releases differ.

    python -m bench.releases OLD/bin/python NEW/bin/python

It ends with 1 if an output differs, or if an environment has lost one.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHOWN = 200
"""Characters of a line that are shown."""
FREEZE = ("-m", "pip", "--disable-pip-version-check", "freeze", "--exclude-editable")
ALIKE = {"HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}

Outputs = Mapping[str, Sequence[str]]


def main(old: str, new: str) -> int:
    """Print what differs, and return 1 if an output does."""
    for line in differences(releases(old), releases(new)):
        print(line)
    found = [*differences(outputs(old), outputs(new))]
    for line in found:
        print(line)
    return bool(found)


def releases(python: str) -> Outputs:
    """Return the releases of an environment by their names."""
    run = subprocess.run([python, *FREEZE], stdout=subprocess.PIPE, text=True, check=True)
    named = (line.partition("==") for line in run.stdout.splitlines())
    return {name: [release] for name, _, release in named}


def outputs(python: str) -> Outputs:
    """Return what the probes make in an environment."""
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder, "outputs.json")
        command = [python, "-m", "bench.releases.measure", str(written)]
        subprocess.run(
            command, cwd=ROOT, env=os.environ | ALIKE, stdout=subprocess.DEVNULL, check=True
        )
        return dict(json.loads(written.read_text(encoding="utf-8")))


def differences(old: Outputs, new: Outputs) -> Iterator[str]:
    """Say for each output that differs how many lines do, and show the first."""
    for name in sorted({*old, *new}):
        pairs = [*zip_longest(old.get(name, []), new.get(name, []))]
        others = [pair for pair in pairs if pair[0] != pair[1]]
        if others:
            first = " -> ".join("nothing" if one is None else one[:SHOWN] for one in others[0])
            many = f"{len(others)} of {len(pairs)} lines differ: " if len(pairs) > 1 else ""
            yield f"{name}: {many}{first}"


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
