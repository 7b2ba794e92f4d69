"""Read and check training curves, and refuse invalid ones."""

import json
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, Required

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass
from typing_extensions import TypedDict

from deepmt.base.errors import UserError
from deepmt.measured.attempts import events_of, sections
from deepmt.measured.records import Record
from deepmt.measured.seed_entry import SeedEntry
from deepmt.measured.seed_files import Refusal, read_seeds
from deepmt.settings.spec import Spec
from deepmt.settings.strict import CHECKED, STRICT, Perplexity, message_of

SCHEMA = "curves/1"
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
                raise UserError(f"{name}.update must rise from 1 to at most {self.updates}")
            for key, values in section.items():
                if len(values) != len(updates):
                    raise UserError(f"{name}.{key} must have one value for each update")
                if len({len(value) for value in values if isinstance(value, list)}) > 1:
                    raise UserError(f"{name}.{key} must have the same layers at every update")

    def by_update(self, quantity: str) -> dict[int, dict[tuple[int, int], Value]]:
        """Return e.g. gradients.encoder as update -> layer and input -> value."""
        name, _, series = quantity.partition(".")
        section = getattr(self, name) or {}
        pairs = zip(section["update"], section[series], strict=True) if series in section else ()
        return {update: values_of(at_update) for update, at_update in pairs}

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
        if record.archived or not (log := record.files.log).exists():
            continue
        try:
            line = json.dumps(curves_line(vars(record), log))
            curves[record.run, record.seed] = adapter.validate_json(line)
        except ValueError as error:
            refusals.append(Refusal(record.run, f"{log}: {message_of(error)}"))
    return [curves[key] for key in sorted(curves)], refusals


def curves_line(record: Mapping[str, Any], log: Path) -> dict[str, Any]:
    """Return the training curves of a record's seed from its log, as a line of the archive.

    Raises:
        ValueError: the log is another seed's.
    """
    keys = ("run", "spec_sha256", "seed", "scale", "updates")
    events = list(events_of(log.read_bytes()))
    # The log of a run that continues another one begins with that one's.
    owners = [f"seed {e['seed']} of {e['run']}" for e in events if e.keys() >= {"run", "seed"}]
    own = f"seed {record['seed']} of {record['run']}"
    if owners and owners[-1] != own:
        raise UserError(f"it is of {owners[-1]}, not of {own}")
    return {"schema": SCHEMA} | {key: record[key] for key in keys} | sections(events)


def values_of(at_update: Any) -> dict[tuple[int, int], Value]:
    """Return all measurements of an update by layer and input; 0 where there is none.

    Layers are numbered from 1. A layer weight has a layer that reads and an input that is read, 0
    for the embeddings; the last layer of DLCL's encoder or decoder is the stack's output.
    """
    if not isinstance(at_update, list):
        return {(0, 0): at_update}
    return {
        (layer, number): weight
        for layer, value in enumerate(at_update, 1)
        for number, weight in enumerate(value if isinstance(value, list) else [value])
    }
