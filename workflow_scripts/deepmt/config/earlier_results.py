"""Refuse results whose settings have names of before November 2026."""

import json
from pathlib import Path

from deepmt.config.spec import RENAMED


def refuse_earlier_results(runs: Path) -> None:
    """Check that every spec.json in a folder of runs names its settings as we do.

    A run is named after its settings, so Snakemake would train those runs again without a word.

    Raises:
        ValueError: with the run, a setting's old and new name, and both ways to go on.
    """
    for path in sorted(runs.glob("*/spec.json")):
        try:
            sections = json.loads(path.read_text())
        except ValueError:
            continue  # not a spec: Snakemake writes it anew
        settings = [f"{section}.{name}" for section, names in sections.items() for name in names]
        for key in settings:
            if key in RENAMED:
                raise ValueError(
                    f"{path}: {key} is now called {RENAMED[key]}, so its run has another name and"
                    f" would be trained again. Move {runs} away to train all runs again, or"
                    " check out the version that trained them to go on with its results."
                )
