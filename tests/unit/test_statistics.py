"""Statistics of corpora come from what was built, and are beside the printed ones."""

from dataclasses import replace
from pathlib import Path

import pytest

import projects
from deepmt.judge.cells import all_cells
from deepmt.measured.encoded_corpora import EncodedSplit
from deepmt.measured.table import gather
from deepmt.report.origins import TracedCell, origins
from deepmt.report.page.html_table import why_folded
from deepmt.report.rendered_tables import render_tables
from deepmt.settings.csv_lines import write_lines
from deepmt.study.plan import Plan
from deepmt.study.requested_text import requested_datasets, statistic_specs
from projects import ROOT

TABLE = "zhang2019.table2"


def plan(scale: str = "toy", rows: str = "headline") -> Plan:
    return projects.plan(scale=scale, papers="zhang2019", rows=rows)


def built(dataset: str, **changes: object) -> EncodedSplit:
    """The training set of a dataset with the sizes of the first line of Table 2."""
    corpus, _, settings = dataset.rpartition("-")
    sides = {"words": 116_400_000, "subwords": 130_000_000, "vocabulary": 30_000, "unknown": 0.25}
    sides |= {"merges": 32_000, "sha256": "ab"}
    found = {f"{side}_{key}": v for side in ("source", "target") for key, v in sides.items()}
    texts = dict.fromkeys(("title", "note", "licence", "citation", "synthetic"), 'x, "y"\u2028')
    found |= {"corpus": corpus, "dataset": dataset, "settings": settings, "split": "train"}
    found |= {
        "source": "en",
        "target": "de",
        "sentences": 4_500_000,
        "dropped": "3 empty, 81 ratio",
    }
    return EncodedSplit(**(found | texts | changes))


def cells(folder: Path, sets: list[EncodedSplit], scale: str = "toy"):
    write_lines(EncodedSplit, sets, folder / "corpora.csv")
    found = plan(scale)
    known = gather(found, ROOT, folder)
    return {(c.row[-2:], c.column): c for c in all_cells(found.papers, known) if c.table == TABLE}


def dataset(row: str = "zhang2019.t2.r1", scale: str = "toy") -> str:
    return statistic_specs(plan(scale))[row].dataset


@pytest.mark.parametrize(
    ("column", "ours"),
    [("src_tokens_m", 116.4), ("tgt_tokens_m", 100.25), ("sentences_m", 4.5), ("bpe_merges_k", 31)],
)
def test_a_printed_statistic_has_that_of_the_training_set_beside_it(tmp_path, column, ours) -> None:
    train = built(dataset(), target_words=100_250_000, target_merges=30_000)
    cell = cells(tmp_path, [replace(train, split="dev", sentences=3), train])["r1", column]
    assert (cell.status, cell.verdict) == ("measured", "not-comparable")
    assert cell.ours == pytest.approx(ours)


def test_the_page_names_the_command_that_counts_again_and_trains_nothing(tmp_path) -> None:
    cell = cells(tmp_path, [built(dataset())])["r1", "sentences_m"]
    shown = {"where": "", "ours": "", "published": "", "verdict": "", "decimals": 1}
    traced = TracedCell(cell=cell, seeds={}, left_out={}, notes="", **shown)
    [origin] = origins([traced], gather(plan("toy"), ROOT, tmp_path), tmp_path)
    words = "./deepmt run --cores all tables --config scale=toy rows=zhang2019.t2.r1"
    assert origin.command == words


@pytest.mark.parametrize(("scale", "shown"), [("toy", False), ("paper", True)])
def test_statistics_of_other_text_stay_in_cells_and_out_of_tables(tmp_path, scale, shown) -> None:
    write_lines(EncodedSplit, [built(dataset("zhang2019.t2.r5", scale))], tmp_path / "corpora.csv")
    found = plan(scale)
    known = gather(found, ROOT, tmp_path)
    [paper] = found.papers
    [table] = [
        one
        for one in render_tables(paper, all_cells([paper], known), known, {})
        if one.table.id == TABLE
    ]
    assert table.cells["zhang2019.t2.r5", "sentences_m"].ours
    assert ("sentences_m.ours" in table.frame) == shown
    assert ("nothing of this table has been run" in table.label) == (not shown)
    assert (table.frame["status"]["zhang2019.t2.r5"] == "not trained") == (not shown)
    assert why_folded(table, "zhang2019.t2.r5") == (
        "" if shown else "not trained, with no number of ours"
    )


def test_a_statistic_of_a_corpus_that_was_not_built_is_not_run(tmp_path: Path) -> None:
    found = cells(tmp_path, [replace(built(dataset()), split="dev")])
    assert {cell.status for cell in found.values()} == {"not-run"}
    assert "its corpus has not been built at this scale" in found["r1", "sentences_m"].note


def test_text_without_merges_has_no_merges(tmp_path: Path) -> None:
    found = cells(tmp_path, [built(dataset(), source_merges=None, target_merges=None)])
    assert found["r1", "bpe_merges_k"].status == "not-run"
    assert found["r1", "sentences_m"].status == "measured"


def test_statistics_are_judged_at_the_paper_scale(tmp_path: Path) -> None:
    name = dataset("zhang2019.t2.r5", "paper")
    sizes = {"source_words": 3_040_000, "target_words": 3_330_000, "sentences": 160_239}
    found = cells(tmp_path, [built(name, **sizes, source_merges=30_000)], "paper")
    verdicts = {column: found["r5", column].verdict for row, column in found if row == "r5"}
    assert verdicts == {"src_tokens_m": "reproduced", "tgt_tokens_m": "contradicted",
                        "sentences_m": "reproduced", "bpe_merges_k": "contradicted"}  # fmt: skip


def test_a_statistic_is_of_the_corpus_that_the_paper_s_systems_share() -> None:
    found = plan("paper")
    for row, languages in enumerate(("en-de", "en-fr", "en-fi", "zh-en", "de-en"), 1):
        spec = statistic_specs(found)[f"zhang2019.t2.r{row}"]
        datasets = {s.dataset for s in found.specs.values() if s.data.corpus == spec.data.corpus}
        assert "-".join(spec.data.languages) == languages
        assert datasets == {spec.dataset}


def test_only_its_own_name_asks_for_the_corpora_of_a_table() -> None:
    assert requested_datasets(plan()) == []
    specs = statistic_specs(plan())
    asked = plan(rows=TABLE)
    assert set(requested_datasets(asked)) == {spec.dataset for spec in specs.values()}
    assert asked.runs == {}
