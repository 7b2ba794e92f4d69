"""Findings and facts rest on the points alone: here on made-up ones."""

from functools import cache
from pathlib import Path
from typing import Any

import invented
import pytest
from made_up_runs import ROOT, figure_of

from deepmt.config.papers import Paper, find_figure, load
from deepmt.report.figures.figure_files import KINDS
from deepmt.report.figures.figure_points import as_points
from deepmt.report.figures.findings import Finding
from deepmt.report.figures.stability_grid import outcome


@cache
def paper_of(name: str) -> Paper:
    return load(ROOT / f"papers/{name.partition('.')[0]}.yaml")


def found(name: str, points: list[dict[str, Any]]) -> Finding:
    """Return what a figure says of some points."""
    figure = find_figure(paper_of(name), name)
    return KINDS[figure.draw.kind](figure, paper_of(name)).find(as_points(points))


def norms(shares: dict[tuple[str, str], float], spread: float = 0.05) -> list[dict[str, Any]]:
    """Return two layers of every line of Zhang's Figure 1; the upper one has the norm 1."""
    return [
        {"panel": panel, "series": f"{group}, {depth} layers", "x": layer, "y": norm}
        | {"spread": spread * norm, "seeds": 2}
        for (group, panel), share in shares.items()
        for depth in (6, 12, 18)
        for layer, norm in enumerate((share, 1.0), 1)
    ]


SHARES = {
    ("vanilla", "encoder"): 0.5,
    ("vanilla", "decoder"): 0.1,
    ("DS-Init", "encoder"): 1.2,
    ("DS-Init", "decoder"): 0.8,
}


def test_norms_that_vanish_towards_the_lowest_layer_are_found_by_stack_and_group() -> None:
    facts = found("zhang2019.fig1", norms(SHARES)).facts
    assert facts["vanilla_encoder_falls_to_layer_1"]
    assert facts["vanilla_decoder_steeper_than_encoder"]
    assert facts["ds_init_encoder_rises_to_layer_1"]
    assert not facts["ds_init_decoder_rises_to_layer_1"]
    assert facts["ds_init_decoder_flatter_than_vanilla"]


def test_norms_that_differ_by_less_than_their_noise_decide_nothing() -> None:
    facts = found("zhang2019.fig1", norms(SHARES, spread=0.3)).facts
    assert facts["vanilla_decoder_falls_to_layer_1"]
    assert facts["ds_init_encoder_rises_to_layer_1"] is None
    assert facts["ds_init_decoder_falls_to_layer_1"] is None


def test_norms_that_were_not_measured_decide_nothing() -> None:
    measured = {place: share for place, share in SHARES.items() if place[1] == "encoder"}
    finding = found("zhang2019.fig1", norms(measured))
    assert finding.facts["vanilla_decoder_falls_to_layer_1"] is None
    assert finding.facts["vanilla_decoder_steeper_than_encoder"] is None
    assert finding.text.endswith("0.5 (encoder) with vanilla; 1.2 (encoder) with DS-Init.")


def depths(scores: dict[int, float | None], note: str = "") -> list[dict[str, Any]]:
    """Points of Zhang's Figure 3."""
    line = {"panel": "WMT14 En-De, base (here: toy)", "series": "DS-Init + MAtt", "note": note}
    return [line | {"x": depth, "y": score} for depth, score in scores.items()]


def test_a_curve_is_described_from_its_first_to_its_best_to_its_last_depth() -> None:
    figure = "zhang2019.fig3"
    assert found(figure, depths({6: 60.0, 12: 70.0, 30: 65.0})).text == (
        "DS-Init + MAtt has 60.0 at 6 layers, 70.0, its best, at 12 and 65.0 at 30."
    )
    text = found(figure, depths({6: 60.0, 12: 70.0, 30: None})).text
    assert text == "DS-Init + MAtt has 60.0 at 6 layers and 70.0, its best, at 12."
    assert found(figure, depths({6: None})).text == "Not run."


def test_a_depth_that_diverged_is_named() -> None:
    lost = depths({30: None}, note="2 of 2 seeds diverged at update 90")
    text = found("zhang2019.fig3", depths({6: 60.0, 12: 70.0}) + lost).text
    assert text.endswith("70.0, its best, at 12; it failed at 30.")
    assert found("zhang2019.fig3", lost).text.endswith("failed at 30 layers.")


def test_of_equally_deep_systems_each_needs_a_line() -> None:
    with pytest.raises(ValueError, match="same depth"):
        found("zhang2019.fig3", depths({6: 60.0}) + depths({6: 61.0}))


def test_of_perplexities_the_lowest_is_the_best() -> None:
    line = {"panel": "Depth study (here: toy)", "series": "pre-norm"}
    points = [line | {"x": x, "y": y} for x, y in {6: 90.0, 12: 80.0, 18: 85.0}.items()]
    text = found("unified.fig2", points).text
    assert "pre-norm has 90.0 at 6 layers, 80.0, its best, at 12 and 85.0 at 18" in text


