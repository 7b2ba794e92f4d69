"""A paper is one file: that of CONTRIBUTING.md is compared, shown and judged."""

import re
from pathlib import Path

import pandas as pd
import pytest
from made_up import fill, render

import projects
from deepmt.study.plan import load_plan
from projects import ROOT

DIFF = re.compile(r"\+\+\+ b/papers/invented2021\.yaml\n@@.*\n((?:\+.*\n)+)")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project's settings and rules, its code as it is, and one more paper."""
    root = tmp_path_factory.mktemp("project")
    projects.checkout(root, "papers")
    [added] = DIFF.findall((ROOT / "CONTRIBUTING.md").read_text())
    paper = "".join(f"{line[1:]}\n" for line in added.splitlines())
    (root / "papers/invented2021.yaml").write_text(paper)
    return root


@pytest.fixture(scope="module")
def results(root: Path) -> Path:
    """What the script makes of it with made-up records: cells, table, claims."""
    fill(root, load_plan(root, {"papers": "invented2021", "rows": "all"}))
    return render(root, ["invented2021"])


def test_its_printed_values_have_cells_with_ours(results: Path) -> None:
    found = pd.read_csv(results / "cells.csv")
    names = [f"invented2021.t1.{row}.{key}" for row in ("base", "deep") for key in ("bleu", "size")]
    assert list(found.row + "." + found.column) == names
    assert list(found.published) == [27.3, 65.0, 28.4, 84.0]
    assert list(found.status) == ["recorded"] * 4


@pytest.mark.parametrize("kind", ["md", "tex"])
def test_its_table_is_rendered_with_both_values(results: Path, kind: str) -> None:
    text = (results / f"tables/invented2021.{kind}").read_text()
    cells = pd.read_csv(results / "cells.csv")
    ours = cells[cells.column == "bleu"].ours
    assert "Two systems" in text
    for value in ("27.3", "28.4", *(f"{value:.1f}" for value in ours)):
        assert value in text


def test_its_claim_is_judged_from_the_cells(results: Path) -> None:
    [claim] = pd.read_csv(results / "claims.csv").itertuples()
    assert (claim.claim, claim.scale) == ("invented2021.c01", "toy")
    cells = pd.read_csv(results / "cells.csv")
    for cell in cells[cells.column == "bleu"].itertuples():
        assert f"{cell.row.partition('.')[2]}.bleu {round(cell.ours, 2):g}" in claim.evidence
    # This scale trains the deeper one longer.
    assert claim.status == "not-measured"
    assert "at this scale one is trained on 160,000 target tokens" in claim.evidence
