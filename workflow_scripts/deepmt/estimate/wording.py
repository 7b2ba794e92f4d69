"""Rows, systems and numbers as short text."""

import re

from deepmt.config.spec import Spec


def few(rows: tuple[str, ...]) -> str:
    """The first row, and how many more."""
    more = f" +{len(rows) - 1}" if len(rows) > 1 else ""
    return f"{rows[0]}{more}" if rows else "makes text for others"


def system(spec: Spec) -> str:
    """A run's name without its corpus, which its rows tell, and with spaces to break lines at."""
    name = spec.name.removesuffix(f"-{spec.data.corpus}")
    return re.sub(r"-(?!\d)|(?<!\d)-", " ", name)


def hours(value: float) -> str:
    """Three digits are more than an estimate knows."""
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def short(number: float) -> str:
    """300k, 61M."""
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= unit:
            return f"{number / unit:.3g}{name}"
    return f"{number:g}"


def size(number: float | None) -> str:
    """Bytes."""
    if number is None:
        return "unknown"
    if number == 0:
        return "0"
    for unit, name in ((1e12, "TB"), (1e9, "GB"), (1e6, "MB")):
        if number >= unit:
            return f"{number / unit:,.1f} {name}"
    return f"{number / 1e3:,.1f} kB"
