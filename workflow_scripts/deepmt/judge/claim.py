"""Judge every claim of the papers by our records, and describe the evidence."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from deepmt.judge.check import judge_check
from deepmt.judge.check_sides import CheckResult, Status
from deepmt.judge.evidence import Evidence
from deepmt.study.paper_claims import Claim
from deepmt.study.papers import Paper

LEADS: dict[Status, str] = {
    "fails": "Fails",
    "differs-on-this-machine": "Differs on this machine",
    "not-measured": "Not measured",
    "undecided": "Undecided",
    "holds-in-part": "Holds in part",
    "holds": "Holds",
}
"""In order of precedence: a claim has the first status that one of its checks has."""


@dataclass(frozen=True, kw_only=True)
class JudgedClaim:
    """Represent a line of claims.csv."""

    paper: str
    claim: str
    where: str
    statement: str
    status: Status
    evidence: str
    """The comparisons with values and seeds, or the reason why there are none."""
    runs: str
    """Those that were compared."""
    scale: str
    """Scale of the measurements; "full size" if no training was needed."""


def judge_checks(claim: Claim, evidence: Evidence) -> list[CheckResult]:
    """Decide the checks of a claim, one by one."""
    checks = [one for check in claim.judge for one in check.one_by_one()]
    return [judge_check(check, evidence) for check in checks]


def judge_claim(claim: Claim, paper: Paper, evidence: Evidence) -> JudgedClaim:
    """Judge a claim by its checks, or give the reason why it is not judged."""
    findings = judge_checks(claim, evidence)
    found = {finding.status for finding in findings}
    if claim.unchecked:
        found.add("holds-in-part")
    scales = sorted({finding.scale for finding in findings if finding.scale})
    return JudgedClaim(
        paper=paper.key,
        claim=claim.id,
        where=claim.where,
        statement=claim.statement,
        status=next((status for status in LEADS if status in found), "not-measured"),
        evidence=" ".join([*_by_status(findings), *remarks(claim, findings)]),
        runs=", ".join(sorted({run for finding in findings for run in finding.runs})),
        scale=" and ".join(scales) or (evidence.scale if findings else ""),
    )


def _by_status(findings: Sequence[CheckResult]) -> Iterator[str]:
    """Describe the comparisons, starting with those that decide the claim."""
    for status, lead in LEADS.items():
        own = [finding for finding in findings if finding.status == status]
        missing = [f"{names} ({why})" for names, why in _grouped(f.missing for f in own)]
        texts = dict.fromkeys([*filter(None, (finding.text for finding in own)), *missing])
        if texts:
            yield f"{lead}: {'; '.join(texts)}."


def remarks(claim: Claim, findings: Sequence[CheckResult]) -> list[str]:
    """Return the notes on the values, and what no check decides."""
    return [*_particulars(findings), *_beyond(claim)]


def _particulars(findings: Sequence[CheckResult]) -> Iterator[str]:
    """Yield the notes on the values."""
    notes = [
        f"{names}: {note}" if names else note for names, note in _grouped(f.notes for f in findings)
    ]
    if notes:
        yield f"Note: {'; '.join(notes)}."


def _grouped(parts: Iterable[Iterable[tuple[str, str]]]) -> Iterator[tuple[str, str]]:
    """Join the names that share a text."""
    by_text: dict[str, list[str]] = {}
    for name, text in dict.fromkeys(pair for part in parts for pair in part):
        by_text.setdefault(text, []).append(name)
    yield from ((", ".join(names), text) for text, names in by_text.items())


def _beyond(claim: Claim) -> Iterator[str]:
    """Yield the parts without a check, why nothing is judged, and the tests of a definition."""
    if claim.unchecked:
        yield f"Not checked: {'; '.join(claim.unchecked)}."
    if claim.unjudged:
        yield f"Not judged: {claim.unjudged}."
    if claim.tests:
        tests = ", ".join(f"tests/{test}" for test in claim.tests)
        yield f"A definition, not a measurement; our code is tested for it: {tests}."
