"""Findings and facts rest on the points alone: here on made-up ones."""

from pathlib import Path
from typing import Any

import invented
import pytest
from made_up_runs import ROOT, figure_of

from deepmt.config.figure_options import StabilityGrid
from deepmt.config.papers import Figure, find_figure, load
from deepmt.config.settings import load_plan
from deepmt.report.figures.facts import Finding
from deepmt.report.figures.kinds import KINDS
from deepmt.report.figures.points import table_of
from deepmt.report.figures.sources import Sources

GRID = Figure(
    id="p.fig1",
    number=1,
    section="",
    plots="",
    finding="",
    draw=StabilityGrid(table="p.table1", across={"encoder.layers": "{} layers"}),
)


def found(figure: Figure, points: list[dict[str, Any]]) -> Finding:
    """What a figure says of some points."""
    return KINDS[figure.draw.kind].find(table_of(points), figure)


def printed(name: str) -> Figure:
    """A figure of a paper by its id."""
    return find_figure(load(ROOT / f"papers/{name.partition('.')[0]}.yaml"), name)


def norms(shares: dict[tuple[str, str], float]) -> list[dict[str, Any]]:
    """Two layers of every line of Zhang's Figure 1; the upper one has the norm 1."""
    lines = printed("zhang2019.fig1").draw.lines
    return [
        {"panel": panel, "series": line.label, "x": layer, "y": share if layer == 1 else 1.0}
        for (group, panel), share in shares.items()
        for line in lines
        if line.group == group
        for layer in (1, 2)
    ]


SHARES = {
    ("vanilla", "encoder"): 0.5,
    ("vanilla", "decoder"): 0.1,
    ("DS-Init", "encoder"): 1.2,
    ("DS-Init", "decoder"): 0.8,
}


def test_norms_that_vanish_towards_the_lowest_layer_are_found_by_stack_and_group() -> None:
    facts = found(printed("zhang2019.fig1"), norms(SHARES)).facts
    assert facts["vanilla_encoder_falls_to_layer_1"]
    assert facts["vanilla_decoder_steeper_than_encoder"]
    assert facts["ds_init_encoder_rises_to_layer_1"]
    assert not facts["ds_init_decoder_rises_to_layer_1"]
    assert facts["ds_init_decoder_flatter_than_vanilla"]
    assert facts["vanilla_decoder_least_share"] == pytest.approx(0.1)


def test_norms_that_were_not_measured_decide_nothing() -> None:
    measured = {place: share for place, share in SHARES.items() if place[1] == "encoder"}
    finding = found(printed("zhang2019.fig1"), norms(measured))
    assert finding.facts["vanilla_decoder_falls_to_layer_1"] is None
    assert finding.facts["vanilla_decoder_steeper_than_encoder"] is None
    assert finding.text.endswith("0.5 (encoder) with vanilla; 1.2 (encoder) with DS-Init.")


def depths(scores: dict[int, float | None], note: str = "") -> list[dict[str, Any]]:
    """Points of Zhang's Figure 3."""
    line = {"panel": "here", "series": "DS-Init + MAtt", "note": note}
    return [line | {"x": depth, "y": score} for depth, score in scores.items()]


def test_gains_that_shrink_with_depth() -> None:
    rising = depths({6: 60.0, 12: 70.0, 18: 71.0, 20: 71.5, 30: 73.0})
    text, facts = found(printed("zhang2019.fig3"), rising)
    assert text == "DS-Init + MAtt has 60.0 at 6 layers and 73.0, its best, at 30."
    assert facts["ds_init_matt_deeper_is_better"]
    assert facts["ds_init_matt_steepest_first"]
    assert facts["ds_init_matt_gains_most_by_12"]
    assert facts["ds_init_matt_best_depth"] == 30


def test_a_depth_that_was_not_run_leaves_the_facts_open() -> None:
    text, facts = found(printed("zhang2019.fig3"), depths({6: 60.0, 12: 70.0, 30: None}))
    assert text == "DS-Init + MAtt has 60.0 at 6 layers and 70.0, its best, at 12."
    assert set(facts.values()) == {None}


