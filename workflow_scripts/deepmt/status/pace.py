"""How fast a run is, from its own log."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from deepmt.results.attempts import Event

NUMBERS = ("update", "target_tokens", "seconds", "time")
LOOKS = 60.0
"""Seconds between two lines that looks at the dev set may take, beside ten times the updates."""


@dataclass(frozen=True)
class Pace:
    """Wall time: updates, looks at them and checkpoints."""

    seconds: float
    """Of an update."""
    tokens: float
    """Target tokens a second."""


def pace(events: Sequence[Event]) -> Pace | None:
    """Mean over the spans between the lines that tell a position; None if there is no span.

    seconds = sum of the spans' wall time / sum of their updates
    """
    told = [event for event in events if "seconds" in event and _is_position(event)]
    spans = [
        (before, after)
        for before, after in pairwise(told)
        if before["attempt"] == after["attempt"] and before["update"] < after["update"]
    ]
    if not spans:
        return None
    wall = max(sum(wall_time(before, after) for before, after in spans), 1e-9)
    updates = sum(after["update"] - before["update"] for before, after in spans)
    tokens = sum(after["target_tokens"] - before["target_tokens"] for before, after in spans)
    return Pace(wall / updates, tokens / wall)


def wall_time(before: Event, after: Event) -> float:
    """Seconds between two lines.

    `time` is a clock that may be set, `seconds` one that never jumps but counts updates alone. Wall
    time cannot be shorter than they, nor much longer: then the clock was set, or the machine slept.
    """
    inside = float(after["seconds"] - before["seconds"])
    outside = float(after["time"] - before["time"])
    return outside if inside <= outside <= 10 * inside + LOOKS else inside


def _is_position(event: Event) -> bool:
    return all(isinstance(event.get(key), int | float) for key in NUMBERS)
