"""Fit the constants of processors in hardware.yaml to measured runs."""

import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd

from deepmt.cli import run
from deepmt.config.hardware import Hardware, load_hardware
from deepmt.config.spec import read_spec
from deepmt.estimate.cost import Cost
from deepmt.estimate.counts import counts_of
from deepmt.estimate.fit import constants, features, fit, leave_one_out, search_ratios
from deepmt.estimate.measured_seeds import measured_seeds
from deepmt.files import replacing, write_text

KEY = ["run", "seed", "hardware", "precision"]
"""Columns that identify a point."""
FEWEST_UPDATES = 50
"""Minimum updates of a run to measure the time of an update."""
NEAR = 0.3
"""Relative error of a good prediction."""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Add the outcomes in a results folder to the points, fit, and write the constants."""

    results: Annotated[Path | None, "results/<scale>; without it, fit existing points only"] = None
    points: Path = Path("records/bench/cost.csv")
    output: Path = Path("hardware.yaml")


def main(args: Args) -> None:
    """Fit every processor that has points."""
    points = pd.read_csv(args.points)
    machines = load_hardware(args.output)
    if args.results is not None:
        found = pd.DataFrame(measured(args.results, next(iter(machines.values()))))
        points = pd.concat([points, found]).drop_duplicates(KEY, keep="last").sort_values(KEY)
        with replacing(args.points) as temporary:
            points.to_csv(temporary, index=False)
    for hardware in machines.values():
        own = points[(points.hardware == hardware.name) & points.fitted]
        if hardware.device == "cpu" and len(own):
            found = calibrated(hardware, own)
            write_text(args.output, with_constants(args.output.read_text(), hardware.key, found))


def measured(results: Path, hardware: Hardware) -> Iterator[dict[str, Any]]:
    """Yield a point for each seed below results/<scale> that was trained on a CPU.

    `hardware` is arbitrary: the work of an update and a search is the same on all hardware.
    """
    for seed in measured_seeds(results):
        if seed.hardware["device"] != "cpu" or seed.updates < FEWEST_UPDATES:
            continue
        folder = results / "runs" / seed.run
        spec = read_spec(folder / "spec.json")
        cost = Cost(spec=spec, counts=counts_of(spec, folder / "estimate.json"), hardware=hardware)
        yield {
            "run": seed.run,
            "seed": seed.seed,
            "scale": results.name,
            "hardware": seed.hardware["name"],
            "threads": seed.threads,
            "precision": seed.hardware["precision"],
            "seconds": round(seed.seconds, 5),
            "search_seconds": seed.search_seconds,
            **asdict(cost.update),
            **asdict(cost.search),
            "fitted": True,
            "note": "",
        }


def calibrated(hardware: Hardware, points: pd.DataFrame) -> dict[str, float]:
    """Return the best-fitting constants, and print how well they predict held-out points."""
    known, seconds = features(points), points.seconds.to_numpy()
    errors = leave_one_out(known, seconds)
    shown = points[["run", "threads", "precision", "seconds"]].assign(
        predicted_over_measured=errors
    )
    print(shown.sort_values("predicted_over_measured").to_string(index=False))
    print(
        f"{hardware.key}: {len(points)} points, each predicted by a fit to the others:"
        f" {(abs(errors - 1) <= NEAR).mean():.0%} within {NEAR:.0%},"
        f" median error {np.median(abs(errors - 1)):.0%}"
    )
    found = constants(fit(known, seconds))
    ratios = search_ratios(points, Hardware(**vars(hardware) | found | {"decode": 1.0}))
    return found | {"decode": 1 / float(ratios.median()) if len(ratios) else hardware.decode}


def with_constants(text: str, key: str, found: dict[str, float]) -> str:
    """Return hardware.yaml with these constants of one machine, otherwise unchanged."""
    head, block, tail = re.split(rf"^({key}:\n(?:[ #].*\n|\n)*)", text, maxsplit=1, flags=re.M)
    for name, value in found.items():
        block = re.sub(rf"^  {name}: .*$", f"  {name}: {value:.3g}", block, flags=re.M)
    return head + block + tail


if __name__ == "__main__":
    run(main)
