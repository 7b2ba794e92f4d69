"""The board tells which methods train at which depth, from records alone."""

import json
import random
from dataclasses import replace
from pathlib import Path

import invented
import made_up
import pytest

from deepmt.config.settings import load_plan
from deepmt.report.boards import Board, Tile, paper_findings, recorded_board
from deepmt.report.page.board import BoardView, tile_words, views
from deepmt.report.page.html_table import colour_of
from deepmt.report.rendered_tables import render_tables
from deepmt.results.cells import all_cells
from deepmt.results.results import gather

ROOT = Path(__file__).parents[2]


def tile(method: str, outcome: str, trained: int, **changes) -> Tile:
    made = Tile(
        method=method, deep=True, depth=(12, 12), outcome=outcome, bleu=20.0, spread=0.5,
        trained=trained, seeds=3, note="1 of 3 seeds diverged at update 90",
        loss=((20, 9.0), (40, 5.0)),
    )  # fmt: skip
    return replace(made, **changes)


def view(*tiles: Tile) -> BoardView:
    return BoardView(board=Board(scale="toy", title="Toy", note="", recorded=False, tiles=tiles))


@pytest.mark.parametrize("seed", range(5))
def test_the_headline_counts_every_deep_method_once(seed: int) -> None:
    draw = random.Random(seed)
    outcomes = {"trained": 3, "partly": 2, "learned-nothing": 0, "failed": 0}
    drawn = {f"m{i}": draw.choice(list(outcomes)) for i in range(6)}
    text = view(*(tile(name, kind, outcomes[kind]) for name, kind in drawn.items())).headline()
    assert text.startswith("Of 6 methods with 12+12 layers, ")
    for words, kinds in {"every seed": ["trained"], "some": ["partly"]}.items():
        own = [name for name, kind in drawn.items() if kind in kinds]
        verb = "trains" if len(own) == 1 else "train"
        assert (f"{len(own)} {verb} with {words}" in text) == bool(own)
    assert all(text.count(name) == 1 for name in drawn)


def test_one_deep_exception_does_not_make_the_headline() -> None:
    usual = [tile(f"m{i}", "trained", 3) for i in range(5)]
    text = view(*usual, tile("odd", "trained", 1, depth=(40, 12))).headline()
    assert text.startswith("Of 5 methods with 12+12 layers, 5 train with every seed")


def test_sparklines_of_a_board_share_their_axes() -> None:
    two = view(
        tile("a", "trained", 3), tile("b", "failed", 0, loss=((20, 7.0), (80, float("nan"))))
    )
    assert two.sparkline(two.board.tiles[0]) == "25.0,0.0 50.0,24.0"
    assert two.sparkline(two.board.tiles[1]) == "25.0,12.0"


def test_how_seeds_failed_is_said() -> None:
    assert tile_words(tile("a", "trained", 3)) == "3 of 3 seeds train"
    assert tile_words(tile("a", "partly", 2)).startswith("2 of 3 seeds train; 1 of 3 seeds div")
    assert tile_words(tile("a", "failed", 0)) == "1 of 3 seeds diverged at update 90"


@pytest.fixture(scope="module")
def archived() -> list[Board]:
    return [recorded_board(ROOT, scale) for scale in ("multi30k-narrow", "iwslt14-narrow")]


def test_the_boards_of_real_text_tell_which_methods_train(archived: list[Board]) -> None:
    found = {one.board.scale: one for one in views(archived)}
    narrow = found["multi30k-narrow"].board
    assert all(
        one.bleu is None or one.bleu >= 5 for one in narrow.tiles if one.outcome == "trained"
    )
    assert {one.outcome for one in narrow.tiles} >= {"trained", "partly", "learned-nothing"}


@pytest.mark.parametrize(("trial", "boards"), [(True, 0), (False, 1)])
def test_a_scale_with_trials_alone_has_no_board(tmp_path: Path, trial: bool, boards: int) -> None:
    root = made_up.project(tmp_path)
    line = (ROOT / "records/multi30k-narrow.jsonl").read_text().partition("\n")[0]
    if trial:
        line = invented.line(json.loads(line) | {"scores": {}}).strip()
    (root / "records/multi30k-narrow.jsonl").write_text(f"{line}\n")
    folder = made_up.render(root, ["unified"], recorded=("multi30k-narrow",))
    assert (folder / "report.html").read_text().count('name="board"') == boards


def test_recorded_real_text_decides_what_each_paper_finds(archived: list[Board]) -> None:
    found = {one.scale: one.findings for one in archived}
    narrow = found["multi30k-narrow"]
    assert {one.paper for one in narrow} == {"bapna2018", "liu2020", "wang2019", "zhang2019"}
    assert {one.status for one in narrow} >= {"holds", "fails"}
    assert "not-measured" not in {one.status for every in found.values() for one in every}
    [wang] = [one for one in narrow if one.statement.startswith("deep pre-norm trains")]
    assert wang.status == "holds"
    assert wang.seen.startswith("post-norm 12+12 trains 0 of 3 seeds; pre-norm 12+12 27.0 ± 0.7")


def test_merged_attention_is_undecided_until_both_exponents_have_run(archived) -> None:
    [narrow] = [one.findings for one in archived if one.scale == "multi30k-narrow"]
    [zhang] = [one for one in narrow if one.statement.startswith("deep DS-Init + MAtt")]
    other = "DS-Init (Eq. 15, l^-1/2) + MAtt was not run"
    assert (zhang.status == "undecided") == (other in zhang.seen)
    assert "DS-Init + MAtt 12+12 trains 0 of 3 seeds" in zhang.seen


def test_a_finding_names_rows_that_were_not_run() -> None:
    plan = load_plan(ROOT, {"scale": "multi30k-narrow", "papers": "unified", "from": "records"})
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
    ran = "post-norm 12+12 trains 0 of 3 seeds; pre-norm 12+12 27.0 ± 0.7"
    assert seen == f"{ran}; pre-norm was not run"


@pytest.mark.parametrize(("bleu", "colour"), [(20.0, "var(--good)"), (1.5, "var(--unsure)")])
def test_a_row_that_learned_nothing_is_never_green(
    tmp_path: Path, bleu: float, colour: str
) -> None:
    invented.write_result(tmp_path, invented.record("p.r1", bleu=bleu))
    known = invented.results(tmp_path)
    [table, *_] = render_tables(invented.PAPER, all_cells([invented.PAPER], known), known, {})
    [state] = [state for row, state in zip(table.rows, table.states, strict=True) if row == "p.r1"]
    assert colour_of(table, "p.r1", state) == colour