def test_a_depth_that_diverged_is_no_gain() -> None:
    lost = depths({30: None}, note="2 of 2 seeds diverged at update 90")
    text, facts = found(printed("zhang2019.fig3"), depths({6: 60.0, 12: 70.0}) + lost)
    assert text.endswith("70.0, its best, at 12; it diverged at 30.")
    assert facts["ds_init_matt_deeper_is_better"] is False
    assert facts["ds_init_matt_gains_nothing_beyond_12"]


def perplexities(series: str, found: dict[int, float | None], note: str) -> list[dict[str, Any]]:
    """Points of our depth study."""
    line = {"panel": "here", "series": series, "note": note}
    return [line | {"x": depth, "y": perplexity} for depth, perplexity in found.items()]


def test_of_perplexities_the_lowest_is_the_best_and_divergence_is_worse_than_any() -> None:
    study = printed("unified.fig2")
    lost = "1 of 1 seeds diverged at update 90"
    points = perplexities("pre-norm", {6: 90.0, 12: 80.0, 18: 85.0, 24: 86.0, 36: 87.0}, "")
    points += perplexities("post-norm", {6: 70.0, 12: 60.0}, "")
    points += perplexities("post-norm", dict.fromkeys((18, 24, 36)), lost)
    for line in study.draw.panels["depths"].lines[2:]:
        points += perplexities(line.label, {6: None}, "")
    text, facts = found(study, points)
    assert "pre-norm has 90.0 at 6 layers, 80.0, its best, at 12 and 87.0 at 36" in text
    assert "60.0, its best, at 12; it diverged at 18, 24 and 36" in text
    assert facts["pre_norm_best_depth"] == 12
    assert facts["post_norm_gains_nothing_beyond_12"]
    assert facts["post_norm_worse_beyond_12"]
    assert facts["post_norm_deeper_is_better"] is False


def wang(plain: list[float], dlcl: list[float], big: float) -> list[dict[str, Any]]:
    """Points of Wang's Figure 3 (a); (b) was not run."""
    en_de, zh_en = ({"panel": panel} for panel in ("a", "b"))
    panel = printed("wang2019.fig3").draw.panels["ende"]
    points = [
        en_de | {"series": line.label, "x": x, "y": y}
        for line, values in zip(panel.lines, (plain, dlcl), strict=True)
        for x, y in zip((6, 20, 30, 35), values, strict=True)
    ]
    points += [en_de | {"series": "Base-6L", "x": 6, "y": plain[0]}]
    points += [en_de | {"series": "Big-6L", "x": 6, "y": big}]
    others = ("pre-norm", "pre-norm DLCL", "Base-6L", "Big-6L")
    return points + [zh_en | {"series": name, "x": 6} for name in others]


def test_curves_are_compared_with_a_level() -> None:
    points = wang([60, 65, 64, 63], [61, 65.4, 67, 66.9], big=65.2)
    facts = found(printed("wang2019.fig3"), points).facts
    assert facts["ende_pre_norm_like_big_6l_at_20"]
    assert facts["ende_pre_norm_worse_beyond_20"]
    assert facts["ende_pre_norm_dlcl_above_big_6l_beyond_20"]
    assert not facts["ende_pre_norm_above_big_6l_beyond_20"]
    assert facts["ende_pre_norm_dlcl_gains_nothing_beyond_30"]
    assert facts["ende_pre_norm_dlcl_minus_big_6l_at_30"] == pytest.approx(1.8)
    assert facts["zhen_pre_norm_like_big_6l_at_20"] is None


def speeds(values: list[float]) -> list[dict[str, Any]]:
    """Points of Wang's Figure 4; Big makes 200 tokens a second."""
    line = {"panel": "", "series": "pre-norm DLCL"}
    points = [line | {"x": x, "y": y} for x, y in zip((6, 16, 30), values, strict=True)]
    return [*points, {"panel": "", "series": "Big-6L", "x": 6, "y": 200.0}]


