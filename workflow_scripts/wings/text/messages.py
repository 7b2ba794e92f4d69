"""Print what was understood of a text, and what was decided."""

import sys
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path

from deepmt.base.printable import printable
from deepmt.data.lines import read_lines
from wings.text.clean_text import CleanText
from wings.text.hours import MOST_PASSES, SharedRuns
from wings.text.request import TextRequest
from wings.text.text_folder import not_used
from wings.text.text_settings import ENOUGH
from wings.text.text_sides import doubts

SHOWN = 3
"""Training pairs that are printed."""


def say(key: str, value: str) -> None:
    """Print a line of what was understood and decided."""
    print(printable(f"{key:10}{value}"), flush=True)


def agreed(question: str) -> bool:
    """Ask on a terminal; elsewhere nobody can answer, and a warning must do."""
    if not sys.stdin or not sys.stdin.isatty():
        return True
    print(printable(f"{question} [y/N] "), end="", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def describe(
    asked: TextRequest, files: Mapping[str, Sequence[Path]], text: CleanText, folder: Path
) -> None:
    """Print what was understood of a text: languages, pairs, some of them, what was dropped."""
    names = ", ".join(path.name for paths in files.values() for path in paths)
    say("text", f"{asked.text}, {asked.source} to {asked.target}: {names}")
    say("pairs", ", ".join(f"{split} {count:,}" for split, count in text.pairs.items()))
    sides = (read_lines(folder / f"train.{language}") for language in asked.languages)
    step = text.pairs["train"] // SHOWN
    for pair in islice(zip(*sides, strict=True), step // 2, None, step):
        for language, line in zip(asked.languages, pair, strict=True):
            say("", f"{language}: {line}")
    say("dropped", f"{text.dropped}; of {text.cleaning['read']:,} pairs read")
    if others := not_used(asked.text, files):
        say("not used", ", ".join(others))
    for split in files.keys() - {"train"}:
        if lost := text.given[split] - text.pairs[split]:
            say("warning", f"{split}: {lost:,} of {text.given[split]:,} pairs are dropped")
    for sentence in doubts(text, asked.languages):
        say("warning", sentence)


def say_time(runs: SharedRuns, updates: int) -> None:
    """Print updates, passes and hours, and if they are too few to tell methods apart."""
    say("updates", f"{updates:,}, {runs.passes(updates):.1f} passes through the text")
    say("hours", f"{runs.hours(updates):.2f} for {len(runs.costs)} runs")
    if runs.passes(updates) > MOST_PASSES:
        say("warning", f"after {MOST_PASSES} passes models rather overfit")
    if updates < ENOUGH:
        say(
            "warning",
            f"too few updates to tell methods apart: {ENOUGH:,} would take"
            f" {runs.hours(ENOUGH):.2f} hours",
        )
