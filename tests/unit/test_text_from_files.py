"""Text from files stays text in every format, whatever a library or a browser would make of it."""

import base64
import hashlib
import re
from dataclasses import fields, is_dataclass, replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pages
import pytest
from made_up_runs import figure_of, write_runs

from deepmt.judge.cells import all_cells
from deepmt.report.figures.figure_files import make
from deepmt.report.latex import latex
from deepmt.report.markdown import markdown
from deepmt.report.rendered_tables import RenderedTable, render_tables
from deepmt.study.papers import Paper

TEXT = "{{x}}<blink onclick='y'>$^{$&lt;[red]\n\\input{x}\r# x"
FREE = {"title", "venue", "caption", "label", "group", "note", "remark", "suffix", "statement"}
FREE |= {"authors", "marks", "plots", "where", "definition"}


def spoilt(value: Any, free: bool = False) -> Any:
    """A value with TEXT in each free text, that is, in each text which is not a name."""
    if isinstance(value, str):
        return f"{value}{TEXT}" if free else value
    if isinstance(value, tuple | list):
        return type(value)(spoilt(each, free) for each in value)
    if isinstance(value, dict):
        return {key: spoilt(each, free) for key, each in value.items()}
    if is_dataclass(value):
        return replace(
            value,
            **{f.name: spoilt(getattr(value, f.name), f.name in FREE) for f in fields(value)},
        )
    return value


@pytest.fixture
def paper(monkeypatch: pytest.MonkeyPatch) -> Paper:
    """The invented paper, spoilt."""
    found = spoilt(pages.PAPER)
    monkeypatch.setattr(pages, "PAPER", found)
    return found


@pytest.fixture
def tables(paper: Paper, tmp_path: Path) -> list[RenderedTable]:
    pages.fill(tmp_path)
    known = pages.results(tmp_path)
    return render_tables(paper, all_cells([paper], known), known, {})


class Reader(HTMLParser):
    """Collect texts, and all elements and attributes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: set[str] = set()
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_report_shows_text_and_run_none_of_it(paper: Paper, tables, tmp_path: Path) -> None:
    found = Reader(pages.report(tmp_path))
    assert "blink" not in found.elements
    assert not [name for name in found.attributes if name.startswith("on")]
    shown = " ".join(" ".join(found.texts).split())
    labels = [row.label for row in paper.tables[0].rows]
    labels += [paper.tables[0].columns[key].label for key in ("params_m", "bleu")]
    assert [text for text in labels if " ".join(text.split()) not in shown] == []


def test_the_policy_of_a_page_allows_its_own_script_alone(tmp_path: Path) -> None:
    pages.fill(tmp_path)
    page = pages.report(tmp_path)
    [policy] = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    [script] = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    [allowed] = re.findall(r"script-src ([^;]*)", unescape(policy))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert allowed == f"'sha256-{digest}'"


def test_latex_obeys_no_text(paper: Paper, tables: list[RenderedTable]) -> None:
    lines = latex(paper, tables, TEXT).split("\n")
    assert [line for line in lines if r"\input{x}" in line and not line.startswith("% ")] == []
    assert "\r" not in "".join(lines)


def test_markdown_obeys_no_text(paper: Paper, tables: list[RenderedTable]) -> None:
    text = markdown(paper, tables, TEXT)
    assert not re.search(r"^# x", text, re.MULTILINE)
    assert not re.search(r"(?<!\\)[<&]", text)
    assert "\r" not in text


def test_figures_draw_text_as_it_is(tmp_path: Path) -> None:
    write_runs(tmp_path / "toy", "zhang2019")
    figure, data = figure_of("zhang2019.fig3", tmp_path / "toy")
    make(spoilt(figure), data)
