"""Every table of every paper compiles, fits its page, and loses no character."""

import shutil
import subprocess
from pathlib import Path

import made_up
import pytest

from deepmt.judge.cells import all_cells
from deepmt.measured.table import gather
from deepmt.report.latex import TO_LATEX, latex, plain
from deepmt.report.rendered_tables import render_tables

SOURCES = ("papers/*.yaml", "scales/*.yaml", "corpora.yaml")
needs_latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")


def compile_article(folder: Path, article: str) -> str:
    """What pdflatex says of an article."""
    (folder / "article.tex").write_text(article)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "article.tex"]
    found = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout[-2000:]
    return found.stdout


@needs_latex
def test_every_table_of_every_paper_compiles_and_fits(tmp_path: Path) -> None:
    """Of made-up records of every run, so that every column of ours is filled."""
    root, plan = made_up.project(tmp_path), made_up.plan_of()
    made_up.fill(root, plan)
    results = gather(plan, root, root / "results/toy")
    cells = all_cells(plan.papers, results)
    for paper in plan.papers:
        tables = render_tables(paper, cells, results, {})
        assert len(tables) == len(paper.tables)
        (tmp_path / f"{paper.key}.tex").write_text(latex(paper, tables, plan.scale.note))
    said = compile_article(tmp_path, (made_up.ROOT / "docs/tables.tex").read_text())
    assert "Overfull" not in said
    assert "Float too large" not in said


@needs_latex
def test_every_character_of_our_texts_compiles(tmp_path: Path) -> None:
    files = [path for pattern in SOURCES for path in made_up.ROOT.glob(pattern)]
    characters = sorted(set("".join(path.read_text() for path in files)) - {"\n"})
    text = " x ".join(characters).translate(TO_LATEX)
    head = r"\documentclass{article}\begin{document}"
    compile_article(tmp_path, head + text + r"\end{document}")


def test_exponents_are_raised() -> None:
    assert plain("DS-Init (l^-1/2)") == "DS-Init (l$^{-1/2}$)"
    assert plain("a ^ b") == r"a \textasciicircum{} b"
