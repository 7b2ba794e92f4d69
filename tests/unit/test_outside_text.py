"""Text from outside: no formula for a spreadsheet, no escape bytes for a terminal."""

import csv
import json
import math
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console

from deepmt.config.csv_lines import read_lines, write_lines
from deepmt.formulas import quote_frame
from deepmt.printable import printable
from deepmt.report.explain import subtree
from deepmt.results.results import read_results
from deepmt.status.seed_status import survey
from deepmt.status.status_table import draw

ESCAPE = "\x1b]0;owned\x07\x1b[31m\x9b\u202e"
TEXTS = st.text(st.sampled_from("=+-@'\t\r1.e(a "), max_size=6) | st.text(max_size=6)


@dataclass(frozen=True, kw_only=True)
class Line:
    label: str
    value: float


LINES = st.builds(Line, label=TEXTS, value=st.floats(allow_nan=False, allow_infinity=False))


def is_formula(cell: str) -> bool:
    """Tell whether a spreadsheet runs a cell: it begins with a sign, and is no number."""
    try:
        return not math.isfinite(float(cell)) and len(cell) > 1 and cell[0] in "=+-@"
    except ValueError:
        return len(cell) > 1 and cell[0] in "=+-@"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(st.lists(LINES, max_size=5))
def test_no_cell_of_a_csv_file_is_a_formula_and_all_come_back(
    tmp_path: Path, lines: list[Line]
) -> None:
    path = tmp_path / "lines.csv"
    write_lines(Line, lines, path)
    with path.open(encoding="utf-8", newline="") as file:
        assert not [cell for row in csv.reader(file) for cell in row if is_formula(cell)]
    expected = [Line(label=printable(line.label), value=line.value) for line in lines]
    assert read_lines(Line, path) == expected


def test_no_text_of_a_data_frame_is_a_formula() -> None:
    frame = pd.DataFrame({"label": ["=cmd|' /C calc'!A0", "- MAtt", "-", None], "x": [-1, 2, 3, 4]})
    quoted = quote_frame(frame)
    assert quoted.label[:3].tolist() == ["'=cmd|' /C calc'!A0", "'- MAtt", "-"]
    assert quoted.x.tolist() == frame.x.tolist()


def test_a_printed_command_quotes_the_path_in_it(tmp_path: Path) -> None:
    folder = tmp_path / "a $(touch x)"
    folder.mkdir()
    (folder / "runs.json").write_text('{"scale": "toy; touch x"}')
    with pytest.raises(
        ValueError, match=r"run `snakemake --cores all '\S*/a \$\(touch x\)/runs.json'`"
    ):
        read_results(folder)


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


def test_an_explanation_sends_no_escape_bytes_to_the_terminal() -> None:
    text = shown(subtree("row", [f"machine {ESCAPE}"]))
    assert r"machine \x1b]0;owned\x07\x1b[31m\x9b\u202e" in text
    assert [mark for mark in text if not mark.isprintable() and mark != "\n"] == []
