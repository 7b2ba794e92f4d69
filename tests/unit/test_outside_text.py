"""Text from outside sends no escape bytes to a terminal."""

import json
from pathlib import Path

from rich.console import Console

from deepmt.report.explain import subtree
from deepmt.status.seed_status import survey
from deepmt.status.status_table import draw

ESCAPE = "\x1b]0;owned\x07\x1b[31m\x9b\u202e"


def shown(part: object) -> str:
    console = Console(width=200, force_terminal=False)
    with console.capture() as captured:
        console.print(part)
    return captured.get()


def test_a_log_sends_no_escape_bytes_to_the_terminal(tmp_path: Path) -> None:
    log = tmp_path / f"results/toy/runs/{ESCAPE[1:4]}-a/seed1/log.jsonl"
    log.parent.mkdir(parents=True)
    events = [{"event": "start", "host": ESCAPE}, {"event": "stopped", "reason": ESCAPE}]
    log.write_text("".join(json.dumps(event) + "\n" for event in events))
    text = shown(draw(survey(tmp_path)))
    assert text.count(r"\x1b]0;owned") == 2
    assert [mark for mark in text if not mark.isprintable() and mark != "\n"] == []


def test_an_explanation_shows_text_as_it_is_without_escape_bytes() -> None:
    text = shown(subtree("[red]p.r1", [f"[bold]x[/bold] :smile: {ESCAPE}"]))
    assert "[red]p.r1" in text
    assert r"[bold]x[/bold] :smile: \x1b]0;owned\x07\x1b[31m\x9b\u202e" in text
    assert [mark for mark in text if not mark.isprintable() and mark != "\n"] == []
