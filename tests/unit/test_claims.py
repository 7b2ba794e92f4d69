"""claims: every claim of the papers is judged or says why not, and mistakes are named."""

import re
from pathlib import Path
from typing import Any

import pytest
from full_sizes import PAPERS
from made_up_cells import cell, check, evidence
from test_papers import GOOD, KEYS

from deepmt.config.paper_claims import Check, Claim
from deepmt.config.papers import Paper, load
from deepmt.report.claims import JudgedClaim, judge_claim

ROOT = Path(__file__).parents[2]
CLAIMED = (
    GOOD
    + """\
figures:
  - {id: some2020.fig1, number: 1, section: '1', plots: speed, finding: it falls, systems: [base],
     draw: {kind: speed-by-depth, label: a, y: b, reference: base,
       lines: [{label: base, systems: [base]}]}}
claims:
  - id: some2020.c01
    where: abstract
    kind: quantitative
    statement: deeper is better
    judge:
      - {of: t1.r1.bleu, above: 1}
      - {of: fig1.base.tokens_per_s_ratio, above: 1}
      - {of: table1.base.bleu, below: t1.r1.bleu}
"""
)
PAPER = Paper(key="p", title="", year=2020, vocabulary={}, systems={}, tables=(), path="p.yaml")
CELLS = evidence(
    cell("a.bleu", 33.0, 0.1),
    cell("b.bleu", 31.0, 0.1),
    cell("c.bleu", 31.1, 0.1),
    cell("n.bleu", None, status="not-run"),
)
HOLDS = check(of="a.bleu", above="b.bleu")
FAILS = check(of="b.bleu", above="a.bleu")
NOT_MEASURED = check(of="a.bleu", above="n.bleu")
UNDECIDED = check(of="c.bleu", above="b.bleu")
DIRECTION = check(of="a.bleu", above="b.bleu", by=2, within=0.5)


@pytest.fixture(scope="module", params=KEYS)
def paper(request: pytest.FixtureRequest) -> Paper:
    return PAPERS[request.param]


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "some2020.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def judged(*checks: Check, **parts: Any) -> JudgedClaim:
    claim = Claim(id="p.c01", where="", kind="quantitative", statement="", judge=checks, **parts)
    return judge_claim(claim, PAPER, CELLS)


def test_a_good_claim_is_read_with_each_side_as_a_list(tmp_path: Path) -> None:
    first, second, third = load(written(tmp_path, CLAIMED)).claims[0].judge
    assert (first.of, first.above, second.of) == (
        ("t1.r1.bleu",),
        (1,),
        ("fig1.base.tokens_per_s_ratio",),
    )
    assert third.of == ("table1.base.bleu",)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("of: t1.r1", "of: t1.r2", r":24: .*unknown cell 't1.r2.bleu'; did you mean 't1.r1.bleu"),
        ("table1.base", "table1.bsae", r":26: .*unknown cell.*did you mean 'table1.base.bleu"),
        ("fig1.base.tok", "fig1.bsae.tok", r":25: .*unknown cell.*did you mean 'fig1.base.tok"),
        ("above: 1", "above: 1, near: 2", r":24: .*needs exactly one of above, below"),
        ("of: t1.r1.bleu, above", "above", r":24: .*needs one of `of`, `each` and"),
        ("above: 1", "above: 1, by: 1", r":24: .*`within` is for"),
        ("above: 1", "near: 1", r":24: .*`within` is for"),
        ("above: 1", "above: 1, by_at_least: 1, times: 2, within: 1", r":24: .*give at most one"),
        ("above: 1", "near: 1, within: 1, diverged: worse", r":24: .*`diverged` needs"),
        ("judge:", "tests: [a]\n    jugde:", r":24: .*unknown key 'jugde'; did you mean 'judge'"),
        ("judge:", "unjudged: a\n    judge:", r":19: .*a part without a check is `unchecked`"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_claim_is_named_with_its_line(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in CLAIMED
    with pytest.raises(ValueError, match=rf"some2020.yaml{message}"):
        load(written(tmp_path, CLAIMED.replace(old, new, 1)))


def test_parts_without_a_check_are_those_of_a_claim_with_checks(tmp_path: Path) -> None:
    text = CLAIMED.partition("    judge:")[0] + "    tests: [a]\n    unchecked: [b]\n"
    with pytest.raises(ValueError, match=r"some2020.yaml:19: .*`unchecked` is for parts"):
        load(written(tmp_path, text))


def test_a_claim_says_how_it_is_judged_or_why_not(tmp_path: Path) -> None:
    text = CLAIMED.partition("    judge:")[0]
    with pytest.raises(ValueError, match=r"some2020.yaml:19: .*needs `judge`"):
        load(written(tmp_path, text))


@pytest.mark.parametrize(
    ("checks", "status"),
    [
        ((HOLDS, HOLDS), "holds"),
        ((HOLDS, DIRECTION), "partly-measured"),
        ((DIRECTION, UNDECIDED), "undecided"),
        ((UNDECIDED, NOT_MEASURED, HOLDS), "not-measured"),
        ((NOT_MEASURED, FAILS, HOLDS), "fails"),
    ],
)
def test_the_worst_check_decides_a_claim(checks: tuple[Check, ...], status: str) -> None:
    assert judged(*checks).status == status
    part = judged(*checks, unchecked=("that it trains 3 times faster",))
    assert part.status == ("partly-measured" if status == "holds" else status)
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


def test_what_is_not_judged_says_why_and_has_no_scale() -> None:
    found = judged(unjudged="it says what another paper reports")
    assert found.evidence == "Not judged: it says what another paper reports."
    assert (found.status, found.scale) == ("not-measured", "")


def test_every_claim_of_the_papers_is_judged_or_says_why_not(paper: Paper) -> None:
    for claim in paper.claims:
        assert claim.judge or claim.unjudged or claim.tests, claim.id
        assert not (claim.judge and claim.kind in ("method", "literature")), claim.id


def test_the_tests_that_definitions_name_exist(paper: Paper) -> None:
    for claim in paper.claims:
        for named in claim.tests:
            file, _, test = named.partition("::")
            text = (ROOT / "tests" / file).read_text(encoding="utf-8")
            assert re.search(rf"^def {test}\(", text, re.MULTILINE), named
