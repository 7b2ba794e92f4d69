"""Measured points from the runs of a results folder."""

import json
from pathlib import Path

from deepmt.config.spec import from_json
from deepmt.estimate.fit import Point, settings_of

FEWEST_UPDATES = 50
"""A run that ended sooner tells little of an update."""


def gather(results: Path) -> list[Point]:
    """One point for each seed below results/<scale> that was trained on one processor.

    Raises:
        ValueError: the folder has no outcome of such a run.
    """
    found = []
    for path in sorted(results.glob("runs/*/seed*/outcome.json")):
        outcome = json.loads(path.read_text())
        hardware = outcome["hardware"]
        if hardware["device"] != "cpu" or outcome["updates"] < FEWEST_UPDATES:
            continue
        if "earlier" in hardware:  # its seconds are not those of one machine
            continue
        found.append(
            Point(
                run=path.parts[-3],
                seed=int(path.parts[-2].removeprefix("seed")),
                scale=results.name,
                spec=settings_of(from_json((path.parents[1] / "spec.json").read_text())),
                hardware=hardware["name"],
                threads=hardware["threads"],
                precision=hardware["precision"],
                updates=outcome["updates"],
                seconds=round(outcome["train_seconds"] / outcome["updates"], 5),
                peak_memory_mb=outcome["peak_memory_mb"],
                parameters=outcome["parameters"],
                decode_seconds_per_1000=decoding(path.parent),
            )
        )
    if not found:
        raise ValueError(
            f"{results}: no runs/*/seed*/outcome.json of {FEWEST_UPDATES} updates or more on a"
            " processor: train some first, or name another folder"
        )
    return found


def decoding(folder: Path) -> float | None:
    """Seconds of 1,000 sentences of the test set, if it was translated in one go."""
    path = folder / "decoding.test.json"
    report = json.loads(path.read_text()) if path.exists() else {"resumed_sentences": 1}
    if report["resumed_sentences"]:
        return None
    return round(1000 * report["seconds"] / report["sentences"], 2)
