"""Raise exponents, which labels write as in l^-1/4."""

import re

EXPONENT = re.compile(r"\^(-?[\d/]+)")
LATEX_EXPONENT = re.compile(r"\\textasciicircum\{\}(-?[\d/]+)")


def raised_html(escaped: str) -> str:
    """Return escaped text with its exponents marked up."""
    return EXPONENT.sub(r"<sup>\1</sup>", escaped)


def raised_math(text: str) -> str:
    """Return a text with its exponents as matplotlib's mathtext."""
    return EXPONENT.sub(r"$^{\1}$", text.replace("$", r"\$"))


def raised_latex(escaped: str) -> str:
    """Return text that was escaped for LaTeX with its exponents raised."""
    return LATEX_EXPONENT.sub(r"$^{\1}$", escaped)
