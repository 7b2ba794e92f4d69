"""The written rule by which one check of a claim is decided (docs/claims.md)."""

from deepmt.config.paper_claims import Check
from deepmt.report.comparison import FULL_SIZE, Finding, Status, compare, one_run, unequal
from deepmt.report.evidence import Evidence
from deepmt.results.verdict import MEASURED, UNLEARNED

RULE = (
    "A claim holds if all of its checks do. It fails if one fails; else it is not-measured if a"
    " check lacks a value of ours, else undecided if one is. Means over seeds are compared. A check"
    " holds if it does for every difference within the noise, fails if it does for none, and else"
    " is undecided. The noise is twice the standard error from the spreads over seeds; a cell of"
    " fewer than three seeds has at least the tolerance of its unit for it, as in verdicts, and a"
    " fifth of its score where that is of a small scale."
    " Directions are judged at every scale; sizes and numbers that the paper prints only at the"
    " paper's scale, or where no training is needed. A system that diverged has no score: the check"
    " is undecided, unless it is about training. Two systems below 5 BLEU learned nothing and are"
    " not compared; one below it, beside one above it, failed."
)


def judge_check(check: Check, evidence: Evidence) -> Finding:
    """Decide one check."""
    lacking = [name for name in check.cells if evidence.lacks(name)]
    if lacking := [name for name in lacking if name not in check.beside]:
        missing = tuple((name, evidence.missing(name)) for name in lacking)
        return Finding(status="not-measured", missing=missing)
    if len(runs := evidence.runs(check.apart)) < len(check.apart):
        return one_run(check.apart, runs)
    if check.outcome:
        return _judge_outcome(check, evidence)
    if found := unequal(check.cells, evidence):
        return found
    if check.fact:
        return _judge_fact(check.fact, evidence)
    if check.beats or check.ties:
        return _judge_test(check, evidence)
    return compare(check, evidence)


def _judge_outcome(check: Check, evidence: Evidence) -> Finding:
    """Whether a system trained: it finished, and its score beside that of another tells."""
    [name] = check.of
    ended, text = _ended(name, check, evidence)
    starved = evidence.budget(check.of) < evidence.budget(check.beside)
    if ended == "failed" and starved and (found := unequal(check.cells, evidence)):
        return found
    status: Status = "holds" if ended == check.outcome else "fails"
    return Finding(
        status=status if ended else "undecided",
        text=f"{evidence.told(check.of)}{text} ({check.outcome} wanted)",
        scale=evidence.scale,
        runs=evidence.runs(check.of),
        notes=evidence.notes(check.of),
    )


def _ended(name: str, check: Check, evidence: Evidence) -> tuple[str, str]:
    """How a system ended, empty where that is open, and in words what is not in its cell."""
    cell, beside = evidence.cells[name], check.beside
    if cell.status == "diverged":
        return "failed", ""
    if "diverged at" in cell.note:
        return "", " finished, but not with every seed"
    if any(map(evidence.lacks, beside)):
        return "", f" finished, but {', '.join(beside)}, beside which to see it, was not run"
    if evidence.unlearned(check.of):
        learned = beside and not any(map(evidence.diverged, beside))
        if learned and not evidence.unlearned(beside):
            return "failed", f" finished below {UNLEARNED:g}, beside {evidence.told(beside)}"
        return "", f" finished below {UNLEARNED:g}"
    if _half_as_good(name, check, evidence):
        return "", f" finished, but is not half as good as {evidence.told(beside)}"
    return "trained", " finished"


def _half_as_good(name: str, check: Check, evidence: Evidence) -> bool:
    """Whether a score is less than half, or a perplexity more than twice, of another system's."""
    if not check.beside or any(evidence.cells[n].status not in MEASURED for n in check.beside):
        return False
    own, other = evidence.side([name]).number, evidence.side(check.beside).number
    lower_is_better = evidence.columns[name][0].better == "lower"
    return own > 2 * other if lower_is_better else own < other / 2


def _judge_test(check: Check, evidence: Evidence) -> Finding:
    """What the test over sentences says of a row against each of others."""
    [name] = check.of
    others = check.beats or check.ties
    pairs = {str(other): evidence.tests.get((str(name), str(other))) for other in others}
    missing = tuple(
        (f"{name} against {other}", pair.note if pair else "not tested: run the target comparisons")
        for other, pair in pairs.items()
        if pair is None or not pair.ours
    )
    if missing:
        return Finding(status="not-measured", missing=missing)
    wanted = "+" if check.beats else "="
    found = [(other, pair) for other, pair in pairs.items() if pair is not None]
    words = {"+": "is significantly better than", "-": "is significantly worse than"}
    texts = [
        f"{name} {pair.score:.4g} {words.get(pair.ours, 'does not differ significantly from')}"
        f" {other} {pair.score_against:.4g} (p = {pair.p_value:.3f})"
        for other, pair in found
    ]
    return Finding(
        status="holds" if all(pair.ours == wanted for _, pair in found) else "fails",
        text="; ".join(texts),
        scale=evidence.scale,
        runs=evidence.runs((name, *others)),
        notes=(("", "paired bootstrap over sentences, the first finished seed of each system"),),
    )


def _judge_fact(fact: str, evidence: Evidence) -> Finding:
    """Whether a figure of ours finds a thing true; one without runs shows untrained models."""
    value = evidence.fact(fact)
    if not isinstance(value, bool):
        return Finding(status="not-measured", missing=((fact, evidence.missing(fact)),))
    runs = evidence.figures[fact.partition(".")[0]]["runs"]
    return Finding(
        status="holds" if value else "fails",
        text=f"{fact} is {str(value).lower()}",
        scale=evidence.scale if runs else FULL_SIZE,
        runs=frozenset(runs),
        notes=evidence.notes([fact]),
    )
