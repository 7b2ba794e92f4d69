"""What the rounds say: medians with their spread, and ratios of paired rounds."""

from collections.abc import Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

from rich.table import Table

from bench.rounds import DISTURBED, Measurement, Rounds
from bench.workload import Workload

OURS = "ours"

Described = dict[str, Any]


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median, minimum and maximum."""
    return {
        "median": round(median(values), 4),
        "min": round(min(values), 4),
        "max": round(max(values), 4),
    }


def summarise(
    workload: Workload[Any],
    found: Rounds,
    about: dict[str, Described],
    threads: int,
    peers: Sequence[str],
) -> Described:
    """One size of the report; `about` holds each system's name, version, parameters and dtype."""
    peer = fastest(found.measurements, peers)
    ours = OURS if OURS in found.measurements else None
    return {
        "model": asdict(workload.size),
        "mflop_per_target_token": round(workload.flops_per_token / 1e6, 2),
        "matrix_gflops": {
            dtype: {library: round(rate, 1) for library, rate in libraries.items()}
            for dtype, libraries in found.matrix_gflops.items()
        },
        "ceiling_tokens_per_s": {
            dtype: round(max(libraries.values()) * 1e9 / workload.flops_per_token, 1)
            for dtype, libraries in found.matrix_gflops.items()
        },
        "fastest_peer": peer,
        "systems": {
            name: about[name]
            | {"threads": threads}
            | describe(found, name, about[name]["dtype"])
            | {
                "ratio_to_fastest_peer": ratio(found.measurements, name, peer),
                "ratio_to_ours": ratio(found.measurements, name, ours),
            }
            for name in found.measurements
        },
    }


def fastest(measurements: dict[str, list[Measurement]], names: Sequence[str]) -> str | None:
    """The one of these with the highest median, if any ran."""
    medians = {
        name: median(m.tokens_per_s for m in measurements[name])
        for name in names
        if name in measurements
    }
    return max(medians, key=lambda name: medians[name], default=None)


def describe(found: Rounds, name: str, dtype: str) -> Described:
    """The figures of one system."""
    rounds = found.measurements[name]
    gflops = [m.gflops for m in rounds]
    libraries = found.matrix_gflops[dtype]
    shares = {library: round(median(gflops) / rate, 4) for library, rate in libraries.items()}
    return {
        "target_tokens_per_s": spread([m.tokens_per_s for m in rounds]),
        "gflops": spread(gflops),
        "share_of_matrix_rate": min(shares.values()),
        "share_of_torch_matmul": shares.get("torch.matmul"),
        "peak_memory_mb": max(m.peak_memory_mb for m in rounds),
        "disturbed_rounds": sum(m.disturbance > DISTURBED for m in rounds),
        "rounds": [asdict(m) for m in rounds],
    }


def ratio(
    measurements: dict[str, list[Measurement]], name: str, other: str | None
) -> dict[str, float] | None:
    """How many times as fast as another system, round by round."""
    if other is None:
        return None
    pairs = zip(measurements[name], measurements[other], strict=True)
    return spread([a.tokens_per_s / b.tokens_per_s for a, b in pairs])


def table(title: str, summary: Described) -> Table:
    """One size as a table, the fastest system first."""
    rates = "; ".join(
        f"{dtype} " + ", ".join(f"{rate:,.0f} by {library}" for library, rate in libraries.items())
        for dtype, libraries in summary["matrix_gflops"].items()
    )
    shown = Table(title=title, caption=f"Matrix rates in GFLOP/s: {rates}.")
    for heading in ("system", "dtype"):
        shown.add_column(heading, no_wrap=True)
    numbers = ("tokens/s", "min-max", "GFLOP/s", "of rate", "peak MB", "disturbed")
    for heading in (*numbers, "x peer", "x ours"):
        shown.add_column(heading, justify="right", no_wrap=True)
    speed = "target_tokens_per_s"
    rows = sorted(summary["systems"].values(), key=lambda row: -row[speed]["median"])
    for row in rows:
        ratios = (row["ratio_to_fastest_peer"], row["ratio_to_ours"])
        shown.add_row(
            f"{row['name']} {row['version']}",
            row["dtype"],
            f"{row[speed]['median']:,.0f}",
            f"{row[speed]['min']:,.0f}-{row[speed]['max']:,.0f}",
            f"{row['gflops']['median']:,.1f}",
            f"{row['share_of_matrix_rate']:.0%}",
            f"{row['peak_memory_mb']:,.0f}",
            f"{row['disturbed_rounds']}/{len(row['rounds'])}",
            *(f"{relative['median']:.2f}" if relative else "" for relative in ratios),
        )
    return shown
