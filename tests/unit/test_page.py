"""The report needs nothing from outside, counts honestly, and says where each number comes from."""

import re
from collections import Counter
from dataclasses import replace
from html import unescape
from pathlib import Path

import invented
import pages
import pytest

from deepmt.judge.cells import all_cells
from deepmt.measured.untrained_values import UntrainedValue
from deepmt.report.latex import latex
from deepmt.report.markdown import markdown
from deepmt.report.page.chapters import Chapter
from deepmt.report.page.overview import gaps, overview
from deepmt.report.page.render import named
from deepmt.report.rendered_tables import render_tables
from deepmt.study.papers import OWN_PAPER


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    pages.fill(tmp_path)
    return tmp_path


@pytest.fixture
def report(folder: Path) -> str:
    return pages.report(folder)


def test_the_report_asks_nothing_of_other_hosts(report: str) -> None:
    targets = re.findall(r"(?:src|href|url|@import)\s*[=(]?\s*[\"']?([^\"'\s>)]+)", report)
    assert targets
    assert not [target for target in targets if re.match(r"(\w+:)?//|https?:", target)]


def test_the_report_has_no_id_twice_and_no_link_to_nowhere(report: str) -> None:
    ids = Counter(pages.attributes(report, "id"))
    assert {name for name, count in ids.items() if count > 1} == set()
    links = [link[1:] for link in pages.attributes(report, "href") if link.startswith("#")]
    assert set(links) <= set(ids)


def test_links_to_files_of_a_run_lead_somewhere(folder: Path, report: str) -> None:
    links = [link for link in pages.attributes(report, "href") if link.startswith("runs/")]
    files = [folder / "results" / link for link in links]
    assert {"record.json", "hyp.test.txt", "log.jsonl"} <= {file.name for file in files}
    assert [file for file in files if not file.exists()] == []


def test_numbers_in_markdown_and_latex_lead_into_the_report(folder: Path, report: str) -> None:
    tables = pages.chapter(folder).tables
    written = markdown(pages.PAPER, tables, ""), latex(pages.PAPER, tables, "")
    for links in (
        re.findall(r"\]\(([^)]*)\)", written[0]),
        [link.replace("\\", "") for link in re.findall(r"\\href{((?:\\.|[^}])*)}", written[1])],
    ):
        pages_and_ids = {tuple(link.split("#")) for link in links}
        assert {page for page, _ in pages_and_ids} == {"../report.html"}
        assert {name for _, name in pages_and_ids} <= set(pages.attributes(report, "id"))


def test_the_heading_of_a_column_says_how_it_is_defined(report: str) -> None:
    assert '<abbr title="of &lt;cased&gt; tokens">Test &amp; 14 %, BLEU</abbr>' in report


def test_what_comes_from_records_is_escaped(report: str) -> None:
    assert "&lt;script&gt;" in report
    assert report.count("<script>") == 1
    assert "Report &lt;1&gt;" in report


def test_every_number_of_ours_carries_its_cell_and_full_value(folder: Path, report: str) -> None:
    link = r'<a class="ours [^"]*" href="#([^"]+)" data-cell="([^"]+)" data-value="([^"]+)"'
    found = re.findall(link, report)
    known = all_cells([pages.PAPER], pages.results(folder))
    cells = {f"{cell.row}.{cell.column}": cell for cell in known}
    assert {name: float(value) for _, name, value in found} == {
        name: cell.ours
        for name, cell in cells.items()
        if cell.ours is not None and not cell.stand_in
    }
    assert all(origin == f"run-{cells[name].run}" for origin, name, _ in found)


def test_a_verdict_stands_behind_its_number_and_in_no_column(folder: Path, report: str) -> None:
    link = r'data-cell="([^"]+)" data-value="[^"]+" title="([^"]+)" data-mark="([^"]*)"'
    cells = {f"{c.row}.{c.column}": c for c in all_cells([pages.PAPER], pages.results(folder))}
    found = re.findall(link, report)
    assert {name: title for name, title, _ in found} == {
        name: cell.verdict.replace("-", " ")
        for name, cell in cells.items()
        if cell.ours is not None and not cell.stand_in
    }
    assert all(bool(mark) == cells[name].compared for name, _, mark in found)
    assert ">Verdict</th>" not in report.partition('<h2 id="records">')[0]


