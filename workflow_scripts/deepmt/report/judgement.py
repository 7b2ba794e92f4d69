"""Decide one check of a claim by the written rule (docs/claims.md)."""

from deepmt.config.paper_claims import Check
from deepmt.report.comparison import (
    FULL_SIZE,
    CheckResult,
    Status,
    compare,
    describe,
    learned_nothing,
    mean,
    runs_of,
    same_run,
    unequal,
)
from deepmt.report.evidence import Evidence, Operand
from deepmt.results.failures import FAILED_AT
from deepmt.results.verdict import UNLEARNED

UNTESTED = "not tested: run the target comparisons"

RULE = (
    "A claim holds if all of its checks do. It fails if one fails; else it is not-measured if a"
    " check lacks a value of ours, else undecided if one is. Means over seeds are compared. A check"
    " holds if it does for every difference within the noise, fails if it does for none, and else"
    " is undecided. The noise is twice the standard error from the spreads over seeds; a cell of"
    " fewer than three seeds has at least the tolerance of its unit for it, as in verdicts, and a"
    " fifth of its score where that is of a small scale."
    " Directions are judged at every scale; sizes and numbers that the paper prints only at the"
    " paper's scale, or where no training is needed. A system that diverged, stalled or collapsed"
    " has no score: the check is undecided, unless it is about training. Two systems below 5 BLEU"
    " learned nothing and are not compared; one below it, beside one above it, failed."
)


def judge_check(check: Check, evidence: Evidence) -> CheckResult:
    """Decide one check."""
    cells = evidence.operands(check.cells)
    lacking = [cell for cell in cells if cell.missing and cell.name not in check.beside]
    if lacking:
        missing = tuple((cell.name, cell.missing) for cell in lacking)
        return CheckResult(status="not-measured", missing=missing)
    apart = evidence.operands(check.apart)
    if len(runs := runs_of(apart)) < len(apart):
        return same_run(apart, runs)
    if check.outcome:
        return _judge_outcome(check, evidence)
    if found := unequal(cells, evidence.budgets):
        return found
    if check.fact:
        return _judge_fact(check.fact, evidence)
    if check.beats or check.ties:
        return _judge_test(check, evidence)
    return compare(check, evidence)


def _judge_outcome(check: Check, evidence: Evidence) -> CheckResult:
    """Decide if a system trained, from its outcome and its score compared with others."""
    [system], beside = evidence.operands(check.of), evidence.operands(check.beside)
    note = evidence.cells[system.name].note
    ended, text = _ended(system, beside, all_seeds=not FAILED_AT.search(note))
    budgets = [
        max((evidence.budgets.get(run, 0) for run in runs_of(side)), default=0)
        for side in ([system], beside)
    ]
    starved = budgets[0] < budgets[1]
    if ended == "failed" and starved and (found := unequal([system, *beside], evidence.budgets)):
        return found
    status: Status = "holds" if ended == check.outcome else "fails"
    return CheckResult(
        status=status if ended else "undecided",
        text=f"{system.text}{text} (expected: {check.outcome})",
        scale=evidence.scale,
        runs=system.runs,
        notes=system.notes,
    )


def _ended(system: Operand, beside: list[Operand], *, all_seeds: bool) -> tuple[str, str]:
    """Return how a system ended, or "" if that is open, and a text about it."""
    if system.diverged:
        return "failed", ""
    if not all_seeds:
        return "", " finished, but not with every seed"
    if any(other.missing for other in beside):
        names = ", ".join(other.name for other in beside)
        return "", f" finished, but {names}, needed for comparison, was not run"
    measured = bool(beside) and not any(other.diverged for other in beside)
    if learned_nothing([system]):
        if measured and not learned_nothing(beside):
            return "failed", f" finished below {UNLEARNED:g}, beside {describe(beside)}"
        return "", f" finished below {UNLEARNED:g}"
    if measured and not any(other.printed for other in beside):
        own, other = mean([system]).number, mean(beside).number
        if own > 2 * other if system.lower_is_better else own < other / 2:
            return "", f" finished, but is not half as good as {describe(beside)}"
    return "trained", " finished"


def _judge_test(check: Check, evidence: Evidence) -> CheckResult:
    """Decide by the significance tests of a row against each of the others."""
    [name], others = check.of, check.beats or check.ties
    pairs = {str(other): evidence.tests.get((str(name), str(other))) for other in others}
    found = [(other, pair) for other, pair in pairs.items() if pair is not None and pair.ours]
    if len(found) < len(pairs):
        missing = tuple(
            (f"{name} against {other}", pair.note if pair else UNTESTED)
            for other, pair in pairs.items()
            if pair is None or not pair.ours
        )
        return CheckResult(status="not-measured", missing=missing)
    expected = "+" if check.beats else "="
    words = {"+": "is significantly better than", "-": "is significantly worse than"}
    texts = [
        f"{name} {pair.score:.4g} {words.get(pair.ours, 'does not differ significantly from')}"
        f" {other} {pair.score_against:.4g} (p = {pair.p_value:.3f})"
        for other, pair in found
    ]
    return CheckResult(
        status="holds" if all(pair.ours == expected for _, pair in found) else "fails",
        text="; ".join(texts),
        scale=evidence.scale,
        runs=runs_of(evidence.operands((name, *others))),
        notes=(("", "paired bootstrap over sentences, the first finished seed of each system"),),
    )


def _judge_fact(fact: str, evidence: Evidence) -> CheckResult:
    """Decide by a fact of our figure; a figure without runs shows untrained models."""
    value, operand = evidence.truth(fact), evidence.operand(fact)
    if value is None:
        return CheckResult(status="not-measured", missing=((fact, operand.missing),))
    return CheckResult(
        status="holds" if value else "fails",
        text=f"{fact} is {str(value).lower()}",
        scale=evidence.scale if operand.runs else FULL_SIZE,
        runs=operand.runs,
        notes=operand.notes,
    )
