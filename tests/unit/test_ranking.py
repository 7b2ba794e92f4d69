"""The ranking says which system is best, and if depth pays, from records alone."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import invented
import made_up
import pytest
from made_up_cells import cell

import projects
from deepmt.judge.answer import Answer, TrainedSystem, Verdict
from deepmt.judge.cells import all_cells
from deepmt.judge.ranking import (
    ONE_SEED,
    PAYS,
    RankedSystem,
    Ranking,
    paper_findings,
    rates_that_train,
    recorded_ranking,
    too_few_updates,
)
from deepmt.report.page.html_table import outcome
from deepmt.report.rendered_tables import render_tables
from deepmt.results.results import gather

ROOT = Path(__file__).parents[2]


def system(label: str, values: Sequence[float], *, deep: bool = True) -> RankedSystem:
    row = SimpleNamespace(label=label)
    scores = [{"test": {"bleu": SimpleNamespace(value=value)}} for value in values]
    seeds = [SimpleNamespace(scores=one) for one in scores]
    layers = (12, 12) if deep else (3, 3)
    return RankedSystem(
        system=TrainedSystem(row=row, seeds=seeds, layers=layers, deep=deep, dev=()),
        cell=cell("a.bleu", 1.0), half=1.0, parameters=1, rates="", note="",
    )  # fmt: skip


def ranking(*systems: RankedSystem, depth: Answer | None = None) -> Ranking:
    trained = sorted((one for one in systems if one.system.bleu), key=lambda one: -one.mean)
    failed = tuple(one for one in systems if not one.system.bleu)
    baseline = next((one for one in systems if not one.system.deep), None)
    return Ranking(
        title="", note="", systems=tuple(trained), failed=failed, baseline=baseline, depth=depth,
    )  # fmt: skip


SHALLOW = system("plain", (20.0, 20.5, 21.0), deep=False)


@pytest.mark.parametrize("verdict", PAYS)
@pytest.mark.parametrize("noise", [0.1, math.inf])
def test_the_headline_says_if_depth_pays_by_the_interval(verdict: Verdict, noise: float) -> None:
    answer = Answer(
        one=SimpleNamespace(name="12+12 new"),
        other=SimpleNamespace(name="3+3 plain", row=SimpleNamespace(id="a")),
        verdict=verdict,
        intervals=dict.fromkeys(("log perplexity", "chrF", "BLEU"), (-0.2, noise)),
    )
    said = ranking(SHALLOW, system("new", (30.0, 31.0)), depth=answer).headline()
    known = math.isfinite(noise)
    interval = " (0.741 to 0.905)" if known else ""
    assert said == (
        "12+12 new is first of 2 systems, with 30.5 BLEU."
        f" {PAYS[verdict] if known else ONE_SEED}: 12+12 new has"
        f" 0.819{interval} times the perplexity of 3+3 plain, the best shallow system, and"
        f" -0.2{' ± 0.1' if known else ''} chrF and -0.2{' ± 0.1' if known else ''} BLEU."
    )


@pytest.mark.parametrize(
    ("systems", "said"),
    [
        (
            (system("a", (9.0, 9.5)), system("b", (8.0, 8.5))),
            "12+12 a is first of 2 systems, with 9.2 BLEU. Nothing says if depth pays: only one"
            " depth trains.",
        ),
        (
            (SHALLOW, system("new", ())),
            "1 of 2 systems train, 3+3 plain: there is nothing to rank.",
        ),
    ],
)
def test_one_depth_or_system_alone_tells_nothing(systems: Any, said: str) -> None:
    assert ranking(*systems).headline() == said


def test_too_few_updates_rank_no_method() -> None:
    recipe = {"training": {"divergence_patience": 1500.0}}
    seeds: Any = [SimpleNamespace(outcome="finished", updates=360, spec=recipe)]
    said = too_few_updates(seeds)
    assert said.startswith("Too few updates to tell: 360, and a system may need 1,500 to learn")
    ranked = replace(ranking(SHALLOW, system("new", (30.0, 31.0))), too_few=said)
    assert ranked.headline() == said
    seeds[0].updates = 1500
    assert too_few_updates(seeds) == ""


def test_everything_that_is_drawn_lies_on_the_axis() -> None:
    found = ranking(SHALLOW, system("new", (10.0, 50.0)))
    places = [found.place(value) for one in found.systems for value in one.system.bleu]
    assert min(places) == 0
    assert max(places) == 100


def test_a_rate_trains_if_one_warm_up_does_in_every_trial(tmp_path: Path) -> None:
    path = tmp_path / "toy.rates.csv"
    lines = ["a,0.001,100,finished", "a,0.002,100,finished", "a,0.002,100,stalled at update 9"]
    lines += ["a,0.004,100,stalled at update 3", "a,0.004,200,finished", "b,0.001,100,diverged"]
    path.write_text("system,lr,warmup,outcome\n" + "\n".join(lines) + "\n")
    assert rates_that_train(path) == {"a": "1 to 4", "b": "none"}
    assert rates_that_train(tmp_path / "none.csv") == {}


@pytest.fixture(scope="module")
def archived() -> dict[str, Ranking]:
    scales = ("multi30k-fair", "multi30k-narrow", "iwslt14-narrow")
    return {scale: recorded_ranking(ROOT, scale) for scale in scales}


def test_the_ranking_of_real_text_is_by_means_and_lists_failures_apart(archived) -> None:
    fair = archived["multi30k-fair"]
    assert [one.mean for one in fair.systems] == sorted(
        (o.mean for o in fair.systems), reverse=True
    )
    assert all(one.mean == pytest.approx(one.cell.ours) for one in fair.systems)
    assert fair.baseline is not None
    assert fair.baseline.system.name == "3+3 post-norm"
    assert len(fair.differences) == len(fair.systems) - 1
    assert [one.system.name for one in fair.failed] == ["12+12 post-norm"]
    assert "collapsed at updates" in fair.failed[0].note


@pytest.mark.parametrize(("trial", "tables"), [(True, 0), (False, 1)])
def test_a_scale_with_trials_alone_has_no_ranking(tmp_path: Path, trial: bool, tables: int) -> None:
    root = made_up.project(tmp_path)
    line = (ROOT / "records/multi30k-narrow.jsonl").read_text().partition("\n")[0]
    if trial:
        line = invented.line(json.loads(line) | {"scores": {}}).strip()
    (root / "records/multi30k-narrow.jsonl").write_text(f"{line}\n")
    folder = made_up.render(root, ["unified"], recorded=("multi30k-narrow",))
    assert (folder / "report.html").read_text().count('id="scale-1"') == tables


def test_recorded_real_text_decides_what_each_paper_finds(archived: dict[str, Ranking]) -> None:
    found = {scale: one.findings for scale, one in archived.items()}
    narrow = found["multi30k-narrow"]
    assert {one.paper for one in narrow} == {"bapna2018", "liu2020", "wang2019", "zhang2019"}
    assert {one.status for one in narrow} >= {"holds", "fails"}
    assert "not-measured" not in {one.status for every in found.values() for one in every}
    [wang] = [one for one in narrow if one.statement.startswith("deep pre-norm trains")]
    assert wang.status == "holds"
    assert wang.seen.startswith("12+12 post-norm trains 0 of 3 seeds; 12+12 pre-norm 27.0 ± 0.7")


def test_merged_attention_is_undecided_until_both_exponents_have_run(archived) -> None:
    narrow = archived["multi30k-narrow"].findings
    [zhang] = [one for one in narrow if one.statement.startswith("deep DS-Init + MAtt")]
    other = "DS-Init (Eq. 15, l^-1/2) + MAtt was not run"
    assert (zhang.status == "undecided") == (other in zhang.seen)
    assert "12+12 DS-Init + MAtt trains 0 of 3 seeds" in zhang.seen


def test_a_finding_names_rows_that_were_not_run() -> None:
    plan = projects.plan(scale="multi30k-narrow", papers="unified", **{"from": "records"})
    results, [paper] = gather(plan, ROOT, ROOT / plan.config.results), plan.papers
    cells = [
        replace(cell, ours=None, spread=None, trained=None, seeds=0, status="not-run")
        if cell.row == "unified.t1.shallow-pre"
        else cell
        for cell in all_cells([paper], results)
    ]
    [seen] = [
        finding.seen
        for finding in paper_findings(paper, results, cells)
        if finding.statement.startswith("deep pre-norm trains")
    ]
    ran = "12+12 post-norm trains 0 of 3 seeds; 12+12 pre-norm 27.0 ± 0.7"
    assert seen == f"{ran}; pre-norm was not run"


@pytest.mark.parametrize(("bleu", "kind"), [(20.0, ""), (1.5, "undecided")])
def test_a_row_that_learned_nothing_is_never_green(tmp_path: Path, bleu: float, kind: str) -> None:
    invented.write_result(tmp_path, invented.record("p.r1", bleu=bleu))
    known = invented.results(tmp_path)
    [table, *_] = render_tables(invented.PAPER, all_cells([invented.PAPER], known), known, {})
    assert outcome(table, "p.r1") == kind
