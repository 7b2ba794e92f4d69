"""What the rounds say: medians with their spread, and ratios of paired rounds."""

from collections.abc import Sequence
from dataclasses import asdict
from statistics import median
from typing import Any

from rich.table import Table

from bench.rounds import DISTURBED, Measurement, Rounds
from bench.systems import OURS
from bench.workload import Workload

Described = dict[str, Any]


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median, minimum and maximum."""
    return {
        "median": round(median(values), 4),
        "min": round(min(values), 4),
        "max": round(max(values), 4),
    }


def summarise(
    workload: Workload, found: Rounds, about: dict[str, Described], threads: int
) -> Described:
    """One size of the report; `about` holds each system's name, version, parameters and dtype."""
    peer = fastest_peer(found.measurements)
    return {
        "model": asdict(workload.size),
        "mflop_per_target_token": round(workload.flops_per_token / 1e6, 2),
        "padding": round(workload.padding, 4),
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
            | {"ratio_to_fastest_peer": ratio(found.measurements, name, peer)}
            for name in found.measurements
        },
    }


def fastest_peer(measurements: dict[str, list[Measurement]]) -> str | None:
    """The system of others with the highest median, if any ran."""
    peers = {
        name: median(m.tokens_per_s for m in rounds)
        for name, rounds in measurements.items()
        if name.partition("@")[0] != OURS
    }
    return max(peers, key=lambda name: peers[name], default=None)


def describe(found: Rounds, name: str, dtype: str) -> Described:
    """The figures of one system."""
    rounds = found.measurements[name]
    gflops = [m.gflops for m in rounds]
    libraries = found.matrix_gflops[dtype]
    return {
        "target_tokens_per_s": spread([m.tokens_per_s for m in rounds]),
        "gflops": spread(gflops),
        "share_of_matrix_rate": round(median(gflops) / max(libraries.values()), 4),
        "share_of_torch_matmul": round(median(gflops) / libraries["torch.matmul"], 4),
        "peak_memory_mb": max(m.peak_memory_mb for m in rounds),
        "disturbed_rounds": sum(m.disturbance > DISTURBED for m in rounds),
        "rounds": [asdict(m) for m in rounds],
    }


def ratio(
    measurements: dict[str, list[Measurement]], name: str, peer: str | None
) -> dict[str, float] | None:
    """How many times as fast as the fastest peer, round by round."""
    if peer is None:
        return None
    pairs = zip(measurements[name], measurements[peer], strict=True)
    return spread([own.tokens_per_s / other.tokens_per_s for own, other in pairs])


def table(size: str, summary: Described) -> Table:
    """One size as a table, the fastest system first."""
    rates = "; ".join(
        f"{dtype} " + ", ".join(f"{rate:,.0f} by {library}" for library, rate in libraries.items())
        for dtype, libraries in summary["matrix_gflops"].items()
    )
    shown = Table(title=f"Training, {size}", caption=f"Matrix rates in GFLOP/s: {rates}.")
    for heading in ("system", "dtype"):
        shown.add_column(heading, no_wrap=True)
    numbers = ("tokens/s", "min-max", "GFLOP/s", "of rate", "peak MB", "disturbed", "x peer")
    for heading in numbers:
        shown.add_column(heading, justify="right", no_wrap=True)
    speed = "target_tokens_per_s"
    rows = sorted(summary["systems"].values(), key=lambda row: -row[speed]["median"])
    for row in rows:
        relative = row["ratio_to_fastest_peer"]
        shown.add_row(
            f"{row['name']} {row['version']}",
            row["dtype"],
            f"{row[speed]['median']:,.0f}",
            f"{row[speed]['min']:,.0f}-{row[speed]['max']:,.0f}",
            f"{row['gflops']['median']:,.1f}",
            f"{row['share_of_matrix_rate']:.0%}",
            f"{row['peak_memory_mb']:,.0f}",
            f"{row['disturbed_rounds']}/{len(row['rounds'])}",
            f"{relative['median']:.2f}" if relative else "",
        )
    return shown