def test_a_run_says_how_to_make_and_explain_its_numbers(folder: Path, report: str) -> None:
    own = (
        "./deepmt run --cores all --config scale=toy rows=p.r1 seeds=1,2",
        "./deepmt explain",
        invented.SPECS["p.r1"].sha256,
        "BLEU|case:mixed",
        "alpha 0.6, beam 4, length penalty wu",
        "CPU, threads 4",
        "torch 2.13.0",
    )
    recorded = (f"{folder}/records/toy.jsonl:1",)
    for row, texts in (("p.r1", own), ("p.r2", recorded)):
        block = unescape(report[report.index(f'id="run-{invented.SPECS[row].run}"') :])
        for text in texts:
            assert text in block[: block.index("</article>")]


def test_a_figure_that_was_not_run_says_so_and_why(report: str) -> None:
    first, second = report.index('<h3 id="p.fig1">'), report.index('<li id="p.fig2">')
    assert 'alt="Figure 1: loss"' in report[first:second]
    assert "Figures of p with fewer than two points: 1" in report[first:second]
    assert "p.r5: no corpus" in report[second:]
    assert "<img " not in report[second:]


def test_our_own_tables_name_no_paper_and_a_paper_its_authors() -> None:
    paper = replace(pages.PAPER, authors=("A. Writer",))
    assert "A. Writer" in Chapter(paper=paper, tables=()).byline
    assert not Chapter(paper=replace(paper, key=OWN_PAPER), tables=()).byline


def test_claims_are_shown_if_judged_and_refused_records_are_listed(
    folder: Path, report: str
) -> None:
    assert 'id="claims-p"' in report
    assert 'id="claims-p"' not in pages.report(folder, claims=())
    assert "Refused records: 1" in report
    assert f"{folder}/records/toy.jsonl:2: " in report


def test_a_row_with_only_a_size_is_not_counted_as_trained(tmp_path: Path) -> None:
    invented.write_result(tmp_path, invented.record("p.r1"))
    sized = UntrainedValue(value=106.0, note="counted at the paper's size")
    known = pages.results(tmp_path, **invented.untrained({("p.r3", "params_m"): sized}))
    cells = all_cells([invented.PAPER], known)
    tables = render_tables(invented.PAPER, cells, known, {})
    states = Counter(tables[0].states.values())
    assert states == {"measured": 1, "untrained": 1, "not-run": 3, "quoted": 1}
    assert tables[0].frame["status"]["p.r3"] == "not trained"


def test_the_overview_counts_numbers_and_claims(folder: Path) -> None:
    counts = overview([pages.chapter(folder, pages.STATUSES)])
    cells = all_cells([pages.PAPER], pages.results(folder))
    printed = [c for c in cells if c.published is not None and c.status != "quoted"]
    numbers, claims = counts.loc["p", "Numbers"], counts.loc["all", "Claims"]
    assert numbers["printed"] == len(printed) > numbers["with ours"] > 0
    counted = numbers.drop(["printed", "with ours", "of trained models"])
    assert numbers["with ours"] == counted.sum() >= numbers["of trained models"] > 0
    assert claims.to_dict() == dict.fromkeys(claims.index, 1) | {"all": len(pages.STATUSES)}


def test_evidence_names_cells_by_their_labels_and_leads_to_their_records(folder: Path) -> None:
    text = str(named("Holds: r1.bleu 90.1 above r5.bleu 80 <b>.", pages.chapter(folder)))
    link = rf'<a class="ours [^"]*" href="#run-{re.escape(pages.RUN)}" data-cell="p.r1.bleu"'
    assert re.search(link, text)
    assert "r5.bleu" not in text
    assert "&lt;b&gt;" in text


def test_the_overview_says_what_was_not_run_and_why(folder: Path) -> None:
    reasons = gaps([pages.chapter(folder)])
    assert reasons.loc["no corpus"].to_dict() == {"p": 2, "all": 2}
    assert reasons.loc["measured by the target speed", "p"] == 2
