"""Two sides of a check compared: how far apart they are, and how sure that is."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from deepmt.config.paper_claims import Check
from deepmt.report.evidence import Evidence
from deepmt.results.noise import Side, noise_of_difference, noise_of_ratio
from deepmt.results.verdict import UNLEARNED

Status = Literal["fails", "not-measured", "undecided", "holds"]
FULL_SIZE = "full size"
"""Scale of what needs no training and is measured at the paper's own size."""
DIRECTION_ONLY = "direction only: sizes are compared at the paper's scale alone"
UNEQUAL = 1.3
"""Times as many training tokens: a comparison of scores then tells of the budget."""
POSITIVE = math.ulp(0.0)
"""The least number above 0."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What one check came to."""

    status: Status
    text: str = ""
    missing: tuple[tuple[str, str], ...] = ()
    """Cells and facts that it lacks, in place of a text, with the reasons."""
    scale: str = ""
    """Of what was measured for it; empty if nothing was."""
    runs: frozenset[str] = frozenset()
    notes: tuple[tuple[str, str], ...] = ()
    """What a reader must know of a cell, which is empty where it holds for all alike."""


def compare(check: Check, evidence: Evidence) -> Finding:
    """One side above, below or near the other; every cell has been run or is printed."""
    one, other = check.of, check.above or check.below or check.near
    comparable = all(evidence.comparable(operand) for operand in (*one, *other))
    printed = any(evidence.printed(operand) for operand in (*one, *other))
    if not comparable and (printed or check.near):
        sides = f"{evidence.told(one)} against {evidence.told(other)}"
        text = f"{sides} is compared at the paper's scale alone"
        return Finding(status="not-measured", text=text)
    shared = evidence.runs(one) & evidence.runs(other)
    if shared:
        return one_run((*one, *other), shared)
    runs = evidence.runs((*one, *other))
    word = "near" if check.near else "below" if check.below else "above"
    notes = evidence.notes((*one, *other))
    if check.sized and not comparable:
        notes = (*notes, ("", DIRECTION_ONLY))
    high, low = (other, one) if check.below else (one, other)
    status, relation = _relate(check, high, low, evidence, sized=comparable)
    return Finding(
        status=status,
        text=f"{evidence.told(one)} {word} {evidence.told(other)}{relation}",
        scale=evidence.scale if runs else FULL_SIZE,
        runs=runs,
        notes=notes,
    )


def one_run(operands: Sequence[object], runs: frozenset[str]) -> Finding:
    """What cannot be compared because a scale makes it one."""
    names = dict.fromkeys(operand for operand in operands if isinstance(operand, str))
    text = f"at this scale one run stands for several of {', '.join(names)}"
    return Finding(status="not-measured", text=f"{text}: {', '.join(sorted(runs))}")


def unequal(operands: Sequence[str | float], evidence: Evidence) -> Finding | None:
    """What cannot be compared because a scale trains one system on more tokens than another."""
    cells = [o for o in operands if o in evidence.cells and not evidence.lacks(str(o))]
    runs = evidence.runs(cells)
    tokens = sorted(evidence.budgets[run] for run in runs if run in evidence.budgets)
    if all(map(evidence.comparable, cells)) or not tokens or tokens[-1] <= UNEQUAL * tokens[0]:
        return None
    text = f"{evidence.told(cells)}: at this scale one is trained on {tokens[0]:,} target tokens,"
    return Finding(status="not-measured", text=f"{text} another on {tokens[-1]:,}")


def _relate(
    check: Check,
    high: tuple[str | float, ...],
    low: tuple[str | float, ...],
    evidence: Evidence,
    *,
    sized: bool,
) -> tuple[Status, str]:
    """The difference in words; if a side diverged, that decides what is about training."""
    lost = [any(map(evidence.diverged, side)) for side in (high, low)]
    if not any(lost):
        if evidence.unlearned(high) and evidence.unlearned(low):
            return "undecided", f" (both below {UNLEARNED:g}: neither learned anything)"
        status, found = _measure(check, evidence.side(high), evidence.side(low), sized=sized)
        return status, f" ({found})"
    if all(lost) or check.diverged != "worse":
        return "undecided", ""
    return ("fails" if lost[0] else "holds"), ""


def _measure(check: Check, high: Side, low: Side, *, sized: bool) -> tuple[Status, str]:
    """Where the difference, or the ratio, lies in what is allowed."""
    value, noise = high.number - low.number, noise_of_difference(high, low)
    found, wanted = f"difference {value:.3g} ± {noise:.2g}", ""
    least, most, within = POSITIVE, math.inf, check.within or 0.0
    if check.near:
        least, most, wanted = -within, within, f"within {within:g}"
    elif sized and check.by is not None:
        least, most = max(POSITIVE, check.by - within), check.by + within
        wanted = f"{check.by:g} ± {within:g}"
    elif sized and check.by_at_least is not None:
        least, wanted = check.by_at_least, f"at least {check.by_at_least:g}"
    elif sized and (times := check.times or check.times_at_least):
        value, noise = high.number / low.number, noise_of_ratio(high, low)
        found = f"ratio {value:.3g} ± {noise:.2g}"
        least, most = times - within, times + within if check.times else math.inf
        wanted = f"{times:g} ± {within:g}" if check.times else f"at least {times:g}"
    return decide(value, noise, least, most), f"{found}, {wanted} wanted" if wanted else found


def decide(value: float, noise: float, least: float, most: float) -> Status:
    """Whether a value that may be off by the noise lies in an interval."""
    if least <= value - noise and value + noise <= most:
        return "holds"
    return "fails" if value + noise < least or most < value - noise else "undecided"
