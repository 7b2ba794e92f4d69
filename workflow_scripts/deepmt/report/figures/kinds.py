"""The kinds of figures by the name that papers/*.yaml give them."""

from collections.abc import Callable
from dataclasses import dataclass

import pandas as pd
from matplotlib.figure import Figure as Plot

from deepmt.config.papers import Figure
from deepmt.report.figures import (
    breakdown_bars,
    course_gradients,
    course_learning,
    course_shares,
    course_signals,
    course_weights,
    norm_by_layer,
    score_by_depth,
    speed_by_depth,
    stability_grid,
)
from deepmt.report.figures.facts import Finding
from deepmt.report.figures.label import scale_label
from deepmt.report.figures.sources import Sources


@dataclass(frozen=True, kw_only=True)
class Kind:
    """Points, plot and finding apart: the finding rests on the points alone."""

    gather: Callable[[Figure, Sources], pd.DataFrame]
    draw: Callable[[pd.DataFrame, Figure], Plot]
    find: Callable[[pd.DataFrame, Figure], Finding]
    label: Callable[[pd.DataFrame, Sources], str] = scale_label
    """Scale and corpus, and whether the numbers compare with the paper's."""


KINDS: dict[str, Kind] = {
    "norm-by-layer": Kind(
        gather=norm_by_layer.gather,
        draw=norm_by_layer.draw,
        find=norm_by_layer.find,
        label=norm_by_layer.label,
    ),
    "score-by-depth": Kind(
        gather=score_by_depth.gather, draw=score_by_depth.draw, find=score_by_depth.find
    ),
    "speed-by-depth": Kind(
        gather=speed_by_depth.gather,
        draw=speed_by_depth.draw,
        find=speed_by_depth.find,
        label=speed_by_depth.label,
    ),
    "breakdown": Kind(
        gather=breakdown_bars.gather, draw=breakdown_bars.draw, find=breakdown_bars.find
    ),
    "stability-grid": Kind(
        gather=stability_grid.gather, draw=stability_grid.draw, find=stability_grid.find
    ),
    "gradient-course": Kind(
        gather=course_gradients.gather, draw=course_gradients.draw, find=course_gradients.find
    ),
    "signal-ratio": Kind(
        gather=course_signals.gather, draw=course_signals.draw, find=course_signals.find
    ),
    "share-course": Kind(
        gather=course_shares.gather, draw=course_shares.draw, find=course_shares.find
    ),
    "layer-weights": Kind(
        gather=course_weights.gather, draw=course_weights.draw, find=course_weights.find
    ),
    "learning-curve": Kind(
        gather=course_learning.gather, draw=course_learning.draw, find=course_learning.find
    ),
}
