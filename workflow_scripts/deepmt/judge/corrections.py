"""Correct intervals for the number of contrasts, and borrow strength for small spreads."""

from collections.abc import Sequence
from functools import cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import digamma, gammaincinv, ndtr, polygamma, stdtr

from deepmt.judge.interval import CONFIDENCE, Error

SHARED = 0.5
"""Correlation of two differences to one baseline, if all systems have one spread."""
NODES = 64
"""Of the quadrature over the baseline's own error; more change no printed digit."""
QUANTILES = (np.arange(200) + 0.5) / 200
"""Of the spreads that a family may have estimated."""
MOST = 1e3
"""Standard errors; three pairs of thousands of systems need fewer."""


def holm(values: Sequence[float], errors: Sequence[Error]) -> list[float]:
    """Return the confidence of each value's interval, so that their decisions are Holm's (1979).

    The most significant of m has 1 - 5 %/m, the next one 1 - 5 %/(m - 1), and so on, until one
    interval holds zero: all that follow have the confidence of that one.
    """
    chances = [
        2 * float(stdtr(error.whole_freedom, -abs(value) / error.size))
        if error.whole_freedom and error.size
        else 1.0
        for value, error in zip(values, errors, strict=True)
    ]
    found, left, stopped = [CONFIDENCE] * len(chances), len(chances), False
    for number in sorted(range(len(chances)), key=chances.__getitem__):
        level = (1 - CONFIDENCE) / left
        found[number] = 1 - level
        stopped = stopped or chances[number] > level
        left -= not stopped
    return found


def moderated(spreads: Sequence[tuple[float, int]]) -> list[Error]:
    """Return spreads moved towards the one that they have in common (Smyth 2004).

    With variances s^2 of freedom d: (d0 s0^2 + d s^2) / (d0 + d), Eq. 8 there, where d0 and s0 are
    those of the scaled F distribution that the variances have (section 6.2); d may be 0. A family
    without two spreads has nothing in common: a spread of freedom 0 then stays unknown.
    """
    known = [(spread**2, freedom) for spread, freedom in spreads if freedom and spread]
    d0, s0 = _prior(*map(np.array, zip(*known, strict=True))) if len(known) > 1 else (0.0, 0.0)
    most = sum(freedom for _, freedom in known)
    found = []
    for spread, freedom in spreads:
        own = spread**2 if freedom else 0.0
        whole = s0 if np.isinf(d0) else (d0 * s0 + freedom * own) / ((d0 + freedom) or 1.0)
        found.append(Error(float(np.sqrt(whole)), min(d0 + freedom, most)))
    return found


def _prior(variances: np.ndarray, freedoms: np.ndarray) -> tuple[float, float]:
    """Return d0, which may be infinite, and s0^2 from moments of log variances."""
    logs = np.log(variances) - digamma(freedoms / 2) + np.log(freedoms / 2)
    excess = float(logs.var(ddof=1) - polygamma(1, freedoms / 2).mean())
    if excess <= 0:
        return np.inf, float(np.exp(logs.mean()))
    half = brentq(lambda x: float(polygamma(1, np.exp(x))) - excess, -20, 20)
    d0 = 2 * float(np.exp(half))
    return d0, float(np.exp(logs.mean() + digamma(d0 / 2) - np.log(d0 / 2)))


def largest_t(freedoms: Sequence[float]) -> float:
    """Return what the largest |t| of differences to one baseline exceeds in 5 % of families.

    Given the baseline's error u, differences are independent: the integral over u of the product of
    P(|sqrt(rho) u + sqrt(1 - rho) Z| <= c s), each over the distribution of its own s (Dunnett
    1955, with rho = 1/2). He has one s for all; those of systems of unequal spread are their own.
    """
    return _largest_t(tuple(sorted(round(freedom, 1) for freedom in freedoms)))


@cache
def _largest_t(freedoms: tuple[float, ...]) -> float:
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    # A squared spread has the chi-squared distribution over its freedom: a gamma distribution.
    spreads = {d: np.sqrt(gammaincinv(d / 2, QUANTILES) / (d / 2)) for d in {*freedoms}}
    shift = np.sqrt(SHARED) * nodes[:, None]

    def beyond(c: float) -> float:
        inside = {
            freedom: (
                ndtr((c * s - shift) / np.sqrt(1 - SHARED))
                - ndtr((-c * s - shift) / np.sqrt(1 - SHARED))
            ).mean(1)
            for freedom, s in spreads.items()
        }
        product = np.prod([inside[freedom] for freedom in freedoms], axis=0)
        return float(weights @ product / weights.sum()) - CONFIDENCE

    return float(brentq(beyond, 0.1, MOST))


def largest_range(systems: int, freedom: float) -> float:
    """Return what |t| between any two of some systems exceeds in 5 % of families (Tukey 1949)."""
    return _largest_range(systems, round(freedom, 1))


@cache
def _largest_range(systems: int, freedom: float) -> float:
    from scipy.stats import studentized_range  # here: few need it, and it takes long to import

    return float(studentized_range.ppf(CONFIDENCE, systems, freedom) / np.sqrt(2))
