"""claims: every claim of the papers is judged or says why not, and mistakes are named."""

import re
from pathlib import Path
from typing import Any

import pytest
from full_sizes import PAPERS
from made_up_cells import cell, check, evidence
from test_papers import KEYS

from deepmt.judge.claim import JudgedClaim, judge_claim
from deepmt.report.page.chapters import Chapter, checks_of
from deepmt.report.page.render import template
from deepmt.study.paper_claims import Check, Claim
from deepmt.study.papers import Paper

ROOT = Path(__file__).parents[2]
PAPER = Paper(key="p", title="", year=2020, vocabulary={}, systems={}, tables=(), path="p.yaml")
CELLS = evidence(
    cell("a.bleu", 33.0, 0.1),
    cell("b.bleu", 31.0, 0.1),
    cell("c.bleu", 31.1, 0.1),
    cell("n.bleu", None, status="not-run"),
    cell("s.speed", 0.7, 0.01),
)
HOLDS = check(of="a.bleu", above="b.bleu")
FAILS = check(of="b.bleu", above="a.bleu")
NOT_MEASURED = check(of="a.bleu", above="n.bleu")
UNDECIDED = check(of="c.bleu", above="b.bleu")
SLOWER = check(of="s.speed", above=1)
DIRECTION = check(of="a.bleu", above="b.bleu", by=2, within=0.5)


@pytest.fixture(scope="module", params=KEYS)
def paper(request: pytest.FixtureRequest) -> Paper:
    return PAPERS[request.param]


def judged(*checks: Check, **parts: Any) -> JudgedClaim:
    claim = Claim(id="p.c01", where="", statement="", judge=checks, **parts)
    return judge_claim(claim, PAPER, CELLS)


@pytest.mark.parametrize(
    ("checks", "status"),
    [
        ((HOLDS, HOLDS), "holds"),
        ((HOLDS, DIRECTION), "holds-in-part"),
        ((DIRECTION, UNDECIDED), "undecided"),
        ((UNDECIDED, NOT_MEASURED, HOLDS), "not-measured"),
        ((NOT_MEASURED, SLOWER, HOLDS), "differs-on-this-machine"),
        ((SLOWER, FAILS), "fails"),
        ((NOT_MEASURED, FAILS, HOLDS), "fails"),
    ],
)
def test_the_worst_check_decides_a_claim(checks: tuple[Check, ...], status: str) -> None:
    assert judged(*checks).status == status
    part = judged(*checks, unchecked=("that it trains 3 times faster",))
    assert part.status == ("holds-in-part" if status == "holds" else status)
    assert "Not checked: that it trains 3 times faster." in part.evidence


def test_each_is_a_check_for_every_one() -> None:
    found = judged(Check(each=("a.bleu", "c.bleu"), above=("b.bleu",)))
    assert found.status == "undecided"
    assert "Undecided: c.bleu 31.1" in found.evidence
    assert "Holds: a.bleu 33" in found.evidence


def test_evidence_tells_values_seeds_and_runs() -> None:
    found = judged(HOLDS, NOT_MEASURED)
    assert "a.bleu 33 ± 0.1 (3 seeds) above b.bleu 31 ± 0.1 (3 seeds)" in found.evidence
    assert "Not measured: n.bleu (not-run)." in found.evidence
    assert found.runs == "run-a, run-b"
    assert found.scale == "toy"


def test_evidence_is_a_table_with_a_line_for_each_check() -> None:
    claim = Claim(id="p.c01", where="", statement="", judge=(HOLDS, UNDECIDED, SLOWER))
    checks = checks_of(claim, CELLS)
    chapter = Chapter(
        paper=PAPER,
        tables=(),
        claims=[judge_claim(claim, PAPER, CELLS)],
        checks={claim.id: checks},
    )
    page = template("claims.html.j2").render(chapter=chapter)
    inner = page.partition("1 of 3 hold")[2].partition("</table>")[0]
    cells = [re.findall(r"<td[^>]*>\s*(.*?)\s*</td>", row) for row in inner.split("<tr>")[1:]]
    assert [line[0] for line in cells] == ["holds", "undecided", "differs on this machine"]
    assert cells[0][1:4] == ["a.bleu 33 ± 0.1 (3 seeds)", "above", "b.bleu 31 ± 0.1 (3 seeds)"]


def test_what_is_not_judged_says_why_and_has_no_scale() -> None:
    found = judged(unjudged="it says what another paper reports")
    assert found.evidence == "Not judged: it says what another paper reports."
    assert (found.status, found.scale) == ("not-measured", "")


def test_every_claim_of_the_papers_is_judged_or_says_why_not(paper: Paper) -> None:
    for claim in paper.claims:
        assert claim.judge or claim.unjudged or claim.tests, claim.id


def test_the_tests_that_definitions_name_exist(paper: Paper) -> None:
    for claim in paper.claims:
        for named in claim.tests:
            file, _, test = named.partition("::")
            text = (ROOT / "tests" / file).read_text(encoding="utf-8")
            assert re.search(rf"^def {test}\(", text, re.MULTILINE), named
