"""Call the classes of installed toolkits again, and print where they differ from toolkits.yaml."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bench.comparison import ROOT, variables
from deepmt.base.cli import run
from deepmt.report.fragments.conventions import PATH, Toolkits, read_toolkits, text


def main(*, environments: Path = Path(".bench")) -> int:
    """Print a line for each installed toolkit and for each difference; return 1 if there is one."""
    known, differ = read_toolkits(ROOT), 0
    ready = sorted(environments.glob("*/.ready"))
    pythons = [Path(sys.executable), *(one.parent / "bin/python" for one in ready)]
    for found in (line for python in pythons for line in probed(python)):
        name, lines = found["toolkit"], list(differences(known, found))
        print(f"{name} {found['version']}: {'differs from' if lines else 'as in'} {PATH}")
        for line in lines:
            print(f"  {line}")
        differ += len(lines)
    return 1 if differ else 0


def probed(python: Path) -> list[dict[str, Any]]:
    """Return what the toolkits of an environment do."""
    command = [str(python), "-W", "ignore", "-m", "bench.convention_probes"]
    threads = os.cpu_count() or 1
    done = subprocess.run(
        command, env=variables(threads), stdout=subprocess.PIPE, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def differences(known: Toolkits, found: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a toolkit does otherwise than it did."""
    before = known.toolkits[found["toolkit"]]
    if "error" in found:
        yield f"cannot be called as {before.version} can: {found['error']}"
    for key, value in found.get("cells", {}).items():
        if (old := before.values.get(key)) != text(value):
            yield f"{known.conventions[key].column} ({key}): {old} then, {text(value)} now"


if __name__ == "__main__":
    run(main)
