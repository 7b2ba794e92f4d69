"""claims and figures: a fact that a claim asks for is one that its figure tells."""

from pathlib import Path

import pytest

from deepmt.report.figures.kinds import KINDS
from deepmt.report.figures.sources import Sources
from deepmt.results.results import open_ledger

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("key", ["zhang2019", "wang2019", "bapna2018", "liu2020"])
def test_every_fact_of_a_claim_is_told_by_its_figure(key: str, tmp_path: Path) -> None:
    plan, ledger = open_ledger(ROOT, {"scale": "toy", "papers": [key]}, tmp_path)
    [paper] = plan.papers
    parts = {"ledger": ledger, "scale": plan.scale, "results": tmp_path, "shelf": tmp_path}
    told = set()
    for figure in paper.figures:
        if figure.draw is not None:
            kind = KINDS[figure.draw.kind]
            facts = kind.find(kind.gather(figure, Sources(paper=paper, **parts)), figure).facts
            told |= {f"{figure.id}.{name}".removeprefix(f"{key}.") for name in facts}
    checks = [check for claim in paper.claims for check in claim.judge]
    asked = {check.fact for check in checks} | {n for c in checks for n in c.cells}
    assert {name for name in asked if name.startswith("fig")} <= told
