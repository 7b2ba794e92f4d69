"""Combine what was measured on each split of a seed's translations."""

from collections import defaultdict
from collections.abc import Iterable
from statistics import fmean
from typing import Any, TypeVar

Value = TypeVar("Value")


def grouped(pairs: Iterable[tuple[str, Value]]) -> dict[str, list[Value]]:
    """Return all values of each key, in order."""
    found: dict[str, list[Value]] = defaultdict(list)
    for key, value in pairs:
        found[key].append(value)
    return found


def scores_of(reports: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return the scores in files scores.<split>.json by split, averaged over checkpoints."""
    found = grouped((report["split"], report["scores"]) for report in reports)
    return {split: mean(scores) for split, scores in found.items()}


def perplexities_of(reports: Iterable[dict[str, Any]]) -> dict[str, float]:
    """Return the perplexities in these files by split, averaged over checkpoints."""
    found = grouped(pair for report in reports for pair in report["perplexities"].items())
    return {split: fmean(values) for split, values in found.items()}


def mean(scores: list[dict[str, Any]]) -> dict[str, Any]:
    """Return numbers and signature of each measure, averaged over the scored checkpoints."""
    of = f"|mean of {len(scores)} checkpoints" if len(scores) > 1 else ""
    return {
        name: {
            key: first[key] + of if key == "signature" else mean_of([x[name][key] for x in scores])
            for key in first
        }
        for name, first in scores[0].items()
    }


def mean_of(values: list[Any]) -> Any:
    """Return the mean of numbers, or of lists element by element."""
    if isinstance(values[0], list):
        return [fmean(each) for each in zip(*values, strict=True)]
    return fmean(values)
