"""Every table of every paper compiles, fits its page, and loses no character."""

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import made_up
import pytest

from deepmt.config.plan import Plan, load_plan
from deepmt.report.latex import TO_LATEX, latex, latex_table
from deepmt.report.rendered_tables import RenderedTable, render_tables
from deepmt.results.cells import all_cells
from deepmt.results.results import Results, gather

SOURCES = ("papers/*.yaml", "scales/*.yaml", "corpora.yaml")
NO_LATEX = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> tuple[Plan, Results]:
    """Made-up records of every run, so that every column of ours is filled."""
    root = made_up.project(tmp_path_factory.mktemp("project"))
    made_up.fill(root, made_up.plan_of(root))
    asked = {"scale": "toy", "papers": "all", "rows": "all"}
    plan = load_plan(root, asked)
    return plan, gather(plan, root, root / "results/toy")


@pytest.fixture(scope="module")
def tables(known: tuple[Plan, Results]) -> dict[str, RenderedTable]:
    plan, results = known
    cells = all_cells(plan.papers, results)
    made = (render_tables(paper, cells, results, {}) for paper in plan.papers)
    return {rendered.id: rendered for paper in made for rendered in paper}


def compile_article(folder: Path, article: str) -> str:
    """What pdflatex says of an article."""
    (folder / "article.tex").write_text(article)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "article.tex"]
    found = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout[-2000:]
    return found.stdout


@NO_LATEX
def test_every_table_of_every_paper_compiles_and_fits(known, tables, tmp_path: Path) -> None:
    plan, _ = known
    for paper in plan.papers:
        own = [rendered for rendered in tables.values() if rendered.id.startswith(f"{paper.key}.")]
        assert len(own) == len(paper.tables)
        (tmp_path / f"{paper.key}.tex").write_text(latex(paper, own, plan.scale.note))
    said = compile_article(tmp_path, (made_up.ROOT / "docs/tables.tex").read_text())
    assert "Overfull" not in said
    assert "Float too large" not in said


@NO_LATEX
def test_every_character_of_our_texts_compiles(tmp_path: Path) -> None:
    files = [path for pattern in SOURCES for path in made_up.ROOT.glob(pattern)]
    characters = sorted(set("".join(path.read_text() for path in files)) - {"\n"})
    text = " x ".join(characters).translate(TO_LATEX)
    head = r"\documentclass{article}\begin{document}"
    compile_article(tmp_path, head + text + r"\end{document}")


@pytest.mark.parametrize(("widest", "kind"), [(10, "sidewaystable*"), (1000, "table*")])
def test_wide_tables_are_turned(tables, monkeypatch, widest: int, kind: str) -> None:
    monkeypatch.setattr("deepmt.report.latex.UPRIGHT", widest)
    assert rf"\begin{{{kind}}}" in latex_table(tables["zhang2019.table3"])


@pytest.mark.parametrize("text", ["*: failed", "[1] says"])
def test_a_text_after_a_line_break_is_not_taken_for_an_option(tables, text: str) -> None:
    rendered = replace(tables["liu2020.table4"], notes=(text,))
    assert rf"\raggedright {{{text[0]}}}{text[1:]}" in latex_table(rendered)