def test_levels_are_named_beside_the_curves_of_their_panel() -> None:
    panel = {"panel": "(a) WMT En-De (here: toy)"}
    points = [panel | {"series": "pre-norm", "x": 6, "y": 60.0}]
    points += [panel | {"series": "Big-6L", "x": 6, "y": 65.2}]
    text = found("wang2019.fig3", points).text
    assert text == "(a) WMT En-De: pre-norm has 60.0 at 6 layers; Big-6L has 65.2."


def speeds(values: list[float], spread: float = 0.2) -> list[dict[str, Any]]:
    """Points of Wang's Figure 4; Big makes 200 tokens a second."""
    line = {"panel": "", "series": "pre-norm DLCL"}
    line |= {"spread": spread, "seeds": 3}
    points = [line | {"x": x, "y": y} for x, y in zip((6, 16, 30), values, strict=True)]
    return [*points, line | {"series": "Big-6L", "x": 6, "y": 200.0}]


@pytest.mark.parametrize(("middle", "straight"), [(550.0, True), (410.0, False)])
def test_speed_that_falls_along_a_line(middle: float, straight: bool) -> None:
    facts = found("wang2019.fig4", speeds([600.0, middle, 400.0])).facts
    assert facts["pre_norm_dlcl_falls_with_depth"]
    assert facts["pre_norm_dlcl_is_a_straight_line"] is straight
    assert facts["pre_norm_dlcl_at_30_faster_than_big_6l"]
    assert facts["pre_norm_dlcl_at_30_over_big_6l"] == pytest.approx(2.0)


def test_speeds_that_differ_by_less_than_their_noise_decide_nothing() -> None:
    noisy = found("wang2019.fig4", speeds([420.0, 410.0, 400.0], spread=10.0)).facts
    assert noisy["pre_norm_dlcl_falls_with_depth"] is None
    assert noisy["pre_norm_dlcl_at_30_faster_than_big_6l"]
    rises = found("wang2019.fig4", speeds([600.0, 500.0, 550.0])).facts
    assert rises["pre_norm_dlcl_falls_with_depth"] is False
    level = found("wang2019.fig4", speeds([600.0, 600.0, 550.0])).facts
    assert level["pre_norm_dlcl_falls_with_depth"] is True


def buckets(last: float | None) -> list[dict[str, Any]]:
    """Points of Liu's Figure 3."""
    options = find_figure(paper_of("liu2020.fig3"), "liu2020.fig3").draw
    return [
        {"panel": panel, "series": line.label, "x": x, "y": y and y + seed, "seed": str(seed)}
        for seed in (1, 2, 3)
        for panel in ("(a) by frequency", "(b) by length")
        for line, values in zip(options.lines, ((30.0, 50.0), (40.0, last)), strict=True)
        for x, y in zip(("<10", "10–19"), values, strict=True)
    ]


@pytest.mark.parametrize(
    ("last", "better"), [(60.0, True), (51.0, None), (45.0, False), (None, None)]
)
def test_a_deep_model_is_better_in_every_bucket_or_not(
    last: float | None, better: bool | None
) -> None:
    facts = found("liu2020.fig3", buckets(last)).facts
    assert facts["admin_60l_12l_better_everywhere"] is better


def test_a_grid_says_who_trained_everywhere_and_where_others_diverged() -> None:
    text = found(
        "unified.fig1",
        [
            {"series": "post-norm", "x": "2 layers", "y": 1.0, "note": "trained"},
            {"series": "post-norm", "x": "12 layers", "y": 0.0, "note": "diverged at update 90"},
            {"series": "ADMIN", "x": "12 layers", "y": 1.0, "note": "trained"},
            {"series": "pre-norm", "x": "12 layers", "note": "not run"},
        ],
    ).text
    assert "Trained wherever it was run: ADMIN." in text
    assert "Not post-norm at 12 layers (diverged at update 90)." in text


@pytest.mark.parametrize(
    ("bleu", "share", "note"),
    [((30.0, 31.0), 1.0, "trained"), ((0.3, 30.0), 0.5, "0.3 BLEU"), ((0.3, 4.9), 0.0, "0.3 BLEU")],
)
def test_a_seed_below_5_bleu_did_not_train(
    bleu: tuple[float, ...], share: float, note: str, tmp_path: Path
) -> None:
    for seed, value in enumerate(bleu, 1):
        invented.write_result(tmp_path, invented.record("p.r1", seed, bleu=value))
    point = outcome(invented.results(tmp_path).records_of(invented.ROWS[0]))
    assert point["y"] == share
    assert point["note"].startswith(note)


def test_what_a_speed_file_holds_becomes_points(tmp_path: Path) -> None:
    lines = "table,row,measure,ours,spread,rounds,note\n"
    lines += "wang2019.fig4,ende-big-6l-pre,tokens_per_s,9,1,2,x\n"
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy/speed.csv").write_text(lines)
    figure, data = figure_of("wang2019.fig4", tmp_path / "toy")
    points = KINDS["speed-by-depth"](figure, data.paper).gather(data)
    [big] = points[points.series == "Big-6L"].itertuples()
    assert (big.x, big.y, big.spread) == (6, 9, 1)
    assert set(points[points.series != "Big-6L"].note) == {"not measured: run the target speed"}
