"""The tables of docs/ and the numbers of README are those that the records make."""

import re
from collections import Counter
from pathlib import Path

from deepmt.judge.cells import all_cells
from deepmt.report.fragments import pages
from recorded import RECORDED

ROOT = Path(__file__).parents[2]
PAGE = "".join((ROOT / "docs" / name).read_text() for name in ("results.md", "results-appendix.md"))


KINDS = {
    "million parameters": "sizes",
    "ratio; variance for var_r": "signals of untrained models",
}
"""Unit -> its word in README; all others that are measured without training are times."""


def lines(table: str) -> list[list[str]]:
    """The cells of the lines of a table of docs/results.md or its appendix."""
    text = PAGE.partition(f"<!-- table {table} -->\n")[2].partition("<!-- end -->")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]


def test_the_tables_are_those_that_the_records_make() -> None:
    for path in pages.pages(ROOT):
        page = path.read_text()
        assert page == pages.filled(page, RECORDED), f"run ./deepmt report pages: {path.name}"
    assert len(re.findall("<!-- table ", PAGE)) >= 8


def test_the_readme_s_figure_is_the_one_that_the_records_make() -> None:
    assert (ROOT / pages.PICTURE).read_text() == pages.picture(RECORDED)
    assert f"({pages.PICTURE})" in (ROOT / "README.md").read_text()


def test_the_recipe_is_the_first_system() -> None:
    first = RECORDED["multi30k-budget"].ranking.systems[0].system
    spec = RECORDED["little-text"].plan.specs[first.row.id]
    assert spec.run == first.run
    assert f"`rows={first.row.id}`" in (ROOT / "scales/little-text.yaml").read_text()
    readme = " ".join((ROOT / "README.md").read_text().split())
    depth = f"{spec.encoder.layers}+{spec.decoder.layers}"
    assert f"best recipe found is [{depth} {first.row.label}](scales/little-text.yaml)" in readme


def test_readme_counts_printed_numbers_with_ours_beside_them() -> None:
    papers, results = RECORDED["multi30k-fair"].plan.papers, RECORDED["multi30k-fair"].known
    cells = all_cells(papers, results)
    printed = [cell for cell in cells if cell.published is not None and cell.status != "quoted"]
    ours = [cell for cell in printed if cell.ours is not None]
    kinds = Counter(KINDS.get(cell.unit, "times and ratios of times") for cell in ours)
    bleu = sum(cell.unit.startswith("BLEU") for cell in printed if cell.ours is None)
    readme = " ".join((ROOT / "README.md").read_text().split())
    assert f"{len(ours)} of their {len(printed)} numbers" in readme
    for kind, number in kinds.items():
        assert f"{number} {kind}" in readme
    # That of Wu et al. has been run, at its own scale.
    assert f"{bleu - 1} of the papers' {bleu} BLEU scores; they need GPUs" in readme
