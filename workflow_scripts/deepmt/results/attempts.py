"""What happened in a run, from its log: the attempts at it joined, as if there had been one."""

import json
from collections.abc import Iterable, Iterator
from math import isfinite
from pathlib import Path
from typing import Any

Event = dict[str, Any]
MEASURED = {
    "dev": ("ppl",),
    "gradients": ("encoder", "decoder"),
    "signals": ("encoder",),
    "mixtures": ("memory", "encoder", "decoder"),
}
"""Event -> what it holds."""
MOST = 250
"""Events of a kind that are kept: a figure shows no more, and files stay small."""


def read_events(path: Path) -> list[Event]:
    """Read all whole lines of log.jsonl; a killed writer may have left half a line.

    Raises:
        FileNotFoundError: the log is gone; only training writes it.
    """
    events = []
    for line in path.read_bytes().split(b"\n"):
        try:
            events.append(json.loads(line))
        except ValueError:
            continue
    return events


def joined(events: Iterable[Event]) -> list[Event]:
    """Return the events of updates that count.

    An attempt goes on after the update at which it resumed, or else begins anew: what earlier
    attempts did after that update was lost. One killed before it got there changes nothing.
    """
    kept: list[Event] = []
    for attempt in _attempts(events):
        if not any("update" in event or event["event"] == "anew" for event in attempt):
            continue
        begin = next((e["update"] for e in attempt if e["event"] == "resumed"), 0)
        kept = [event for event in kept if event["update"] <= begin]
        kept += [e for e in attempt if "update" in e and e["update"] > begin]
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
    """Return the sections of training curves that a run has something for.

    Loss and perplexity of the training text are means since the event before. Without such events
    there is the loss of the last twentieth of the updates before each other event that has one.
    """
    kept = joined(events)
    of_kind = {kind: [e for e in kept if e["event"] == kind] for kind in (*MEASURED, "training")}
    with_loss = [event for event in kept if event.get("loss") is not None]
    training = of_kind["training"]
    found = {
        "progress": _section(training or with_loss, ("loss", "ppl") if training else ("loss",))
    }
    found |= {kind: _section(of_kind[kind], names) for kind, names in MEASURED.items()}
    return {name: section for name, section in found.items() if section}


def _section(events: list[Event], names: Iterable[str]) -> dict[str, list[Any]]:
    """Return the last event of each update as columns; of too many, one in every few to the end."""
    by_update = {event["update"]: event for event in events}
    updates = sorted(by_update, reverse=True)[:: -(-len(by_update) // MOST) or 1][::-1]
    if not updates:
        return {}
    there = [name for name in names if name in by_update[updates[0]]]
    return {"update": updates} | {
        name: [_finite(by_update[update][name]) for update in updates] for name in there
    }


def _finite(value: Any) -> Any:
    """Return null for what a run lost before it was seen to diverge: JSON has no NaN."""
    if isinstance(value, list):
        return [_finite(child) for child in value]
    return value if isfinite(value) else None
