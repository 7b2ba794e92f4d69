"""Fit the constants of a processor in hardware.yaml to the runs that it was measured with."""

import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from deepmt.cli import parse
from deepmt.config.hardware import Hardware, load_hardware
from deepmt.estimate.estimate import estimate
from deepmt.estimate.fit import Point, Vector, as_lines, constants, fit, held_out, load_points
from deepmt.estimate.gather import gather
from deepmt.files import write_text

WITHIN = 0.3
"""What counts as a good prediction."""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Add the outcomes below a results folder to the points, fit, and write the constants."""

    results: Path | None = field(
        default=None, metadata={"help": "results/<scale>; without it, fit the points alone"}
    )
    points: Path = Path("records/bench/cost.jsonl")
    output: Path = Path("hardware.yaml")


def main(args: Args) -> None:
    """Every processor that has enough points gets its constants anew."""
    points = load_points(args.points) if args.points.exists() else []
    if args.results is not None:
        found = gather(args.results)
        replaced = {point.key for point in found}
        points = [point for point in points if point.key not in replaced] + found
        write_text(args.points, as_lines(points))
    for hardware in load_hardware(args.output).values():
        own = [point for point in points if point.hardware == hardware.name and point.fitted]
        if hardware.device == "cpu" and own:
            calibrate(hardware, own, args.output)


def calibrate(hardware: Hardware, points: list[Point], output: Path) -> None:
    """Fit, show the error of every point when it is left out, and write."""
    features = np.array([point.features for point in points])
    seconds = np.array([point.seconds for point in points])
    errors = held_out(features, seconds)
    show(hardware, points, errors)
    found = constants(fit(features, seconds))
    fitted = Hardware(**vars(hardware) | found | {"decode": 1.0})
    found["decode"] = decode_factor(fitted, points) or hardware.decode
    write_text(output, with_constants(output.read_text(), hardware.key, found))


def decode_factor(hardware: Hardware, points: list[Point]) -> float | None:
    """How much longer decoding takes than its products and calls say: the median run's."""
    factors = [
        point.decode_seconds_per_1000
        / estimate(point.of_spec, hardware, threads=point.threads).decode_seconds_per_1000
        for point in points
        if point.decode_seconds_per_1000 is not None
    ]
    return float(np.median(factors)) if factors else None


def show(hardware: Hardware, points: list[Point], errors: Vector) -> None:
    """A line for each point, then what share of them is predicted well."""
    shown = Table("run", "threads", "precision", "ms an update", "predicted / measured")
    for point, error in sorted(zip(points, errors, strict=True), key=lambda pair: pair[1]):
        milliseconds = f"{1000 * point.seconds:,.1f}"
        shown.add_row(point.run, str(point.threads), point.precision, milliseconds, f"{error:.2f}")
    console = Console(width=120)
    console.print(shown)
    good = float((abs(errors - 1) <= WITHIN).mean())
    console.print(
        f"{hardware.key}: {len(points)} points, each predicted by a fit to the others: {good:.0%}"
        f" within {WITHIN:.0%}, median error {np.median(abs(errors - 1)):.0%},"
        f" {errors.min():.2f} to {errors.max():.2f} times what was measured"
    )


def with_constants(text: str, key: str, found: dict[str, float]) -> str:
    """hardware.yaml with these constants of one machine; all else, comments too, as it was."""
    head, block, tail = re.split(rf"^({key}:\n(?:[ #].*\n|\n)*)", text, maxsplit=1, flags=re.M)
    for name, value in found.items():
        block = re.sub(rf"^  {name}: .*$", f"  {name}: {value:.3g}", block, flags=re.M)
    return head + block + tail


if __name__ == "__main__":
    main(parse(Args))
