"""Define the smallest difference between two values that counts, by unit."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Tolerance:
    """Hold a tolerance in the unit of the value, or as a share of it."""

    absolute: float = 0.0
    relative: float = 0.0

    def of(self, value: float) -> float:
        """Return the tolerance in the unit of the value."""
        return max(self.absolute, self.relative * abs(value))


COUNTED = {
    "million parameters": Tolerance(relative=0.01),
    "million tokens": Tolerance(relative=0.02),
    "million sentence pairs": Tolerance(relative=0.02),
    "thousand merge operations": Tolerance(relative=0.02),
}
"""Units of what is counted, without noise."""
TOLERANCES = COUNTED | {
    "BLEU": Tolerance(absolute=0.5),
    "BLEU [%]": Tolerance(absolute=0.5),
    "chrF": Tolerance(absolute=0.5),
    "TER": Tolerance(absolute=0.5),
    "METEOR": Tolerance(absolute=0.5),
    "perplexity": Tolerance(relative=0.03),
    "ratio; variance for var_r": Tolerance(absolute=0.06),
    "ratio": Tolerance(relative=0.05),
}
"""Tolerances of the units that have a verdict.

Times and speeds depend on the machine and are not compared with a paper's. The tolerance of their
ratios follows the printed ones: pre-norm decodes at 0.92, 0.96 and 0.98 times the speed of
post-norm. Some corpus sizes are printed with two digits: 3.3 million may be 1.5 % more or less.
"""


def tolerance_of(unit: str, value: float) -> float:
    """Return the tolerance of a value; that of times and speeds is the one of their ratios."""
    return TOLERANCES.get(unit, TOLERANCES["ratio"]).of(value)