@pytest.mark.parametrize(("middle", "straight"), [(550.0, True), (401.0, False)])
def test_speed_that_falls_along_a_line(middle: float, straight: bool) -> None:
    facts = found(printed("wang2019.fig4"), speeds([600.0, middle, 400.0])).facts
    assert facts["pre_norm_dlcl_falls_with_depth"]
    assert facts["pre_norm_dlcl_is_a_straight_line"] is straight
    assert facts["pre_norm_dlcl_at_30_over_big_6l"] == pytest.approx(2.0)


def buckets(last: float | None) -> list[dict[str, Any]]:
    """Points of Liu's Figure 3."""
    options = printed("liu2020.fig3").draw
    return [
        {"panel": panel.label, "series": line.label, "x": x, "y": y}
        for panel in options.panels.values()
        for line, values in zip(options.lines, ((30.0, 50.0), (40.0, last)), strict=True)
        for x, y in zip(("<10", "10–19"), values, strict=True)
    ]


@pytest.mark.parametrize(("last", "better"), [(60.0, True), (45.0, False), (None, None)])
def test_a_deep_model_is_better_in_every_bucket_or_not(
    last: float | None, better: bool | None
) -> None:
    facts = found(printed("liu2020.fig3"), buckets(last)).facts
    assert facts["admin_60l_12l_better_in_every_bucket_of_length"] is better
    assert facts["admin_60l_12l_better_everywhere"] is better


def test_a_grid_says_who_trained_everywhere_and_where_others_diverged() -> None:
    text, facts = found(
        GRID,
        [
            {"series": "post-norm", "x": "2 layers", "y": 1.0, "note": "trained"},
            {"series": "post-norm", "x": "12 layers", "y": 0.0, "note": "diverged at update 90"},
            {"series": "ADMIN", "x": "12 layers", "y": 1.0, "note": "trained"},
            {"series": "pre-norm", "x": "12 layers", "note": "not run"},
        ],
    )
    assert "Trained wherever it was run: ADMIN." in text
    assert "Not post-norm at 12 layers (diverged at update 90)." in text
    assert facts["post_norm_trains_everywhere"] is False
    assert facts["pre_norm_trains_everywhere"] is None
    assert facts["fields_post_norm_fails_in"] == 1


@pytest.mark.parametrize(
    ("bleu", "share", "note"),
    [((30.0, 31.0), 1.0, "trained"), ((0.3, 30.0), 0.5, "0.3 BLEU"), ((0.3, 4.9), 0.0, "0.3 BLEU")],
)
def test_a_seed_below_5_bleu_did_not_train(
    bleu: tuple[float, ...], share: float, note: str, tmp_path: Path
) -> None:
    for seed, value in enumerate(bleu, 1):
        invented.write_result(tmp_path, invented.record("p.r1", seed, bleu=value))
    known = Sources(
        paper=invented.PAPER,
        ledger=invented.ledger(tmp_path),
        scale=load_plan(ROOT, {}).scale,
        results=tmp_path,
        shelf=tmp_path,
    )
    points = KINDS["stability-grid"].gather(GRID, known)
    point, *_ = points[points.run == invented.SPECS["p.r1"].run].itertuples()
    assert point.y == share
    assert point.note.startswith(note)


def test_what_a_speed_file_holds_becomes_points(tmp_path: Path) -> None:
    lines = "table,row,measure,ours,spread,rounds,note\n"
    lines += "wang2019.fig4,ende-big-6l-pre,tokens_per_s,9,1,2,x\n"
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy/speed.csv").write_text(lines)
    figure, found = figure_of("wang2019", "fig4", tmp_path / "toy")
    points = KINDS["speed-by-depth"].gather(figure, found)
    [big] = points[points.series == "Big-6L"].itertuples()
    assert (big.x, big.y, big.spread) == (6, 9, 1)
    assert set(points[points.series != "Big-6L"].note) == {"not measured: run the target speed"}
