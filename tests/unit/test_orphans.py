"""No orphan number: whatever the report shows as ours follows from a record, and can be checked."""

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import invented
import made_up
import pytest
from orphans import Evidence, complaints, gather, markdown_complaints

from deepmt.config.csv_lines import read_lines
from deepmt.results.cells import Cell
from deepmt.results.record_archive import add_hashes

pytestmark = pytest.mark.xdist_group("orphans")
PAPERS = ("unified", "zhang2019", "liu2020")
NO_TRAINING = ("params.csv", "speed.csv", "probes/table1.csv")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Render cells, tables and report of made-up records; one seed diverged."""
    root = made_up.project(tmp_path_factory.mktemp("project"))
    path = made_up.fill(root, made_up.plan_of(root, *PAPERS))
    first, *others = path.read_text().splitlines()
    end = {"outcome": "diverged", "failure": {"update": 70, "reason": "loss is nan"}}
    path.write_text(
        invented.line(json.loads(first) | end) + "".join(f"{line}\n" for line in others)
    )
    for name in NO_TRAINING:
        (root / "records" / name).parent.mkdir(exist_ok=True)
        shutil.copy(made_up.ROOT / "records" / name, root / "records" / name)
    add_hashes(root / "records")
    made_up.render(root, PAPERS)
    return root


@pytest.fixture(scope="module")
def evidence(root: Path) -> Evidence:
    return gather(made_up.plan_of(root, *PAPERS), root, root / "results/toy")


@pytest.fixture(scope="module")
def html(root: Path) -> str:
    return (root / "results/toy/report.html").read_text()


def test_every_number_of_the_report_follows_from_a_record(html: str, evidence: Evidence) -> None:
    assert list(complaints(html, evidence)) == []


@pytest.mark.parametrize("paper", PAPERS)
def test_every_number_of_a_papers_page_follows_from_a_record(root, paper, evidence) -> None:
    page = (root / f"results/toy/tables/{paper}.html").read_text()
    assert list(complaints(page, evidence)) == []


@pytest.mark.parametrize("paper", PAPERS)
def test_every_number_in_markdown_follows_from_a_record(root, paper, evidence) -> None:
    text = (root / f"results/toy/tables/{paper}.md").read_text()
    parts = re.split(r"^## Table ", text, flags=re.MULTILINE)[1:]
    printed = [table for table, _ in evidence.places.values() if table.id.startswith(paper)]
    for part, table in zip(parts, dict.fromkeys(t.id for t in printed), strict=True):
        [found] = {t.id: t for t in printed if t.id == table}.values()
        assert list(markdown_complaints(part, found, evidence)) == []


def test_every_measured_cell_is_in_the_report(html: str, root: Path) -> None:
    found = read_lines(Cell, root / "results/toy/cells.csv")
    measured = {f"{cell.row}.{cell.column}" for cell in found if cell.ours is not None}
    assert len(measured) > 100
    assert set(re.findall(r'class="ours"[^>]*data-cell="([^"]*)"', html)) == measured


def spoil(html: str, pattern: str, replacement: str) -> str:
    """Change the first number of its kind: a digit before it makes it another one."""
    spoilt, count = re.subn(pattern, replacement, html, count=1)
    assert count == 1
    return spoilt


@pytest.mark.parametrize(
    ("pattern", "replacement"),
    [
        (r'(data-cell="[^"]*bleu" data-value=")', r"\g<1>7"),
        (r'(data-spread=")', r"\g<1>7"),
        (r'(data-cell-seed="[^"]*bleu/2" data-value=")', r"\g<1>7"),
        (r'(data-field="perplexities.dev" data-value=")', r"\g<1>7"),
        (r'(data-cell="[^"]*bleu"[^>]*>)', r"\g<1>7"),
        (r'(data-cell="[^"]*bleu"[^>]*>[^<]*± )', r"\g<1>7"),
        (r'data-cell="unified[^"]*"', 'data-cell="liu2020.t2.m2.fr.bleu"'),
        (r'<a class="ours"[^>]*>([^<]*)</a>', r"\g<1>"),
    ],
)
def test_one_changed_number_is_found(root: Path, evidence, pattern, replacement) -> None:
    html = (root / "results/toy/tables/unified.html").read_text()
    assert len(list(complaints(spoil(html, pattern, replacement), evidence))) >= 1


def test_numbers_of_a_record_that_is_gone_are_found(root: Path, evidence: Evidence) -> None:
    html = (root / "results/toy/tables/unified.html").read_text()
    gone = replace(evidence, records={})
    assert any("no record gives" in found for found in complaints(html, gone))


def test_one_changed_number_in_markdown_is_found(root: Path, evidence: Evidence) -> None:
    text = (root / "results/toy/tables/unified.md").read_text()
    table, _ = evidence.places["unified.t1.deep-pre"]
    spoilt = spoil(text.split("## Table 2")[0], r"\d(?=\.\d ±)", "1234")
    assert len(list(markdown_complaints(spoilt, table, evidence))) == 1
