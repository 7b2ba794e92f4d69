"""claims and figures: a fact that a claim asks for is one that its figure tells."""

from pathlib import Path

import pytest
from made_up_runs import data_of

from deepmt.report.figures.figure_files import KINDS


@pytest.mark.parametrize("key", ["zhang2019", "wang2019", "bapna2018", "liu2020"])
def test_every_fact_of_a_claim_comes_from_its_figure(key: str, tmp_path: Path) -> None:
    data = data_of(key, tmp_path)
    told = set()
    for figure in data.paper.figures:
        if figure.draw is not None:
            kind = KINDS[figure.draw.kind](figure, data.paper)
            facts = kind.find(kind.gather(data)).facts
            told |= {f"{figure.id}.{name}".removeprefix(f"{key}.") for name in facts}
    checks = [check for claim in data.paper.claims for check in claim.judge]
    asked = {check.fact for check in checks} | {n for c in checks for n in c.cells}
    assert {name for name in asked if name.startswith("fig")} <= told
