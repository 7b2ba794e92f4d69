"""Fit the constants of a processor to measured updates by bounded least squares.

seconds = calls * call + (flops / rate + values / rate + parameters / rate) / threads is linear in
(call, 1 / rate, ...): minimise the relative errors sum_i (x_i . c / y_i - 1)^2 over c >= b, where b
are bounds for any thread.
"""

from dataclasses import fields
from itertools import combinations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from deepmt.config.hardware import Hardware
from deepmt.estimate.cost import SearchWork
from deepmt.estimate.counts import SENTENCES_AT_ONCE

Vector = NDArray[np.float64]
CONSTANTS = ("call", "float32", "bfloat16", "values", "parameters")
"""`call` is a coefficient; the others are rates, the inverse of their coefficients."""
BOUNDS = np.array([1e-6, *(1 / best for best in (2.5e11, 1e12, 2e9, 5e8))])
"""One thread: two AVX-512 units at 4 GHz, AMX, 40 GB/s at 20 bytes per value, 80 per parameter.

Runs of a single width hardly separate products from values: without bounds, a fit can attribute all
the time to one of them and be wrong for other widths.
"""


def features(points: pd.DataFrame) -> Vector:
    """Return the factor of each constant, with a row for each line of cost.csv."""
    reduced = points.precision == "bfloat16"
    shared = pd.DataFrame(
        {
            "float32": points.flops * ~reduced,
            "bfloat16": points.flops * reduced,
            "values": points["values"],
            "parameters": points.parameters,
        }
    )
    return np.column_stack([points.calls, shared.div(points.threads, axis=0)])


def fit(features: Vector, seconds: Vector) -> Vector:
    """Return the best coefficients within bounds, over all choices of those above their bound."""
    relative = features / seconds[:, None] * BOUNDS
    rest = 1 - relative.sum(1)
    used = np.flatnonzero(relative.max(0) > 0)
    best, least = np.zeros(len(BOUNDS)), float((rest**2).sum())
    for number in range(1, len(used) + 1):
        for chosen in map(list, combinations(used, number)):
            above, *_ = np.linalg.lstsq(relative[:, chosen], rest)
            error = float(((relative[:, chosen] @ above - rest) ** 2).sum())
            if (above >= 0).all() and error < least:
                best, least = np.zeros(len(BOUNDS)), error
                best[chosen] = above
    return BOUNDS * (1 + best)


def leave_one_out(features: Vector, seconds: Vector) -> Vector:
    """Return predicted over measured seconds of each point, by the fit to all other points."""
    rest = [np.arange(len(seconds)) != i for i in range(len(seconds))]
    return np.array(
        [features[i] @ fit(features[r], seconds[r]) / seconds[i] for i, r in enumerate(rest)]
    )


def search_ratios(points: pd.DataFrame, hardware: Hardware) -> "pd.Series[float]":
    """Return predicted over measured seconds of a search, for points with a measured search."""
    known = points[points.search_seconds.notna()]
    names = [field.name for field in fields(SearchWork)]
    predicted = [
        SearchWork(**point[names]).seconds(hardware, point.threads) / SENTENCES_AT_ONCE
        for _, point in known.iterrows()
    ]
    return predicted / known.search_seconds


def constants(coefficients: Vector) -> dict[str, float]:
    """Return the constants in the form of hardware.yaml."""
    call, *others = coefficients.tolist()
    return dict(zip(CONSTANTS, [call, *(1 / each for each in others)], strict=True))
