"""Refuse results that were trained when settings and records had other names."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from deepmt.config.spec import RENAMED


def refuse_earlier_results(runs: Path) -> None:
    """Check that the specs and records in a folder of runs use today's names.

    Snakemake would train runs with other names again without a word.

    Raises:
        ValueError: with the file, an old and its new name, and both ways to go on.
    """
    for path, old, new in _renamed(runs):
        raise ValueError(
            f"{path}: {old} is now called {new}, so its run would be trained again. Move {runs}"
            " away to train all runs again, or check out the version that trained them to go on"
            " with its results."
        )


def _renamed(runs: Path) -> Iterator[tuple[Path, str, str]]:
    """Yield file, old name and new name of everything that was renamed."""
    for path in sorted(runs.glob("*/spec.json")):
        for section, settings in _read(path).items():
            for key in (f"{section}.{name}" for name in settings):
                if key in RENAMED:
                    yield path, key, RENAMED[key]
    for path in sorted(runs.glob("*/seed*/record.json")):
        if "encoding" in _read(path).get("data", {}):
            yield path, "data.encoding", "data.dataset"


def _read(path: Path) -> dict[str, Any]:
    """Read a JSON object; a file that is cut short is empty, for Snakemake writes it anew."""
    try:
        return json.loads(path.read_text())
    except ValueError:
        return {}
