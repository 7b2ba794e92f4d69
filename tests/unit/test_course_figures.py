"""Figures of what happened during training say what made-up courses were made to show."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from deepmt.config.papers import find_figure
from deepmt.config.spec import Spec
from deepmt.report.figures.course_learning import Curve, compared
from deepmt.report.figures.course_points import ends
from deepmt.report.figures.facts import Fact
from deepmt.report.figures.make import Drawn, make
from deepmt.report.figures.points import table_of
from deepmt.report.figures.sources import Sources
from deepmt.results.record_archive import one_line
from deepmt.results.results import open_ledger

ROOT = Path(__file__).parents[2]
UPDATES = list(range(20, 401, 20))
Sections = dict[str, Any]


@pytest.fixture(scope="module")
def all_sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Sources]:
    """What is known of each paper while nothing was run."""
    nowhere = tmp_path_factory.mktemp("nowhere")
    papers = ["zhang2019", "bapna2018", "wang2019", "liu2020"]
    plan, ledger = open_ledger(ROOT, {"scale": "toy", "papers": papers, "rows": "all"}, nowhere)
    return {
        paper.key: Sources(
            paper=paper, ledger=ledger, scale=plan.scale, results=nowhere, shelf=nowhere
        )
        for paper in plan.papers
    }


@pytest.fixture
def drawn(all_sources: dict[str, Sources], tmp_path: Path) -> Callable[..., Drawn]:
    """The figure of made-up courses, by system one or several seeds."""

    def draw(name: str, **courses: Sections | list[Sections]) -> Drawn:
        sources = replace(all_sources[name.partition(".")[0]], results=tmp_path)
        for system, seeds in courses.items():
            for seed, sections in enumerate(seeds if isinstance(seeds, list) else [seeds], 1):
                spec = sources.spec(system.replace("_", "-"))
                assert spec is not None
                put(tmp_path, spec, seed, sections)
        return make(find_figure(sources.paper, name), sources)

    return draw


def put(folder: Path, spec: Spec, seed: int, sections: Sections) -> None:
    course = {"schema": "course/1", "run": spec.run, "spec_sha256": spec.sha256, "seed": seed}
    path = folder / "runs" / spec.run / f"seed{seed}" / "course.json"
    path.parent.mkdir(parents=True)
    path.write_text(one_line(course | {"scale": "toy", "updates": 400} | sections))


def norms(first: Callable[[int], float], last: Callable[[int], float]) -> list[list[float]]:
    return [[first(look), 3.0, last(look)] for look in range(len(UPDATES))]


def signals(ratio: Callable[[int], float]) -> Sections:
    return {"signals": {"update": UPDATES, "encoder": norms(lambda t: 4 * ratio(t), lambda t: 4)}}


def facts_of(figure: Drawn, *names: str) -> list[Fact]:
    return [figure.summary["facts"][name] for name in names]


FIG4 = ("less_stable_than_with_ds_init", "vanishes_at_the_first_layer", "steeper_than_with_ds_init")


def gradients(share: float, jump: float) -> Sections:
    """The first decoder layer's norm is a share of the last one's; both jump at every look."""
    decoder = norms(lambda t: share * jump ** (t % 2), lambda t: jump ** (t % 2))
    encoder = norms(lambda t: jump ** (t % 2), lambda t: jump ** (t % 2))
    return {"gradients": {"update": UPDATES, "encoder": encoder, "decoder": decoder}}


def test_gradients_that_jump_and_vanish_without_ds_init_are_told(drawn) -> None:
    figure = drawn(
        "zhang2019.fig4",
        ende_base_18l_post_5k=[gradients(0.1, 4.0), gradients(0.2, 3.0)],
        ende_base_18l_post_dsinit_5k=[gradients(0.9, 1.5), gradients(0.8, 1.2)],
    )
    names = [f"without_ds_init_decoder_{name}" for name in FIG4]
    assert facts_of(figure, *names) == [True, True, True]
    assert facts_of(figure, "with_ds_init_decoder_vanishes_at_the_first_layer") == [False]
    share, change = facts_of(
        figure,
        "without_ds_init_decoder_first_over_last",
        "without_ds_init_decoder_change_a_look",
    )
    assert share == pytest.approx(0.15)
    assert change == pytest.approx(3.5)
    assert figure.summary["status"] == "measured"
    assert "0.15 in the decoder without DS-Init" in figure.summary["finding"]


def test_seeds_that_disagree_leave_a_fact_undecided(drawn) -> None:
    figure = drawn(
        "zhang2019.fig4",
        ende_base_18l_post_5k=[gradients(0.1, 4.0), gradients(0.9, 1.1)],
        ende_base_18l_post_dsinit_5k=gradients(0.8, 1.5),
    )
    assert facts_of(figure, *(f"without_ds_init_decoder_{name}" for name in FIG4)) == [None] * 3


def test_a_system_that_was_not_run_is_missing_and_decides_nothing(drawn) -> None:
    figure = drawn("zhang2019.fig4", ende_base_18l_post_5k=gradients(0.1, 4.0))
    assert figure.summary["status"] == "partial"
    assert "encoder, with DS-Init, first layer: not run" in figure.summary["missing"]
    assert facts_of(figure, "without_ds_init_decoder_steeper_than_with_ds_init") == [None]
    assert facts_of(figure, "without_ds_init_decoder_vanishes_at_the_first_layer") == [True]


def test_a_course_without_looks_says_so(drawn) -> None:
    figure = drawn("bapna2018.fig3", ende_transformer_base_20l_transparent={})
    assert figure.summary["status"] == "not-run"
    assert "seed 1 was not looked at while it trained" in figure.summary["missing"][0]


def test_a_ratio_that_is_high_early_and_one_that_is_flat_and_small_are_told(drawn) -> None:
    figure = drawn(
        "bapna2018.fig1",
        ende_transformer_base_6l_baseline=signals(lambda t: 0.9 if t < 5 else 0.3),
        ende_transformer_base_20l_baseline=signals(lambda t: 0.02),
    )
    assert facts_of(figure, "6_layers_high_early", "20_layers_high_early") == [True, False]
    assert facts_of(figure, "6_layers_flat", "20_layers_flat") == [False, True]
    assert facts_of(figure, "6_layers_below_1", "20_layers_vanishes") == [True, True]
    apart = ("20_layers_much_smaller_than_6_layers", "20_layers_like_6_layers")
    assert facts_of(figure, *apart) == [True, False]
    assert "0.9 early and 0.3 late with 6 layers, below 0.1 in 0 of 20" in figure.summary["finding"]


def test_one_look_above_1_is_enough_not_to_be_below_1(drawn) -> None:
    sections = signals(lambda t: 1.5 if t == 7 else 0.5)
    figure = drawn("bapna2018.fig3", ende_transformer_base_20l_transparent=sections)
    line = "20_layers_transparent_attention"
    assert facts_of(figure, f"{line}_below_1", f"{line}_looks_stable") == [False, True]


def test_of_a_few_looks_nothing_is_concluded(drawn) -> None:
    few = {"signals": {"update": [1, 2], "encoder": [[1.0, 2.0]] * 2}}
    figure = drawn("bapna2018.fig3", ende_transformer_base_20l_transparent=few)
    assert facts_of(figure, "20_layers_transparent_attention_below_1") == [None]


def shares(upper: bool) -> Sections:
    """Of the last of two readers: the embeddings grow first, then layers 16 and 20, or layer 3."""
    late = {16: 0.3, 20: 0.3, 17: 0.2, 18: 0.2, 19: 0.2} if upper else {3: 0.5}
    looks = []
    for look in range(len(UPDATES)):
        heights = {0: 0.2} if look < 6 else late
        looks.append([[1 / 21] * 21, [heights.get(layer, 0.01) for layer in range(21)]])
    return {"mixtures": {"update": UPDATES, "memory": looks}}


@pytest.mark.parametrize("upper", [True, False])
def test_what_the_last_reader_reads_is_told(drawn, upper: bool) -> None:
    figure = drawn("bapna2018.fig4", ende_transformer_base_20l_transparent=shares(upper))
    names = ("embeddings_grow_first", "upper_layers_dominate_at_the_end", "top_layers_comparable")
    assert facts_of(figure, *names) == [True, upper, True]
    assert facts_of(figure, "greatest_layer") == [16 if upper else 3]
    assert "First to grow: embeddings" in figure.summary["finding"]


def rows(weight: Callable[[int, int], float], layers: int) -> list[list[float]]:
    return [[weight(i, k) for k in range(i + 1)] for i in range(layers + 1)]


def weights(weight: Callable[[int, int], float]) -> Sections:
    last = {"encoder": [rows(weight, 30)], "decoder": [rows(weight, 6)]}
    return {"mixtures": {"update": [400], **last}}


def test_sparse_deep_rows_and_heavy_recent_layers_are_told(drawn) -> None:
    def weight(i: int, k: int) -> float:
        return 1.0 if i == k else 0.2 if i < 15 else 0.01

    figure = drawn("wang2019.fig5", ende_base_30l_pre_dlcl=weights(weight))
    names = ("encoder_early_rows_denser", "encoder_recent_layers_weigh_more", "column_varies")
    assert facts_of(figure, *names) == [True, True, True]
    assert len(figure.points) == 31 * 32 / 2 + 7 * 8 / 2


def test_even_weights_are_neither_sparse_nor_recent_nor_varied(drawn) -> None:
    figure = drawn("wang2019.fig5", ende_base_30l_pre_dlcl=weights(lambda i, k: 0.5))
    names = ("encoder_early_rows_denser", "encoder_recent_layers_weigh_more", "column_varies")
    assert facts_of(figure, *names) == [False, False, False]


def curve(lowest: float) -> Sections:
    looks = [lowest + 800 / (look + 1) ** 3 for look in range(len(UPDATES))]
    progress = {"update": UPDATES, "loss": [1.0] * len(UPDATES), "ppl": looks}
    return {"progress": progress, "dev": {"update": UPDATES, "ppl": looks}}


def test_learning_curves_tell_who_gets_lower_and_who_hardly_falls(drawn) -> None:
    figure = drawn(
        "liu2020.fig2",
        enfr_base_60l_12l_default=curve(500.0),
        enfr_base_60l_12l_admin=[curve(3.0), curve(4.0)],
        enfr_base_6l_6l_admin=curve(8.0),
        enfr_base_36l_36l_admin=[curve(3.5), curve(9.0)],
    )
    hardly = "train_60l_12l_default_hardly_falls_beside_60l_12l_admin"
    lower = ("dev_60l_12l_lower_than_6l_6l", "dev_36l_36l_lower_than_6l_6l")
    assert facts_of(figure, hardly, *lower) == [True, True, None]
    assert facts_of(figure, "train_60l_12l_default_diverged") == [False]


def test_a_loss_with_smoothing_is_no_perplexity(drawn) -> None:
    smoothed = {"progress": {"update": UPDATES, "loss": [3.0] * len(UPDATES)}}
    figure = drawn("liu2020.fig2", enfr_base_60l_12l_default=smoothed)
    assert figure.summary["status"] == "not-run"


def test_numbers_that_a_run_lost_make_gaps_and_no_points(drawn) -> None:
    looks = [None if look == 3 else 5.0 for look in range(len(UPDATES))]
    dev = {"dev": {"update": UPDATES, "ppl": looks}}
    points = drawn("liu2020.fig2", enfr_base_6l_6l_admin=dev).points
    assert len(points[(points.series == "6L-6L") & points.y.notna()]) == len(UPDATES) - 1
    assert not any(math.isinf(y) for y in points.y)


def test_nothing_of_another_scale_is_drawn(drawn, tmp_path: Path) -> None:
    drawn("bapna2018.fig3", ende_transformer_base_20l_transparent=signals(lambda t: 0.5))
    [path] = tmp_path.glob("runs/*/*/course.json")
    path.write_text(one_line(json.loads(path.read_text()) | {"scale": "paper"}))
    figure = drawn("bapna2018.fig3")
    assert figure.summary["status"] == "not-run"
    assert "paper is another scale than toy" in figure.summary["missing"][0]


def test_a_refused_seed_is_missing_beside_the_others(drawn, tmp_path: Path) -> None:
    seeds = [signals(lambda t: 0.5)] * 2
    drawn("bapna2018.fig3", ende_transformer_base_20l_transparent=seeds)
    [path] = tmp_path.glob("runs/*/seed2/course.json")
    path.write_text("{")
    figure = drawn("bapna2018.fig3")
    assert figure.summary["status"] == "partial"
    assert "not valid JSON" in figure.summary["missing"][0]


def test_a_run_that_diverged_is_worse_than_anything() -> None:
    seen = pd.Series([9.0, 2.0], index=[1, 2])
    lost = Curve(seeds={"1": seen}, lost={"1": True, "2": True})
    assert lost.lowest() == [math.inf, math.inf]
    facts = compared("dev", {"poor": Curve({"1": seen + 50}, {"1": False}), "deep": lost})
    assert facts["dev_deep_lower_than_poor"] is False
    assert "2 of 2 seeds diverged" in lost.told("deep")


def test_the_end_of_a_diverged_seed_is_told_of_its_last_point() -> None:
    place = {"panel": "p", "series": "s", "run": "r"}
    end = {"x": 4, "y": 2.0, "seed": "1", "note": "diverged at update 5"}
    points = table_of(
        [
            place | {"x": 2, "y": 3.0, "seed": "1"},
            place | end,
            place | end | {"seed": "2", "note": ""},
        ]
    )
    assert ends(points, "p", "s") == {"1": True, "2": False}
