"""Whether every number of ours on a page has a record behind it: read without the report's code.

A number on a page says what it is: data-cell (a cell of a table, by row and column),
data-cell-seed (one seed of it) or data-record with data-field (a field of a record). What is shown
must be the number rounded, and the number must follow from the records' own JSON.
"""

import csv
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from deepmt.config.papers import Column, Row, Table
from deepmt.config.settings import Plan

VOID = {"meta", "link", "br", "img", "input", "hr"}
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
OURS = "var(--ours)"
"""The background of the columns that hold our numbers."""
NAMES = {"data-cell", "data-cell-seed", "data-record"}
PERPLEXITIES = {"ppl_dev": "dev", "ppl_train": "train", "ppl_test": "test"}
OTHER_SPLITS = {"bleu_tok_dev": "dev", "bleu_tok_train": "train"}
FILES = {"params.csv": 1e6, "probes/table1.csv": 1, "speed.csv": 1}
"""Numbers without training, and what they are counted in."""
CONSTANT = {"params_m", "learning_rate"}
"""Measures that are the same for all seeds, failed or not."""


@dataclass
class Shown:
    """An element of a page, its attributes and text."""

    attributes: Mapping[str, str]
    text: str = ""
    backed: bool = False
    """Whether an element inside says what its number is."""

    @property
    def number(self) -> bool:
        """Whether it says what its own number is."""
        return not NAMES.isdisjoint(self.attributes)

    @property
    def ours(self) -> bool:
        """Whether it is a cell of a column of ours."""
        return OURS in self.attributes.get("style", "")


class Page(HTMLParser):
    """Every element of a page that holds a number, and the cells of ours without one."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[Shown] = []
        self.numbers: list[Shown] = []
        self.bare: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(Shown({key: value or "" for key, value in attrs}))

    def handle_data(self, data: str) -> None:
        for shown in self.open:
            if shown.number or shown.ours:
                shown.text += data

    def handle_endtag(self, tag: str) -> None:
        shown = self.open.pop()
        if shown.number:
            self.numbers.append(shown)
            for outer in self.open:
                outer.backed = True
        if shown.ours and NUMBER.search(shown.text) and not (shown.backed or shown.number):
            self.bare.append(shown.text)


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Records by run, the run of every row, and the lines of the files that need no training."""

    records: Mapping[str, list[dict[str, Any]]]
    runs: Mapping[str, str]
    places: Mapping[str, tuple[Table, Row]]
    lines: Mapping[str, list[tuple[set[str], float, float | None]]]

    def used(self, row: str) -> list[dict[str, Any]]:
        """Records of a row that finished, or else all."""
        found = self.records.get(self.runs.get(row, ""), [])
        return [r for r in found if r["outcome"] == "finished"] or found

    def expected(self, row: str, key: str) -> tuple[float, float | None] | None:
        """Mean and sample standard deviation of a cell, or nothing."""
        table, printed = self.places[row]
        column = table.columns[key]
        measure = printed.measures.get(key, column.measure)
        for names, value, spread in self.lines.get(row, ()):
            if {key, measure} & names:
                return value, spread
        if measure == "delta":
            plain = replace(column, measure="mean")
            sides = [self._over_seeds(name, plain) for name in (row, str(printed.reference))]
            if None in sides:
                return None
            (mine, spread), (theirs, other) = sides
            both = spread is not None and other is not None
            return mine - theirs, math.hypot(spread, other) if both else None
        found = self._over_seeds(row, replace(column, measure=measure))
        return found and (found[0], None if measure in CONSTANT else found[1])

    def _over_seeds(self, row: str, column: Column) -> tuple[float, float | None] | None:
        used = self.records.get(self.runs.get(row, ""), [])
        if column.measure not in CONSTANT:
            used = self.used(row)
        values = [value(record, self.places[row], column) for record in used]
        if not values:
            return None
        return fmean(values), stdev(values) if len(values) > 1 else None


def value(record: Mapping[str, Any], place: tuple[Table, Row], column: Column) -> float:
    """What one record says of a column."""
    table, row = place
    parts = [table.columns[key] for key in column.of] if column.measure == "mean" else []
    parts = [replace(part, measure=row.measures.get(part.key, part.measure)) for part in parts]
    parts += [replace(column, split=name, splits=()) for name in column.splits]
    if parts:
        return fmean(value(record, place, part) for part in parts)
    if column.measure == "params_m":
        return float(record["parameters"] / 1e6)
    if column.measure == "learning_rate":
        return float(record["spec"]["training"]["lr"] * 1000)
    if column.measure == "updates":
        return float(record["updates"])
    if column.measure == "train_tokens_per_s":
        return float(record["throughput"]["target_tokens_per_s"])
    if column.measure == "decode_sentences_per_s":
        return float(record["decoding"]["sentences_per_s"][column.split])
    if column.measure in PERPLEXITIES:
        return float(record["perplexities"][PERPLEXITIES[column.measure]])
    name = OTHER_SPLITS.get(column.measure, column.split)
    scores = record["scores"].get(name, record["scores"]["test"])
    measure = "bleu_tok" if column.measure in OTHER_SPLITS else column.measure
    assert measure in scores, f"tests/unit/orphans.py must learn where a record holds {measure}"
    return float(scores[measure]["value"])


