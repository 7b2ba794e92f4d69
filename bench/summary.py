"""Summarise the rounds: medians with their spread, and ratios of paired rounds."""

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from rich.table import Table

SPEED = "target_tokens_per_s"
Speeds = Mapping[str, Sequence[float]]


def summarise(
    speeds: Speeds,
    about: Mapping[str, Mapping[str, Any]],
    peers: Sequence[str],
    ours: str,
    limit: str,
) -> dict[str, Any]:
    """Describe every system; `about` holds each one's name, version, parameters and dtype.

    A system is compared with the fastest of the `peers` and with the `limit` in its dtype, and with
    ours in float32.
    """
    dtypes = sorted({each["dtype"] for each in about.values()})
    fastest_peers = {
        dtype: fastest(speeds, [name for name in peers if about[name]["dtype"] == dtype])
        for dtype in dtypes
    }
    return {
        "fastest_peers": fastest_peers,
        "systems": {
            name: {
                **about[name],
                SPEED: spread(rounds),
                "rounds": rounds,
                "ratio_to_fastest_peer": ratio(speeds, name, fastest_peers[about[name]["dtype"]]),
                "ratio_to_ours": ratio(speeds, name, f"{ours} float32"),
                "ratio_to_products": ratio(speeds, name, f"{limit} {about[name]['dtype']}"),
            }
            for name, rounds in speeds.items()
        },
    }


def fastest(speeds: Speeds, names: Sequence[str]) -> str | None:
    """Return the system with the highest median speed, or None if none ran."""
    return max(names, key=lambda name: median(speeds[name]), default=None)


def ratio(speeds: Speeds, name: str, other: str | None) -> dict[str, float] | None:
    """Return the spread of the speed-up over another system, round by round, if that one ran."""
    if other is None or other not in speeds:
        return None
    return spread([a / b for a, b in zip(speeds[name], speeds[other], strict=True)])


def spread(values: Sequence[float]) -> dict[str, float]:
    """Return median, minimum and maximum."""
    found = {"median": median(values), "min": min(values), "max": max(values)}
    return {name: round(value, 4) for name, value in found.items()}


def table(title: str, summary: Mapping[str, Any]) -> Table:
    """Draw one size, the fastest system first, with the ratios that were measured.

    "x peer" is the fastest peer of the same dtype; "x products" is the share of the rate at which
    this machine multiplies with the weights.
    """
    rows = sorted(summary["systems"].values(), key=lambda row: -row[SPEED]["median"])
    named = {"x peer": "fastest_peer", "x ours": "ours", "x products": "products"}
    ratios = {
        heading: found
        for heading, other in named.items()
        if any(found := [row[f"ratio_to_{other}"] for row in rows])
    }
    shown = Table(title=title)
    for heading in ("system", "dtype"):
        shown.add_column(heading, no_wrap=True)
    for heading in ("tokens/s", "min-max", *ratios):
        shown.add_column(heading, justify="right", no_wrap=True)
    for row, *relative in zip(rows, *ratios.values(), strict=True):
        speed = row[SPEED]
        shown.add_row(
            f"{row['name']} {row['version']}",
            row["dtype"],
            f"{speed['median']:,.0f}",
            f"{speed['min']:,.0f}-{speed['max']:,.0f}",
            *(f"{one['median']:.2f}" if one else "" for one in relative),
        )
    return shown
