"""The numbers of docs/results.md are those of the records that its rows name."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from deepmt.config.settings import Plan, load_plan
from deepmt.metrics.spread import mean_and_spread
from deepmt.results.record_archive import lines_of, parts

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/results.md").read_text()
VALUES = {
    "BLEU": lambda record: record["scores"]["test"]["bleu"]["value"],
    "tokenised BLEU": lambda record: record["scores"]["test"]["bleu_tok_lc"]["value"],
    "chrF": lambda record: record["scores"]["test"]["chrf"]["value"],
    "PPL": lambda record: record["perplexities"]["test"],
}


def rows() -> list[tuple[str, str, dict[str, str]]]:
    """Scale, row and what is printed of it, of every table whose heading names a scale."""
    found = []
    for section in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]:
        scale, *_ = re.findall(r"scale=([\w-]+)", section) or [None]
        heading: list[str] = []
        for line in section.splitlines():
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if line.startswith("|") and "row" in cells:
                heading = cells
            elif scale and line.startswith("| ") and heading and "`" in line:
                values = dict(zip(heading, cells, strict=True))
                found.append((scale, values["row"].strip("`"), values))
    return found


@cache
def plan(scale: str) -> Plan:
    return load_plan(ROOT, {"scale": scale, "rows": "all"})


@cache
def records(scale: str) -> list[dict[str, Any]]:
    return [json.loads(line) for path in parts(ROOT / "records", scale) for line in lines_of(path)]


def test_there_are_numbers_to_compare() -> None:
    assert len(rows()) > 10


@pytest.mark.parametrize(("scale", "row", "printed"), rows(), ids=lambda part: str(part)[:40])
def test_a_printed_number_is_the_mean_of_its_records(
    scale: str, row: str, printed: dict[str, str]
) -> None:
    """With its spread where the table has a column of seeds, "31.2 ± 0.4"."""
    run = plan(scale).specs[row].run
    found = [record for record in records(scale) if record["run"] == run]
    assert found, f"no record of {run}"
    assert int(printed.get("seeds", 1)) == len(found)
    for name in VALUES.keys() & printed.keys():
        mean, spread = mean_and_spread(list(map(VALUES[name], found)))
        shown, _, beside = printed[name].partition(" ± ")
        decimals = len(shown.partition(".")[2])
        assert float(shown) == round(mean, decimals), name
        assert beside == ("" if spread is None else f"{spread:.{decimals}f}"), name
