"""What happened in a run, from its log: the attempts at it joined, as if there had been one."""

import json
from collections.abc import Iterable, Iterator
from math import isfinite
from pathlib import Path
from typing import Any

Event = dict[str, Any]
SEEN = {"dev": ("ppl",), "gradients": ("encoder", "decoder"), "signals": ("encoder",)}
"""Event -> what it holds, under the same names in a course."""
MIXED = ("memory", "encoder", "decoder")
MOST = 250
"""Looks of a kind that a course keeps: a figure shows no more, and courses stay small."""


def read_events(path: Path) -> list[Event]:
    """All whole lines of log.jsonl; a killed writer may have left half a line.

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
    """The events of updates that count.

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
    """The sections of a course that a run has something for."""
    kept = joined(events)
    found = {"progress": _progress(kept)}
    found |= {kind: _columns(_of(kept, kind), names) for kind, names in SEEN.items()}
    found["mixtures"] = _columns(_of(kept, "mixtures"), MIXED)
    return {name: section for name, section in found.items() if section}


def _progress(events: list[Event]) -> dict[str, list[Any]]:
    """Means between looks; else, of a run without, those of the last twentieth of its updates."""
    if looks := _of(events, "training"):
        return _columns(looks, ("loss", "ppl"))
    told = _of([e | {"event": "told"} for e in events if e.get("loss") is not None], "told")
    return _columns(told, ("loss",))


def _of(events: list[Event], kind: str) -> list[Event]:
    """Events of a kind in order, the last of an update; of too many, every so manyth to the end."""
    found = {event["update"]: event for event in events if event["event"] == kind}
    updates = sorted(found, reverse=True)[:: -(-len(found) // MOST) or 1]
    return [found[update] for update in reversed(updates)]


def _columns(events: list[Event], names: Iterable[str]) -> dict[str, list[Any]]:
    if not events:
        return {}
    columns = {name: [_finite(e[name]) for e in events] for name in names if name in events[0]}
    return {"update": [event["update"] for event in events], **columns}


def _finite(value: Any) -> Any:
    """JSON has no NaN: null stands for what a run lost before it was seen to diverge."""
    if isinstance(value, list):
        return [_finite(child) for child in value]
    return value if isfinite(value) else None
