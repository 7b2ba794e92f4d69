"""README counts what is measured here, and what is not."""

from collections import Counter
from pathlib import Path

import projects
from deepmt.results.cells import all_cells
from deepmt.results.results import gather

ROOT = Path(__file__).parents[2]
KINDS = {
    "million parameters": "sizes",
    "ratio; variance for var_r": "signals of untrained models",
}
"""Unit -> its word in README; all others that are measured without training are times."""


def test_readme_counts_printed_numbers_with_ours_beside_them() -> None:
    plan = projects.plan(scale="multi30k-fair", rows="all")
    results = gather(plan, ROOT, Path("no-results"))
    printed = [
        cell
        for cell in all_cells(plan.papers, results)
        if cell.published is not None and cell.status != "quoted"
    ]
    ours = [cell for cell in printed if cell.ours is not None]
    kinds = Counter(KINDS.get(cell.unit, "times and ratios of times") for cell in ours)
    bleu = sum(cell.unit.startswith("BLEU") for cell in printed if cell.ours is None)
    systems = {
        cell.run
        for cell in all_cells(plan.papers, results)
        if cell.table == "unified.table1" and cell.seeds == 3
    }
    readme = " ".join((ROOT / "README.md").read_text().split())
    assert f"The papers print {len(printed)} numbers" in readme
    assert f"{len(ours)} of them are measured" in readme
    for kind, number in kinds.items():
        assert f"{number} {kind}" in readme
    assert f"The {bleu} BLEU scores need GPUs" in readme
    assert f"{len(systems)} systems have three seeds each" in readme
