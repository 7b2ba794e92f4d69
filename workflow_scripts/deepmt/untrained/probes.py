"""Measure untrained models at initialisation, one table per kind of probe."""

from collections.abc import Callable, Iterable
from typing import Any, Literal

import pandas as pd

from deepmt.data.batches import Batch
from deepmt.settings.spec import Spec
from deepmt.study.papers import Paper, Probe, Row, find_table
from deepmt.study.scale import Scale
from deepmt.untrained import untrained_specs
from deepmt.untrained.one_pass import Value, growth, signals
from deepmt.untrained.probe_batch import ProbeBatch
from deepmt.untrained.untrained_specs import full_size, small

GROWTH_DEPTHS = (6, 12, 24, 36, 60)
"""Layers of each stack in `growth_by_depth`."""
SENTENCES = 16
Batches = Callable[[int], ProbeBatch]
Measure = Callable[[Spec, ProbeBatch, int], list[Value]]


def table1(paper: Paper, scale: Scale, batches: Batches, seeds: tuple[int, ...]) -> pd.DataFrame:
    """Measure Zhang 2019, Table 1: means over the layers, beside the printed values."""
    values = over_seeds(probed(paper, "table1", scale), signals, batches, seeds)
    keys = ["system", "stack", "sublayer", "quantity"]
    lines = over_layers(values).merge(published(paper), how="left", on=keys)
    return lines.assign(difference=lines.ours - lines.published)


def figure1(paper: Paper, scale: Scale, batches: Batches, seeds: tuple[int, ...]) -> pd.DataFrame:
    """Measure Zhang 2019, Figure 1: gradient norm by layer; the figure prints no numbers."""
    values = over_seeds(probed(paper, "fig1", scale), growth, batches, seeds)
    return by_layer(values[values.quantity == "gradient_norm"])


def probed(paper: Paper, kind: Literal["table1", "fig1"], scale: Scale) -> dict[str, Spec]:
    """Return the specs of the systems of a probe at their printed size, by name."""
    systems = paper.probes[kind].named
    return {name: full_size(paper, system, scale) for name, system in systems.items()}


def growth_by_depth(
    paper: Paper, scale: Scale, batches: Batches, seeds: tuple[int, ...]
) -> pd.DataFrame:
    """Measure gradients and residual stream of every Transformer of ours, narrow and up to 60 deep.

    Lines are of the first layer, and of every sixth.
    """
    systems = {
        f"{name} {layers}L": small(method, size_of(layers))
        for name, method in untrained_specs.methods(paper).items()
        if "method.family" not in method
        for layers in GROWTH_DEPTHS
    }

    def few(seed: int) -> ProbeBatch:
        whole = batches(seed)
        sides = (side[:SENTENCES] for side in (whole.batch.source, whole.batch.target))
        return whole._replace(batch=Batch(*sides))

    lines = by_layer(over_seeds(systems, growth, few, seeds))
    lines["layers"] = lines.system.str.extract(r"(\d+)L$").astype(int)
    return lines[(lines.layer == 1) | (lines.layer % 6 == 0)]


def size_of(layers: int) -> dict[str, Any]:
    """Return the settings of a narrow model with this number of layers in each stack."""
    sizes = {"layers": layers, "d_model": 64, "feed_forward": 256, "heads": 4}
    recipe = {"updates": 1, "batch_tokens": 1, "lr": 1.0, "warmup": 1}
    stacks = {f"{s}.{key}": value for s in ("encoder", "decoder") for key, value in sizes.items()}
    return stacks | {f"training.{key}": value for key, value in recipe.items()}


KINDS = {
    "table1": table1,
    "fig1": figure1,
    "growth": growth_by_depth,
}
"""Kind -> function that returns the table of probes/<kind>.csv."""


def over_seeds(
    systems: dict[str, Spec], measure: Measure, batches: Batches, seeds: Iterable[int]
) -> pd.DataFrame:
    """Return all values, one line for each system, seed, layer and quantity."""
    return pd.DataFrame(
        {"system": name, "seed": seed, **vars(value)}
        for name, spec in systems.items()
        for seed in seeds
        for value in measure(spec, batches(seed), seed)
    )


def over_layers(values: pd.DataFrame) -> pd.DataFrame:
    """Average over layers, then return mean and sample deviation over seeds."""
    keys = ["system", "stack", "sublayer", "quantity"]
    by_seed = values.groupby([*keys, "seed"], sort=False).value.mean()
    return spread(by_seed.reset_index(), keys)


def by_layer(values: pd.DataFrame) -> pd.DataFrame:
    """Return mean and sample deviation over seeds, layer by layer."""
    return spread(values, ["system", "stack", "layer", "quantity"])


def spread(values: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return columns `ours`, `spread` and `seeds` for each combination of `keys`."""
    grouped = values.groupby(keys, sort=False).value
    return grouped.agg(ours="mean", spread="std", seeds="count").reset_index()


def published(paper: Paper) -> pd.DataFrame:
    """Return Table 1 as printed, with row ids, for each system and reading that it is about."""
    lines = []
    for row in find_table(paper, f"{paper.key}.table1").rows:
        _, _, _, stack, quantity = row.id.split(".")
        for column, value in row.values.items():
            if value is not None:
                lines += [
                    {
                        "system": system,
                        "stack": {"enc": "encoder", "dec": "decoder"}[stack],
                        "sublayer": column,
                        "quantity": quantity,
                        "row": row.id,
                        "published": value,
                        "note": row.remark if column == "self" else "",
                    }
                    for system in names_of(paper.probes["table1"], row)
                ]
    return pd.DataFrame(lines)


def names_of(probe: Probe, row: Row) -> list[str]:
    """Return the names of a row's system, and of other readings of it."""
    own = [name for name, system in probe.named.items() if system == row.system]
    return own + [reading for reading, name in probe.readings.items() if name in own]
