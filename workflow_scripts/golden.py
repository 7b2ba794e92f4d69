"""Write golden values of every method of papers/unified.yaml."""

import json
from pathlib import Path

from deepmt.cli import run
from deepmt.config.papers import load
from deepmt.files import write_text
from deepmt.metrics.golden import SIZES, golden
from deepmt.metrics.untrained_specs import methods, small


def main(*, output: Path = Path("docs/golden"), root: Path = Path()) -> None:
    """Write <method>.json for each deep system."""
    for name, method in methods(load(root / "papers/unified.yaml")).items():
        values = golden(small(method, SIZES))
        lines = (f"{json.dumps(key)}: {json.dumps(value)}" for key, value in values.items())
        write_text(output / f"{name}.json", "{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    run(main)
