"""The numbers of docs/results.md are those of the records that its rows name."""

import json
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from deepmt.config.settings import Plan, load_plan
from deepmt.metrics.spread import mean_and_spread
from deepmt.results.records import Record
from deepmt.results.results import gather
from deepmt.results.run_outcome import averaged, trains

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/results.md").read_text()
VALUES = {
    "BLEU": lambda record: record.scores["test"]["bleu"].value,
    "tokenised BLEU": lambda record: record.scores["test"]["bleu_tok_lc"].value,
    "chrF": lambda record: record.scores["test"]["chrf"].value,
    "PPL": lambda record: record.perplexities["test"],
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
def records(scale: str) -> dict[str, list[Record]]:
    """The archived records by run."""
    return gather(plan(scale), ROOT, Path("no-results"))[0].by_run


def test_there_are_numbers_to_compare() -> None:
    assert len(rows()) > 10


@pytest.mark.parametrize(("scale", "row", "printed"), rows(), ids=lambda part: str(part)[:40])
def test_a_printed_number_is_the_mean_of_its_records(
    scale: str, row: str, printed: dict[str, str]
) -> None:
    """With its spread over the seeds that train where several do, "31.2 ± 0.4"."""
    found = records(scale)[plan(scale).specs[row].run]
    trained, seeds = sum(map(trains, found)), len(found)
    if "seeds" in printed:
        assert printed["seeds"] == (f"{trained} of {seeds}" if trained < seeds else str(seeds))
    else:
        assert seeds == 1
    for name in VALUES.keys() & printed.keys():
        mean, spread = mean_and_spread(list(map(VALUES[name], averaged(found))))
        shown, _, beside = printed[name].partition(" ± ")
        decimals = len(shown.partition(".")[2])
        assert float(shown) == round(mean, decimals), name
        assert beside == ("" if spread is None else f"{spread:.{decimals}f}"), name


def test_the_toy_on_each_processor_is_as_recorded() -> None:
    section = PAGE.partition("## The toy on other processors\n")[2].partition("\n## ")[0]
    heading, _, *lines = [line for line in section.splitlines() if line.startswith("|")]
    names = re.findall(r"\(`([\w-]+)`\)", heading)
    assert names == sorted(path.name for path in (ROOT / "records/processors").iterdir())
    toy = load_plan(ROOT, {"scale": "toy", "papers": "unified"})
    [paper] = toy.papers
    rows = [row for row in paper.tables[0].rows if row.id in toy.selected]
    archives = [ROOT / "records/processors" / name / "toy.jsonl" for name in names]
    recorded = [{one["run"]: one for one in map(json.loads, path.open())} for path in archives]
    for row, line in zip(rows, lines, strict=True):
        label, layers, *printed = [part.strip() for part in line.strip("|").split("|")]
        spec = toy.specs[row.id]
        assert (label, layers) == (row.label, f"{spec.encoder.layers}+{spec.decoder.layers}")
        assert printed == [ending(of[spec.run]) for of in recorded]
    readme = (ROOT / "README.md").read_text()
    for words, row in (("of DS-Init has", "ds-init"), ("one of DLCL", "dlcl-pre")):
        run = toy.specs[f"unified.t1.deep-{row}"].run
        assert f"{words} {' or '.join(sorted(ending(of[run]) for of in recorded))}" in readme


def ending(record: dict[str, Any]) -> str:
    """Return BLEU, or where the run failed."""
    if failure := record["failure"]:
        return f"{record['outcome']} at update {failure['update']}"
    return f"{record['scores']['test']['bleu']['value']:.1f}"
