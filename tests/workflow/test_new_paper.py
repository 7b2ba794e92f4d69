"""A paper is one file: an invented one is planned, compared, shown and judged, no code changed."""

from itertools import chain
from pathlib import Path

import pandas as pd
import pytest
from made_up import fill, render
from run_snakemake import jobs_of, run_snakemake
from test_workflow import ROOT

import params
import projects
from deepmt.config.papers import load
from deepmt.config.settings import load_plan
from deepmt.metrics.speed_rows import comparisons

PAPER = """\
paper: {key: invented2021, title: Deeper and wider, authors: [A. Writer], year: 2021}
vocabulary: {wmt14-en-de: [32000, 32000]}
systems:
  base:
    data.corpus: wmt14-en-de
    width: base
    encoder.layers: 7
    decoder.layers: 3
    training.updates: 100000
    training.batch_tokens: 25000
    training.lr: 1.0e-3
    training.warmup: 4000
    lr_times: 0.5
  deeper: {from: base, encoder.layers: 9, method.norm: pre}
tables:
  - id: invented2021.table1
    number: 1
    caption: Two systems
    columns:
      bleu: {label: BLEU, unit: BLEU, decimals: 1, better: higher, measure: bleu}
      size: {label: Params, unit: million parameters, decimals: 0, measure: params_m}
      time: {label: Decoding, unit: seconds, decimals: 1, better: lower, measure: decode_s}
    rows:
      - {id: invented2021.t1.base, label: Base, status: trained, system: base,
         values: {bleu: 27.3, size: 99}, remark: its size counts the word lists too}
      - {id: invented2021.t1.deep, label: Deeper, status: trained, system: deeper,
         values: {bleu: 28.4, time: 61.5}}
      - {id: invented2021.t1.other, label: Theirs, status: quoted, values: {time: 80.0}}
figures:
  - id: invented2021.fig1
    number: 1
    section: '4'
    plots: which systems train
    finding: both do
    systems: [base, deeper]
    draw:
      kind: score-by-depth
      panels:
        - {label: BLEU, y: BLEU, table: invented2021.table1, column: bleu,
           lines: [{label: Base, systems: [base]}, {label: Deeper, systems: [deeper]}]}
claims:
  - id: invented2021.c01
    where: abstract
    kind: quantitative
    statement: deeper is better
    rests_on: [invented2021.table1]
    judge: [{of: t1.deep.bleu, above: t1.base.bleu}]
"""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project's settings and rules, its code as it is, and one more paper."""
    root = tmp_path_factory.mktemp("project")
    projects.checkout(root, "papers")
    (root / "papers/invented2021.yaml").write_text(PAPER)
    return root


@pytest.fixture(scope="module")
def results(root: Path) -> Path:
    """What the script makes of it with made-up records: cells, table, figure, claims."""
    plan = load_plan(root, {"papers": "invented2021", "rows": "all"})
    fill(root, plan)
    results = root / "results/toy"
    results.mkdir(parents=True)
    params.main(output=results / "params.csv", papers=("invented2021",), root=root)
    return render(root, ["invented2021"])


def planned(root: Path, *flags: str) -> str:
    """What Snakemake would do."""
    found = run_snakemake(root, "-n", "--cores", "1", *flags)
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_its_runs_cells_table_figure_and_claims_are_planned(root: Path) -> None:
    said = planned(root, "--config", "rows=invented2021.table1", "seeds=7")
    for job in ("Train post-7-3-d64", "Train pre-9-3-d64"):
        assert job in said
    assert [jobs_of(said)[rule] for rule in ("params", "render")] == [1, 1]


@pytest.mark.slow
@pytest.mark.parametrize("asked", ["all", "liu2020"])
def test_its_printed_times_are_measured_beside_those_of_others(root: Path, asked: str) -> None:
    said = planned(root, "-p", "speed", "--config", f"papers={asked}")
    assert "speed.py --papers wang2019 zhang2019 invented2021 --threads" in said
    [*_, entry] = chain(*comparisons(load(root / "papers/invented2021.yaml")))
    assert (entry.row, entry.printed) == ("invented2021.t1.deep", {"decode_s": 61.5})


def test_it_is_among_all_papers_in_the_order_of_years(root: Path) -> None:
    keys = [paper.key for paper in load_plan(root, {"papers": "all"}).papers]
    assert keys[0] == "unified"
    assert keys[-2:] == ["liu2020", "invented2021"]


def test_its_printed_values_have_cells_with_ours(results: Path) -> None:
    found = pd.read_csv(results / "cells.csv")
    assert list(found.row + "." + found.column) == [
        f"invented2021.t1.{cell}"
        for cell in ("base.bleu", "base.size", "deep.bleu", "deep.time", "other.time")
    ]
    assert list(found.published) == [27.3, 99.0, 28.4, 61.5, 80.0]
    assert list(found.status) == ["recorded", "measured", "recorded", "not-run", "quoted"]
    assert found.note[1] == "its size counts the word lists too"


@pytest.mark.parametrize("kind", ["md", "html", "tex"])
def test_its_table_is_rendered_with_both_values(results: Path, kind: str) -> None:
    text = (results / f"tables/invented2021.{kind}").read_text()
    cells = pd.read_csv(results / "cells.csv")
    ours = cells[cells.column == "bleu"].ours
    assert "Two systems" in text
    for value in ("27.3", "28.4", *(f"{value:.1f}" for value in ours)):
        assert value in text


def test_its_figure_is_drawn(results: Path) -> None:
    points = pd.read_csv(results / "figures/invented2021.fig1.csv")
    assert points[points.source == "ours"].run.nunique() == 2
    assert "<svg" in (results / "figures/invented2021.fig1.svg").read_text()


def test_its_claim_is_judged_from_the_cells(results: Path) -> None:
    [claim] = pd.read_csv(results / "claims.csv").itertuples()
    assert (claim.claim, claim.scale) == ("invented2021.c01", "toy")
    assert claim.status in ("holds", "fails", "undecided")


def test_its_runs_are_no_other_paper_s(root: Path) -> None:
    own = load_plan(root, {"papers": "invented2021", "rows": "all"})
    assert set(own.runs).isdisjoint(load_plan(ROOT, {"rows": "all"}).every_run)
