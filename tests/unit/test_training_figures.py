"""Figures of what happened during training say what made-up curves were made to show."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_up_runs import ROOT, figure_of, write_curves_of, write_runs

from deepmt.config.papers import find_figure, load
from deepmt.report.figures.figure_files import Drawn, make
from deepmt.report.figures.figure_points import as_points
from deepmt.report.figures.findings import Fact
from deepmt.report.figures.over_training import LearningCurveFigure
from deepmt.results.records import FAILURES

UPDATES = list(range(20, 401, 20))
Sections = dict[str, Any]


@pytest.fixture
def drawn(tmp_path: Path) -> Callable[..., Drawn]:
    """The figure of made-up curves, by system several seeds, or one for two that are alike."""

    def draw(name: str, **systems: Sections | list[Sections]) -> Drawn:
        _, empty = figure_of(name, tmp_path)
        seeds = {
            k: found if isinstance(found, list) else [found] * 2 for k, found in systems.items()
        }
        write_curves_of(tmp_path, empty, **seeds)
        return make(*figure_of(name, tmp_path))

    return draw


def norms(first: Callable[[int], float], last: Callable[[int], float]) -> list[list[float]]:
    return [[first(time), 3.0, last(time)] for time in range(len(UPDATES))]


def signals(ratio: Callable[[int], float]) -> Sections:
    return {
        "output_gradients": {
            "update": UPDATES,
            "encoder": norms(lambda t: 4 * ratio(t), lambda t: 4),
        }
    }


def facts_of(figure: Drawn, *names: str) -> list[Fact]:
    return [figure.summary["facts"][name] for name in names]


FIG4 = ("less_stable_than_with_ds_init", "vanishes_at_the_first_layer", "steeper_than_with_ds_init")


def gradients(share: float, jump: float) -> Sections:
    """The first decoder layer's norm is a share of the last one's; both jump at every update."""
    decoder = norms(lambda t: share * jump ** (t % 2), lambda t: jump ** (t % 2))
    encoder = norms(lambda t: jump ** (t % 2), lambda t: jump ** (t % 2))
    return {"gradients": {"update": UPDATES, "encoder": encoder, "decoder": decoder}}


def test_gradients_that_jump_and_vanish_without_ds_init_are_found(drawn) -> None:
    figure = drawn(
        "zhang2019.fig4",
        ende_base_18l_post_5k=[gradients(0.14, 3.4), gradients(0.15, 3.5), gradients(0.16, 3.6)],
        ende_base_18l_post_dsinit_5k=[
            gradients(0.9, 1.4),
            gradients(0.85, 1.3),
            gradients(0.8, 1.2),
        ],
    )
    names = [f"without_ds_init_decoder_{name}" for name in FIG4]
    assert facts_of(figure, *names) == [True, True, True]
    assert facts_of(figure, "with_ds_init_decoder_vanishes_at_the_first_layer") == [False]
    assert figure.summary["status"] == "measured"
    text = "0.15 in the decoder without DS-Init, where norms change by a factor of 3.50"
    assert text in figure.summary["finding"]


def test_seeds_that_disagree_leave_a_fact_undecided(drawn) -> None:
    figure = drawn(
        "zhang2019.fig4",
        ende_base_18l_post_5k=[gradients(0.1, 4.0), gradients(0.3, 1.6), gradients(0.6, 2.1)],
        ende_base_18l_post_dsinit_5k=gradients(0.8, 1.5),
    )
    assert facts_of(figure, *(f"without_ds_init_decoder_{name}" for name in FIG4)) == [None] * 3


def test_one_seed_decides_no_fact(drawn) -> None:
    figure = drawn("zhang2019.fig4", ende_base_18l_post_5k=[gradients(0.1, 4.0)])
    assert facts_of(figure, "without_ds_init_decoder_vanishes_at_the_first_layer") == [None]


def test_a_system_that_was_not_run_is_missing_and_decides_nothing(drawn) -> None:
    figure = drawn("zhang2019.fig4", ende_base_18l_post_5k=gradients(0.1, 4.0))
    assert figure.summary["status"] == "partial"
    assert "encoder, with DS-Init, first layer: not run" in figure.summary["missing"]
    assert facts_of(figure, "without_ds_init_decoder_steeper_than_with_ds_init") == [None]
    assert facts_of(figure, "without_ds_init_decoder_vanishes_at_the_first_layer") == [True]


def test_a_seed_that_logged_nothing_says_so(drawn) -> None:
    dev = {"dev": {"update": [1], "ppl": [2.0]}}
    figure = drawn("bapna2018.fig3", ende_transformer_base_20l_transparent=dev)
    assert figure.summary["status"] == "not-run"
    assert "seed 1 logged no output_gradients.encoder" in figure.summary["missing"][0]


def test_a_ratio_that_is_high_early_and_one_that_is_flat_and_small_are_found(drawn) -> None:
    figure = drawn(
        "bapna2018.fig1",
        ende_transformer_base_6l_baseline=signals(lambda t: 0.9 if t < 5 else 0.3),
        ende_transformer_base_20l_baseline=signals(lambda t: 0.02),
    )
    assert facts_of(figure, "6_layers_high_early", "20_layers_high_early") == [True, False]
    assert facts_of(figure, "6_layers_flat", "20_layers_flat") == [False, True]
    assert facts_of(figure, "6_layers_below_1", "20_layers_looks_stable") == [True, False]
    assert facts_of(figure, "20_layers_much_smaller_than_6_layers") == [True]
    assert "0.9 early and 0.3 late with 6 layers, below 0.1 in 0 of 40" in figure.summary["finding"]


def test_one_value_above_1_is_enough_not_to_be_below_1(drawn) -> None:
    sections = signals(lambda t: 1.5 if t == 7 else 0.5)
    figure = drawn("bapna2018.fig3", ende_transformer_base_20l_transparent=sections)
    line = "20_layers_transparent_attention"
    assert facts_of(figure, f"{line}_below_1", f"{line}_looks_stable") == [False, True]


def test_of_a_few_values_nothing_is_concluded(drawn) -> None:
    few = {"output_gradients": {"update": [1, 2], "encoder": [[1.0, 2.0]] * 2}}
    figure = drawn("bapna2018.fig3", ende_transformer_base_20l_transparent=few)
    assert facts_of(figure, "20_layers_transparent_attention_below_1") == [None]


def shares(upper: bool) -> Sections:
    """Of the last of two readers: the embeddings grow first, then layers 16 and 20, or layer 3."""
    late = {16: 0.3, 20: 0.3, 17: 0.2, 18: 0.2, 19: 0.2} if upper else {3: 0.5}
    logged = []
    for time in range(len(UPDATES)):
        heights = {0: 0.2} if time < 6 else late
        logged.append([[1 / 21] * 21, [heights.get(layer, 0.01) for layer in range(21)]])
    return {"layer_weights": {"update": UPDATES, "encoder_output": logged}}


@pytest.mark.parametrize("upper", [True, False])
def test_weights_of_the_last_decoder_layer_are_summarised(drawn, upper: bool) -> None:
    figure = drawn("bapna2018.fig4", ende_transformer_base_20l_transparent=shares(upper))
    names = ("embeddings_grow_first", "upper_layers_dominate_at_the_end", "top_layers_comparable")
    assert facts_of(figure, *names) == [True, upper, True]
    most = "layer 16 (0.30)" if upper else "layer 3 (0.50)"
    text = f"First to grow: embeddings. Read most in the end: {most}"
    assert figure.summary["finding"].startswith(text)


def rows(weight: Callable[[int, int], float], layers: int) -> list[list[float]]:
    return [[weight(i, k) for k in range(i + 1)] for i in range(layers + 1)]


def weights(weight: Callable[[int, int], float]) -> Sections:
    last = {"encoder": [rows(weight, 30)], "decoder": [rows(weight, 6)]}
    return {"layer_weights": {"update": [400], **last}}


def test_sparse_deep_rows_and_heavy_recent_layers_are_found(drawn) -> None:
    def weight(i: int, k: int) -> float:
        return 1.0 if i == k else 0.2 if i < 15 else 0.01

    figure = drawn("wang2019.fig5", ende_base_30l_pre_dlcl=weights(weight))
    names = ("encoder_early_rows_denser", "encoder_recent_layers_weigh_more", "column_varies")
    assert facts_of(figure, *names) == [True, True, True]
    assert len(figure.points) == 31 * 32 + 7 * 8


def test_even_weights_are_neither_sparse_nor_recent_nor_varied(drawn) -> None:
    figure = drawn("wang2019.fig5", ende_base_30l_pre_dlcl=weights(lambda i, k: 0.5))
    names = ("encoder_early_rows_denser", "encoder_recent_layers_weigh_more", "column_varies")
    assert facts_of(figure, *names) == [None, False, False]


def curve(lowest: float) -> Sections:
    values = [lowest + 800 / (time + 1) ** 3 for time in range(len(UPDATES))]
    progress = {"update": UPDATES, "loss": [1.0] * len(UPDATES), "ppl": values}
    return {"progress": progress, "dev": {"update": UPDATES, "ppl": values}}


def test_learning_curves_tell_who_gets_lower_and_who_hardly_falls(drawn) -> None:
    figure = drawn(
        "liu2020.fig2",
        enfr_base_60l_12l_default=curve(500.0),
        enfr_base_60l_12l_admin=[curve(3.0), curve(3.1), curve(3.2)],
        enfr_base_6l_6l_admin=curve(8.0),
        enfr_base_36l_36l_admin=[curve(3.5), curve(9.0)],
    )
    hardly = "train_60l_12l_default_hardly_falls_beside_60l_12l_admin"
    lower = ("dev_60l_12l_lower_than_6l_6l", "dev_36l_36l_lower_than_6l_6l")
    assert facts_of(figure, hardly, *lower) == [True, True, None]
    assert facts_of(figure, "train_60l_12l_default_failed") == [False]


def test_a_loss_with_smoothing_is_no_perplexity(drawn) -> None:
    smoothed = {"progress": {"update": UPDATES, "loss": [3.0] * len(UPDATES)}}
    figure = drawn("liu2020.fig2", enfr_base_60l_12l_default=smoothed)
    assert figure.summary["status"] == "not-run"


def test_numbers_that_a_run_lost_make_gaps_and_no_points(drawn) -> None:
    values = [None if time == 3 else 5.0 for time in range(len(UPDATES))]
    dev = {"dev": {"update": UPDATES, "ppl": values}}
    points = drawn("liu2020.fig2", enfr_base_6l_6l_admin=dev).points
    assert len(points[(points.series == "6L-6L") & points.y.notna()]) == 2 * (len(UPDATES) - 1)
    assert not any(math.isinf(y) for y in points.y)


def test_a_refused_seed_is_missing_beside_the_others(drawn) -> None:
    bad = {"output_gradients": {"update": [2, 1], "encoder": [[1.0]] * 2}}
    seeds = [signals(lambda t: 0.5), bad]
    figure = drawn("bapna2018.fig3", ende_transformer_base_20l_transparent=seeds)
    assert figure.summary["status"] == "partial"
    assert "training curve refused" in figure.summary["missing"][0]
    assert "must rise" in figure.summary["missing"][0]


def test_a_seed_that_diverged_says_so_and_has_a_cross(drawn, tmp_path: Path) -> None:
    write_runs(tmp_path, "liu2020", lost="post-60-12")
    figure = drawn("liu2020.fig2", enfr_base_60l_12l_default=curve(500.0))
    assert facts_of(figure, "train_60l_12l_default_failed") == [True]
    ends = figure.points[figure.points.series == "60L-12L Default"]
    assert set(ends.note[ends.seed == "1"]) == {"diverged at update 90"}
    assert "60L-12L Default falls to 500.1 (2 of 2 seeds failed)" in figure.summary["finding"]


def test_a_run_that_diverged_is_worse_than_anything() -> None:
    paper = load(ROOT / "papers/liu2020.yaml")
    figure = find_figure(paper, "liu2020.fig2")
    panel = {"panel": "(b) dev set, ADMIN"}
    deep = panel | {"series": "60L-12L", "x": 1, "y": 2.0, "note": "diverged at update 9"}
    poor = panel | {"series": "6L-6L", "x": 1, "y": 59.0, "seed": "1"}
    seeds = [deep | {"seed": "1"}, deep | {"seed": "2", "y": math.nan}]
    text, facts = LearningCurveFigure(figure, paper).find(as_points([poor, *seeds]))
    assert facts["dev_60l_12l_lower_than_6l_6l"] is False
    assert "60L-12L falls to 2 (2 of 2 seeds failed)" in text


@pytest.mark.parametrize("outcome", FAILURES)
@pytest.mark.parametrize(("update", "cross"), [(40, 40), (70, 60), (999, 400), (1, 20)])
def test_the_cross_is_at_the_last_value_before_the_seed_failed(
    outcome: str, update: int, cross: int
) -> None:
    paper = load(ROOT / "papers/liu2020.yaml")
    figure = find_figure(paper, "liu2020.fig2")
    place = {"panel": "(b) dev set, ADMIN", "series": "60L-12L", "seed": "1"}
    place["note"] = f"{outcome} at update {update}"
    points = as_points(place | {"x": x, "y": x / 10} for x in UPDATES)
    lines = [
        line for ax in LearningCurveFigure(figure, paper).draw(points).axes for line in ax.lines
    ]
    [mark] = [line for line in lines if line.get_marker() == "x"]
    assert (list(mark.get_xdata()), list(mark.get_ydata())) == ([cross], [cross / 10])