def gather(plan: Plan, root: Path, results: Path) -> Evidence:
    """Read all that is there: what lies under results before what lies in records/."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    archive = root / "records" / f"{plan.scale.name}.jsonl"
    texts = archive.read_text().splitlines() if archive.exists() else []
    texts += [path.read_text() for path in results.glob("runs/*/seed*/record.json")]
    for record in map(json.loads, texts):
        found[record["run"], record["seed"]] = record
    records: dict[str, list[dict[str, Any]]] = {}
    for run, seed in sorted(found):
        records.setdefault(run, []).append(found[run, seed])
    return Evidence(
        records=records,
        runs={row: spec.run for row, spec in plan.specs.items()},
        places={r.id: (t, r) for p in plan.papers for t in p.tables for r in t.rows},
        lines=_lines(root / "records", results),
    )


def _lines(archive: Path, results: Path) -> dict[str, list[tuple[set[str], float, float | None]]]:
    found: dict[str, list[tuple[set[str], float, float | None]]] = {}
    for name, unit in FILES.items():
        path = results / name if (results / name).exists() else archive / name
        with path.open(newline="") as file:
            for line in csv.DictReader(file):
                if line["ours"] and not line.get("system", "").startswith("DS-Init, decay 0.5"):
                    many = int(line.get("seeds") or line.get("rounds") or 0) > 1
                    spread = float(line["spread"]) if many else None
                    names = {line.get("measure", ""), line.get("sublayer", ""), "params_m"}
                    names -= {""} if name == "params.csv" else {"", "params_m"}
                    entry = (names, float(line["ours"]) / unit, spread)
                    found.setdefault(line["row"], []).append(entry)
    return found


def complaints(html: str, evidence: Evidence) -> Iterator[str]:
    """Every number of ours on a page that is not what the records say."""
    page = Page(html)
    yield from (f"{text}: it has no cell" for text in page.bare)
    for shown in page.numbers:
        yield from _complaints(shown, evidence)


def _complaints(shown: Shown, evidence: Evidence) -> Iterator[str]:
    attributes = shown.attributes
    name = attributes.get("data-cell") or attributes.get("data-cell-seed")
    if name is None:
        run, _, seed = attributes["data-record"].rpartition("/seed")
        name = f"{attributes['data-record']}: {attributes['data-field']}"
        wanted = _field(evidence.records.get(run, []), int(seed), attributes["data-field"])
    elif "data-cell" in attributes:
        wanted = evidence.expected(*_split(name))
    else:
        wanted = _of_seed(name, evidence)
    if wanted is None:
        yield f"{name}: no record gives {shown.text.strip()}"
        return
    stated = float(attributes["data-value"]), float(attributes.get("data-spread") or "nan")
    for told, text, number in zip(stated, _texts(shown.text), wanted, strict=True):
        if number is None:
            continue
        if not math.isnan(told) and not math.isclose(told, number, rel_tol=1e-12, abs_tol=1e-12):
            yield f"{name}: {told!r} is not {number!r}"
        if text and not _rounds(text, number):
            yield f"{name}: {text} is shown for {number!r}"


def markdown_complaints(text: str, table: Table, evidence: Evidence) -> Iterator[str]:
    """The same of one table in Markdown, whose rows are those of the paper in order."""
    lines = [_cells(line) for line in text.split("\n") if line.startswith("|")]
    rows = lines[2:]
    keys = {f"{column.label} ours": key for key, column in table.columns.items()}
    if len(rows) != len(table.rows):
        yield f"{table.id}: {len(rows)} rows"
        return
    for place, heading in enumerate(lines[0]):
        for row, line in zip(table.rows, rows, strict=True):
            if heading in keys and NUMBER.search(line[place]):
                found = evidence.expected(row.id, keys[heading])
                if found is None:
                    yield f"{row.id}.{keys[heading]}: no record gives {line[place]}"
                    continue
                for part, number in zip(_texts(line[place]), found, strict=True):
                    if part and (number is None or not _rounds(part, number)):
                        yield f"{row.id}.{keys[heading]}: {part} is shown for {number!r}"


def _cells(line: str) -> list[str]:
    """A line between pipes."""
    found = re.split(r"(?<!\\)\|", line)[1:-1]
    return [cell.replace("\\", "").strip() for cell in found]


def _split(name: str) -> tuple[str, str]:
    row, _, column = name.rpartition(".")
    return row, column


def _of_seed(name: str, evidence: Evidence) -> tuple[float, None] | None:
    cell, _, seed = name.rpartition("/")
    row, key = _split(cell)
    table, printed = evidence.places[row]
    column = table.columns[key]
    column = replace(column, measure=printed.measures.get(key, column.measure))
    found = evidence.records.get(evidence.runs[row], [])
    values = [value(r, (table, printed), column) for r in found if r["seed"] == int(seed)]
    return (values[0], None) if values else None


def _field(records: Iterable[Mapping[str, Any]], seed: int, name: str) -> tuple[float, None] | None:
    for record in records:
        if record["seed"] == seed:
            found: Any = record
            for key in name.split("."):
                found = found[key]
            return float(found), None
    return None


def _texts(text: str) -> tuple[str, str]:
    """A value and its spread as shown."""
    shown, _, spread = text.partition("±")
    found = [NUMBER.search(part) for part in (shown, spread)]
    first, second = (match[0].replace(",", "") if match else "" for match in found)
    return first, second


def _rounds(text: str, number: float) -> bool:
    decimals = len(text.partition(".")[2])
    return abs(float(text) - number) <= 0.5 * 10**-decimals + 1e-9
