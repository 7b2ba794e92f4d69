"""Text from outside sends no escape bytes to a terminal."""

import ast
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from rich.console import Console

from deepmt.base.printable import say
from deepmt.data.fetch import FetchError, fetch
from deepmt.machines.seed_status import survey
from deepmt.machines.status_table import draw
from deepmt.report.explain import subtree
from deepmt.settings.corpora import Archive
from deepmt.settings.spec import readable_specs
from deepmt.train.event_log import ProgressLine
from projects import ROOT

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


def fetch_from_nowhere(folder: Path) -> None:
    archive = Archive(name="a.gz", sha256="0" * 64)
    with pytest.raises(FetchError):
        fetch(archive, folder / "a.gz", folder / ESCAPE)


PRINTS: dict[str, Callable[[Path], object]] = {
    "a message": lambda _: say(f"no compiler: {ESCAPE}"),
    "a progress line": lambda _: ProgressLine(ESCAPE, 9).show(9, 1.0, 9, last=True),
    "a path": lambda folder: readable_specs([folder / ESCAPE / "spec.json"]),
    "a source of an archive": fetch_from_nowhere,
}


@pytest.mark.parametrize("prints", PRINTS.values(), ids=PRINTS)
def test_standard_error_gets_no_escape_bytes(
    prints: Callable[[Path], object], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    prints(tmp_path)
    text = capfd.readouterr().err
    assert r"\x1b]0;owned\x07\x1b[31m\x9b\u202e" in text
    assert [mark for mark in text if not mark.isprintable() and mark != "\n"] == []


def test_nothing_is_printed_past_the_place_that_escapes() -> None:
    """Every `print` has a text that passed `printable`, except in the program that exports hold."""
    past = [
        f"{file.name}:{node.lineno}"
        for file in (ROOT / "workflow_scripts").rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("print", "traceback.print_exc")
        if not ast.unparse(node).startswith("print(printable(")
    ]
    assert past == []
