"""Read the log of a run, and merge its attempts as if there had been only one."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from math import isfinite
from typing import Annotated, Any, Literal, Required

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from deepmt.base.files import json_lines
from deepmt.settings.strict import Count, CountOrNone, NotNegative, Tokens

Event = dict[str, Any]
Value = float | None
Norms = Annotated[list[Value], Field(min_length=1)]
"""One for each layer."""
Weights = list[list[Value]]
SERIES = {
    "dev": ("ppl",),
    "gradients": ("encoder", "decoder"),
    "output_gradients": ("encoder",),
    "layer_weights": ("encoder_output", "encoder", "decoder"),
}
"""Event -> the values that it logs."""
MAX_EVENTS = 250
"""Largest number of events of one kind to keep: figures show no more, and files stay small."""


class LoggedEvent(TypedDict, total=False):
    """Hold the keys of an event that are read; each kind has some of them."""

    __pydantic_config__ = ConfigDict(strict=True, extra="allow")  # type: ignore[misc]
    event: Required[str]
    attempt: Count
    time: NotNegative
    run: str
    seed: CountOrNone
    host: str
    updates: Count
    """Updates of the whole run."""
    update: CountOrNone
    target_tokens: Tokens
    loss: Value
    outcome: Literal["finished", "diverged", "stalled"]
    reason: str


class Position(LoggedEvent, total=False):
    """Hold an event that names the update at which it was."""

    update: Required[CountOrNone]  # type: ignore[misc]


class TrainingLook(Position, total=False):
    """Hold means over the training text."""

    loss: Required[float]  # type: ignore[misc]
    ppl: float


class DevLook(Position, total=False):
    """Hold the perplexity on dev."""

    ppl: Required[float]


class GradientNorms(Position, total=False):
    """Hold the norm of each layer's gradient."""

    encoder: Required[Norms]
    decoder: Required[Norms]


class OutputGradientNorms(Position, total=False):
    """Hold the norm of the gradient of each layer's output."""

    encoder: Required[Norms]


class LayerWeights(Position, total=False):
    """Hold the learned weights of those stacks that have some."""

    encoder_output: Weights
    encoder: Weights
    decoder: Weights


EVENTS: TypeAdapter[LoggedEvent] = TypeAdapter(LoggedEvent)
KINDS: dict[str, TypeAdapter[Any]] = {
    "resumed": TypeAdapter(Position),
    "training": TypeAdapter(TrainingLook),
    "dev": TypeAdapter(DevLook),
    "gradients": TypeAdapter(GradientNorms),
    "output_gradients": TypeAdapter(OutputGradientNorms),
    "layer_weights": TypeAdapter(LayerWeights),
}
"""Event -> the keys that it must have; other kinds need none."""


def events_of(log: bytes) -> Iterator[Event]:
    """Yield the events of a log.jsonl; skip half-written lines of killed runs, and damaged ones."""
    for event in json_lines(log):
        with suppress(ValidationError):
            yield {**KINDS.get(str(event.get("event")), EVENTS).validate_python(event)}


def merge_attempts(events: Iterable[Event]) -> list[Event]:
    """Return the events of the updates that led to the final weights.

    An attempt continues after the update at which it resumed, or starts again: the later updates of
    earlier attempts were lost. An attempt that was killed before it resumed changes nothing.
    """
    kept: list[Event] = []
    for attempt in _attempts(events):
        if not any("update" in event or event["event"] == "anew" for event in attempt):
            continue
        start = next((e["update"] for e in attempt if e["event"] == "resumed"), 0)
        kept = [event for event in kept if event["update"] <= start]
        kept += [e for e in attempt if "update" in e and e["update"] > start]
    return kept


def _attempts(events: Iterable[Event]) -> Iterator[list[Event]]:
    attempt: list[Event] = []
    for event in events:
        if event["event"] == "start":
            yield attempt
            attempt = []
        attempt.append(event)
    yield attempt


def sections(events: Iterable[Event]) -> dict[str, dict[str, list[Any]]]:
    """Return the sections of the training curves for which a run has values.

    Loss and perplexity of the training text are means since the previous event.
    """
    kept = merge_attempts(events)
    by_kind = {kind: [e for e in kept if e["event"] == kind] for kind in (*SERIES, "training")}
    found = {"progress": _section(by_kind["training"], ("loss", "ppl"))}
    found |= {kind: _section(by_kind[kind], names) for kind, names in SERIES.items()}
    return {name: section for name, section in found.items() if section}


def _section(events: list[Event], names: Iterable[str]) -> dict[str, list[Any]]:
    """Return the last event of each update as columns, evenly thinned to MAX_EVENTS."""
    by_update = {event["update"]: event for event in events}
    updates = sorted(by_update, reverse=True)[:: -(-len(by_update) // MAX_EVENTS) or 1][::-1]
    if not updates:
        return {}
    present = [name for name in names if all(name in by_update[one] for one in updates)]
    return {"update": updates} | {
        name: [_finite(by_update[update][name]) for update in updates] for name in present
    }


def _finite(value: Any) -> Any:
    """Replace values that are not finite by None, since JSON has no NaN."""
    if isinstance(value, list):
        return [_finite(child) for child in value]
    return value if value is not None and isfinite(value) else None
