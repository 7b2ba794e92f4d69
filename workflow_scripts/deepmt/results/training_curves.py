"""Read and check training curves, refuse invalid ones, and write curves.csv."""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, Required

import pandas as pd
from pydantic import TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass
from typing_extensions import TypedDict

from deepmt.config.spec import Spec
from deepmt.config.strict import STRICT, message_of
from deepmt.files import replacing
from deepmt.results.attempts import events_of, sections
from deepmt.results.records import Perplexity, Record
from deepmt.results.seed_files import CHECKED, Refusal, SeedEntry, read_seeds

SCHEMA = "curves/1"
COLUMNS = ("run", "seed", "update", "epoch", "quantity", "layer", "input", "value")
Value = float | None
"""None if the value was not finite before divergence was detected."""


class LossCurves(TypedDict, total=False):
    """Hold the loss and, without label smoothing, the perplexity of a text."""

    __pydantic_config__ = STRICT  # type: ignore[misc]
    update: Required[list[int]]
    loss: list[Value]
    ppl: list[Perplexity | None]


class NormCurves(TypedDict, total=False):
    """Hold a norm for every layer, from the lowest."""

    __pydantic_config__ = STRICT  # type: ignore[misc]
    update: Required[list[int]]
    encoder: list[list[Value]]
    decoder: list[list[Value]]


Weights = list[list[list[Value]]]
"""Weight of each lower layer in every layer, by update."""


class WeightCurves(TypedDict, total=False):
    """Hold the weights of lower layers in the last decoder layer, or in every layer of a stack."""

    __pydantic_config__ = STRICT  # type: ignore[misc]
    update: Required[list[int]]
    encoder_output: Weights
    encoder: Weights
    decoder: Weights


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class TrainingCurves(SeedEntry):
    """Hold the training curves of one seed, as a line of the archive.

    A section holds the measured updates, and lists with one element per update; a section without
    values is None.
    """

    schema: Literal["curves/1"]
    updates: int
    progress: LossCurves | None = None
    """Means over the training text since the previous update."""
    dev: LossCurves | None = None
    gradients: NormCurves | None = None
    """L2 norm of the gradient of each layer's parameters (Zhang 2019, Figure 4)."""
    output_gradients: NormCurves | None = None
    """L2 norm of the gradient with respect to each encoder layer's output (Bapna 2018, r_t)."""
    layer_weights: WeightCurves | None = None
    """Weights of h^0..h^N by decoder layer (Bapna 2018), rows W_i0..W_ii of DLCL (Wang 2019)."""

    def __post_init__(self) -> None:
        """Check the rules that types cannot express."""
        for name, section in self.sections():
            updates = section["update"]
            if not all(a < b for a, b in pairwise([0, *updates, self.updates + 1])):
                raise ValueError(f"{name}.update must rise from 1 to at most {self.updates}")
            for key, values in section.items():
                if len(values) != len(updates):
                    raise ValueError(f"{name}.{key} must have one value for each update")
                if len({len(value) for value in values if isinstance(value, list)}) > 1:
                    raise ValueError(f"{name}.{key} must have the same layers at every update")

    def sections(self) -> Iterator[tuple[str, dict[str, list[Any]]]]:
        """Yield the sections that have values, with their names."""
        for name in ("progress", "dev", "gradients", "output_gradients", "layer_weights"):
            if getattr(self, name) is not None:
                yield name, getattr(self, name)


def read_training_curves(
    records: Iterable[Record], archive: Path, specs: Iterable[Spec], scale: str
) -> tuple[list[TrainingCurves], list[Refusal]]:
    """Read log.jsonl of the seeds trained here, and `archive`/*.jsonl for the others."""
    runs = {spec.sha256: spec.run for spec in specs}
    found, refusals = read_seeds(TrainingCurves, (), archive, runs, scale)
    adapter = TypeAdapter(TrainingCurves)
    curves = {(one.run, one.seed): one for one in found}
    for record in records:
        log = Path(record.location).with_name("log.jsonl")
        if record.archived or not log.exists():
            continue
        try:
            line = json.dumps(curves_line(vars(record), log))
            curves[record.run, record.seed] = adapter.validate_json(line)
        except ValidationError as error:
            refusals.append(Refusal(record.run, f"{log}: {message_of(error)}"))
    return [curves[key] for key in sorted(curves)], refusals


def curves_line(record: Mapping[str, Any], log: Path) -> dict[str, Any]:
    """Return the training curves of a record's seed from its log, as a line of the archive."""
    keys = ("run", "spec_sha256", "seed", "scale", "updates")
    events = events_of(log.read_bytes())
    return {"schema": SCHEMA} | {key: record[key] for key in keys} | sections(events)


def write_curves(curves: Iterable[TrainingCurves], records: Iterable[Record], path: Path) -> None:
    """Write curves.csv, one value per line.

    The epoch of an update is known if the seed has a record. Layers are numbered from 1.
    A layer weight has a `layer` that reads and an `input` that is read, 0 for the embeddings; the
    last layer of DLCL's encoder or decoder is the stack's output.
    """
    lengths = {(r.run, r.seed): r.epochs / r.updates for r in records if r.updates}
    lines = [
        (
            *(seed := (one.run, one.seed)),
            update,
            round(update * lengths[seed], 4) if seed in lengths else None,
            f"{name}.{series}",
            *value,
        )
        for one in curves
        for name, section in one.sections()
        for series in section
        if series != "update"
        for update, at_update in zip(section["update"], section[series], strict=True)
        for value in _values(at_update)
    ]
    frame = pd.DataFrame(lines, columns=list(COLUMNS)).astype({"layer": "Int64", "input": "Int64"})
    with replacing(path) as temporary:
        frame.to_csv(temporary, index=False, lineterminator="\n")


def _values(at_update: Any) -> Iterator[tuple[int | None, int | None, Value]]:
    """Yield layer, input and value of all measurements at an update."""
    if not isinstance(at_update, list):
        yield None, None, at_update
        return
    for layer, value in enumerate(at_update, 1):
        inputs = enumerate(value) if isinstance(value, list) else [(None, value)]
        yield from ((layer, number, weight) for number, weight in inputs)


def read_curves(path: Path) -> pd.DataFrame:
    """Read curves.csv: run, seed, update, epoch, quantity, layer, input, value.

    Quantities are progress.loss and progress.ppl (of the training text), dev.ppl,
    gradients.encoder and .decoder, output_gradients.encoder, layer_weights.encoder_output,
    .encoder and .decoder.
    """
    types = {"run": str, "quantity": str, "layer": "Int64", "input": "Int64"}
    return pd.read_csv(path, dtype=types)
