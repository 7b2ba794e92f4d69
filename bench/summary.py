"""Summarise the rounds: medians with their spread, and ratios of paired rounds."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

from rich.table import Table

from bench.rounds import DISTURBED, Measurement

OURS = "ours"
SPEED = "target_tokens_per_s"

Measurements = Mapping[str, Sequence[Measurement]]


def summarise(
    found: Measurements,
    about: Mapping[str, Mapping[str, Any]],
    peers: Sequence[str],
    limits: Mapping[str, float],
) -> dict[str, Any]:
    """Describe every system; `about` holds each one's name, version, parameters and dtype.

    `limits` holds the tokens a second that matrix products alone would allow in each dtype.
    """
    dtypes = {about[name]["dtype"] for name in found}
    fastest_peers = {
        dtype: fastest(found, [name for name in peers if about[name]["dtype"] == dtype])
        for dtype in sorted(dtypes)
    }
    ours = OURS if OURS in found else None
    return {
        "fastest_peers": fastest_peers,
        "systems": {
            name: {
                **about[name],
                SPEED: spread([m.tokens_per_s for m in rounds]),
                "share_of_matrix_rate": share(rounds, limits.get(about[name]["dtype"])),
                "disturbed_rounds": sum(m.disturbance > DISTURBED for m in rounds),
                "rounds": [asdict(m) for m in rounds],
                "ratio_to_fastest_peer": ratio(found, name, fastest_peers[about[name]["dtype"]]),
                "ratio_to_ours": ratio(found, name, ours),
            }
            for name, rounds in found.items()
        },
    }


def fastest(found: Measurements, names: Sequence[str]) -> str | None:
    """Return the system with the highest median speed, or None if none ran."""
    medians = {name: median(m.tokens_per_s for m in found[name]) for name in names if name in found}
    return max(medians, key=lambda name: medians[name], default=None)


def share(rounds: Sequence[Measurement], limit: float | None) -> float | None:
    """Return the fraction of the speed at which matrix products alone would run."""
    return None if limit is None else median(m.tokens_per_s for m in rounds) / limit


def ratio(found: Measurements, name: str, other: str | None) -> dict[str, float] | None:
    """Return the spread of the speed-up over another system, round by round."""
    if other is None:
        return None
    pairs = zip(found[name], found[other], strict=True)
    return spread([a.tokens_per_s / b.tokens_per_s for a, b in pairs])


def spread(values: Sequence[float]) -> dict[str, float]:
    """Return median, minimum and maximum."""
    found = {"median": median(values), "min": min(values), "max": max(values)}
    return {name: round(value, 4) for name, value in found.items()}


def table(title: str, summary: Mapping[str, Any]) -> Table:
    """Draw one size, the fastest system first; "x peer" is the fastest peer of the same dtype."""
    shown = Table(title=title)
    for heading in ("system", "dtype"):
        shown.add_column(heading, no_wrap=True)
    for heading in ("tokens/s", "min-max", "disturbed", "x peer", "x ours", "of matrix rate"):
        shown.add_column(heading, justify="right", no_wrap=True)
    for row in sorted(summary["systems"].values(), key=lambda row: -row[SPEED]["median"]):
        speed = row[SPEED]
        ratios = (row["ratio_to_fastest_peer"], row["ratio_to_ours"])
        shown.add_row(
            f"{row['name']} {row['version']}",
            row["dtype"],
            f"{speed['median']:,.0f}",
            f"{speed['min']:,.0f}-{speed['max']:,.0f}",
            f"{row['disturbed_rounds']}/{len(row['rounds'])}",
            *(f"{relative['median']:.2f}" if relative else "" for relative in ratios),
            "" if row["share_of_matrix_rate"] is None else f"{row['share_of_matrix_rate']:.0%}",
        )
    return shown
