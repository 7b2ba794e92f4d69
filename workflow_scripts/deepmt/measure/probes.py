"""Measure untrained models at initialisation, one table per kind of probe."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from deepmt.config.papers import Paper
from deepmt.config.scale import Scale
from deepmt.data.batches import Batch
from deepmt.measure import untrained_specs
from deepmt.measure.probe_batch import ProbeBatch
from deepmt.measure.untrained import Value, growth, signals
from deepmt.measure.untrained_specs import full_size, small
from deepmt.spec.methods.ds_init_options import DsInit
from deepmt.spec.spec import Spec

DEPTHS = (6, 12, 18)
"""Encoder and decoder layers in Figure 1; 18 is inferred."""
GROWTH_DEPTHS = (6, 12, 24, 36, 60)
"""Layers of each stack in `growth_by_depth`."""
SENTENCES = 16
EQUATION_15 = "DS-Init, decay 0.5"
NAMES = {"Base": "post-norm", "Ours": "DS-Init"}
"""Groups of Table 1 -> systems."""
Batches = Callable[[int], ProbeBatch]
Measure = Callable[[Spec, ProbeBatch, int], list[Value]]


@dataclass(frozen=True, kw_only=True)
class Literature:
    """Hold the papers by key, and their widths."""

    papers: dict[str, Paper]
    scale: Scale

    def spec(self, paper: str, system: str) -> Spec:
        """Return the spec of a system at its printed size."""
        return full_size(self.papers[paper], system, self.scale)


def table1(literature: Literature, batches: Batches, seeds: tuple[int, ...]) -> pd.DataFrame:
    """Measure Zhang 2019, Table 1: means over 12 layers; DS-Init with Eq. 15's exponent, too."""
    base = literature.spec("zhang2019", "probe-12l-post")
    ours = literature.spec("zhang2019", "probe-12l-post-dsinit")
    systems = {
        "post-norm": base,
        "DS-Init": ours,
        EQUATION_15: replace(
            ours, method=replace(ours.method, initialisation=DsInit(exponent=0.5))
        ),
    }
    values = over_seeds(systems, signals, batches, seeds)
    lines = over_layers(values)
    printed = published(literature.papers["zhang2019"])
    lines = lines.merge(printed, how="left", on=["system", "stack", "sublayer", "quantity"])
    return lines.assign(difference=lines.ours - lines.published)


def figure1(literature: Literature, batches: Batches, seeds: tuple[int, ...]) -> pd.DataFrame:
    """Measure Zhang 2019, Figure 1: gradient norm by layer; the figure prints no numbers."""
    systems = {
        f"{name} {depth}L": literature.spec("zhang2019", f"probe-{depth}l-post{suffix}")
        for depth in DEPTHS
        for name, suffix in (("post-norm", ""), ("DS-Init", "-dsinit"))
    }
    values = over_seeds(systems, growth, batches, seeds)
    return by_layer(values[values.quantity == "gradient_norm"])


def growth_by_depth(
    literature: Literature, batches: Batches, seeds: tuple[int, ...]
) -> pd.DataFrame:
    """Measure gradients and residual stream of every Transformer of ours, narrow and up to 60 deep.

    Lines are of the first layer, and of every sixth.
    """
    systems = {
        f"{name} {layers}L": small(method, size_of(layers))
        for name, method in untrained_specs.methods(literature.papers["unified"]).items()
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
    """Return Table 1 as printed, with row ids; Eq. 15's system is compared with DS-Init's half."""
    [table] = [table for table in paper.tables if table.id == "zhang2019.table1"]
    lines = []
    for row in table.rows:
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
                    for system in systems_of(row.group)
                ]
    return pd.DataFrame(lines)


def systems_of(group: str) -> list[str]:
    """Return our systems that are compared with one half of Table 1."""
    return [NAMES[group], EQUATION_15] if group == "Ours" else [NAMES[group]]
