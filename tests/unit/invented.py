"""An invented paper, specs and records for the tests of the report."""

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from deepmt.base.files import OWN_HASH, with_own_hash
from deepmt.judge.cells import Cell, all_cells
from deepmt.measured.corpus_terms import CorpusTerms
from deepmt.measured.records import Record, read_records
from deepmt.measured.table import Measured
from deepmt.measured.untrained_values import UntrainedValue
from deepmt.settings.method import Method
from deepmt.settings.spec import Data, Decoding, Model, Spec, Stack, Training
from deepmt.study.papers import Column, Paper, Row, Table

COLUMNS = {
    "params_m": Column(
        key="params_m", label="#Param", unit="million parameters", measure="params_m", decimals=0
    ),
    "bleu": Column(
        key="bleu", label="Test & 14 %", unit="BLEU", measure="bleu", better="higher",
        definition="of <cased> tokens",
    ),
    "mt04": Column(
        key="mt04", label="MT_04", unit="BLEU", measure="bleu", split="mt04", better="higher"
    ),
    "mean": Column(
        key="mean", label="Mean", unit="BLEU", measure="mean", of=("bleu", "mt04"), better="higher"
    ),
    "delta": Column(
        key="delta", label="∆", unit="BLEU", measure="delta", of=("bleu",), decimals=1,
        better="higher",
    ),
    "ppl": Column(key="ppl", label="PPL", unit="perplexity", measure="ppl_dev", better="lower"),
    "decode_s": Column(key="decode_s", label="△Dec", unit="seconds", measure="decode_s"),
    "batch": Column(key="batch", label="Batch", unit="tokens", measure="none", decimals=0),
}  # fmt: skip
ROWS = (
    Row(id="p.r1", label="Shallow #1", status="trained", system="a",
        values={"params_m": 62, "bleu": 27.5, "mt04": 30.25, "mean": 28.88, "delta": None,
                "ppl": 4.5, "decode_s": 12.5, "batch": 4096},
        marks={"delta": "- (reference)", "bleu": "† (estimate)"}),
    Row(id="p.r2", label="Deep × 12_β ≥ 1", status="trained", system="b", reference="p.r1",
        values={"bleu": 28.6, "delta": 1.1}),
    Row(id="p.r3", label="Deep, vanilla", status="failed", system="c", reference="p.r1",
        values={"params_m": 106, "bleu": None}, marks={"bleu": "* (failed)"}),
    Row(id="p.r4", label="Vaswani et al.", status="quoted", values={"bleu": 27.3}),
    Row(id="p.r5", label="No corpus", status="trained", system="d", values={"bleu": 1.5}),
    Row(id="p.r6", label="Probe", status="measured", system="a",
        values={"bleu": 1.22, "mt04": None}, measures={"bleu": "probe"},
        marks={"mt04": "- (not applicable)"}),
)  # fmt: skip
PAPER = Paper(
    key="p",
    title="Invented & 100 % honest",
    authors=("A. Author",),
    year=2020,
    vocabulary={},
    systems={},
    tables=(Table(id="p.table1", number=1, caption="5 % of_it", columns=COLUMNS, rows=ROWS),),
    path="papers/p.yaml",
)


STARTED = "2026-01-01T00:00:00+00:00"
RECIPE: dict[str, Any] = {"updates": 100, "batch_tokens": 100, "lr": 1e-3, "warmup": 10}


def spec(layers: int, **training: Any) -> Spec:
    """A small spec that differs by depth."""
    stack = Stack(layers=layers, d_model=8, feed_forward=16, heads=2)
    return Spec(
        encoder=stack,
        decoder=stack,
        data=Data(corpus="toy", source="en", target="de"),
        training=Training(**RECIPE | training),
        method=Method(),
        model=Model(),
        decoding=Decoding(),
    )


SPECS = {"p.r1": spec(2), "p.r2": spec(12), "p.r3": spec(18), "p.r6": spec(2)}
READER = TypeAdapter(Record)
TERMS = CorpusTerms(
    note="A toy corpus.",
    texts=(
        "Corpus toy: Invented English-German. A toy corpus. Licence: Apache-2.0."
        " Citation: A. Writer (2020), Words.",
    ),
)
UNAVAILABLE = {"p.r4": "the paper trains nothing for this row", "p.r5": "no corpus"}


def record(row: str, seed: int = 1, *, bleu: float = 90.0, **changes: Any) -> dict[str, Any]:
    """The JSON object of a finished seed."""
    scores = {"test": {"bleu": {"value": bleu, "signature": "BLEU|case:mixed"}}}
    return record_of(SPECS[row], seed, **{"scores": scores} | changes)


def record_of(found: Spec, seed: int, **changes: Any) -> dict[str, Any]:
    """The same of any spec; it has no scores unless they are given, and then BLEU, chrF and PPL."""
    updates = found.training.updates
    reached = changes.get("updates", updates)
    made = {
        "schema": "record/1",
        "run": found.run,
        "spec_sha256": found.sha256,
        "spec": found.sections,
        "scale": "toy",
        "seed": seed,
        "outcome": "finished",
        "failure": None,
        "updates": updates,
        "epochs": min(1.5, reached),
        "target_tokens": reached * found.training.batch_tokens,
        "train_loss": 2.5 + seed / 1000,
        "averaged_updates": [updates - 10, updates],
        "parameters": 312345,
        "scores": {},
        "perplexities": {"dev": 4.25},
        "decoding": {
            "beam": 4,
            "alpha": 0.6,
            "length_penalty": "wu",
            "seconds": {"test": 1.0},
            "sentences_per_s": {"test": 42.5},
        },
        "throughput": {"target_tokens_per_s": 1000.0},
        "peak_memory_mb": None,
        "hardware": {},
        "software": {},
        "data": {"dataset": found.dataset, "note": "A toy corpus.", "sha256": {}},
        "commit": "abc",
        "started": STARTED,
        "finished": "2026-01-01T01:00:00+00:00",
        "attempts": 1,
    } | changes
    some = {measure: {"value": 50.0, "signature": "made up"} for measure in ("bleu", "chrf")}
    made["scores"] = {split: some | scores for split, scores in made["scores"].items()}
    made["perplexities"] = dict.fromkeys(made["scores"], 4.25) | made["perplexities"]
    return made


def seed_of(found: Spec, seed: int = 1, **changes: Any) -> Record:
    """The same record as it is read."""
    return READER.validate_json(json.dumps(record_of(found, seed, **changes)))


def milestone(update: int, dev: float, **scores: float) -> dict[str, Any]:
    """The JSON object of what a seed had reached on dev at an update before its last."""
    spent = {"target_tokens": 10 * update, "train_seconds": 1.0, "core_seconds": 1.0}
    return {
        "update": update,
        "averaged_updates": [update],
        "dev_perplexities": {},
        "perplexities": {"dev": dev},
        "scores": {"dev": scores} if scores else {},
        "length_ratios": {},
    } | spent


def diverged(row: str, seed: int = 1, update: int = 90) -> dict[str, Any]:
    """The JSON object of a seed that diverged."""
    end = {"update": update, "reason": "loss is nan"}
    return record(row, seed, bleu=0.0, outcome="diverged", failure=end, averaged_updates=[])


def with_hash(found: dict[str, Any]) -> dict[str, Any]:
    """Add or renew its hash, as the scripts do; what JSON cannot hold has none."""
    plain = {key: value for key, value in found.items() if key != OWN_HASH}
    with suppress(ValueError):
        return with_own_hash(plain)
    return plain


def line(found: dict[str, Any]) -> str:
    """Return a record or curves as a line of the archive."""
    return json.dumps(with_hash(found)) + "\n"


def write_result(folder: Path, found: dict[str, Any]) -> Path:
    """Put a record where training would leave it."""
    path = folder / "results" / "runs" / found["run"] / f"seed{found['seed']}" / "record.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(with_hash(found), indent=1, sort_keys=True))
    return path


def write_archive(folder: Path, *lines: dict[str, Any], name: str = "toy") -> Path:
    """Put records in the archive, one a line."""
    path = folder / "records" / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(map(line, lines)))
    return path


def curves_of(row: str, seed: int = 1, **changes: Any) -> dict[str, Any]:
    """The JSON object of a seed in which nothing was measured but what `changes` names."""
    spec = SPECS[row]
    return {
        "schema": "curves/1",
        "run": spec.run,
        "spec_sha256": spec.sha256,
        "seed": seed,
        "scale": "toy",
        "updates": 20,
    } | changes


def write_archived_curves(folder: Path, *found: dict[str, Any]) -> Path:
    """Put training curves into the archive, one a line."""
    path = folder / "records" / "curves" / "toy.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(map(line, found)))
    return path


def results(folder: Path, scale: str = "toy", **changes: Any) -> Measured:
    """All that is known about the invented paper."""
    found, refusals = read_records(folder / "results", folder / "records", SPECS.values(), scale)
    known = Measured(
        scale=scale,
        scale_title="Toy scale",
        scale_note="Toy scale: never comparable.",
        as_printed=scale == "paper",
        runs={spec.run: spec for spec in SPECS.values()},
        rows={row: spec.run for row, spec in SPECS.items()},
        unavailable=UNAVAILABLE,
        selected=frozenset({"p.r1", "p.r2"}),
        records=tuple(found),
        refusals=tuple(refusals),
        corpora={"toy": TERMS},
    )
    return replace(known, **changes)


def nothing_run(rows: Iterable[Row]) -> Measured:
    """What is known of some rows where nothing can be run."""
    missing = {row.id: "no corpus" for row in rows}
    return Measured(scale="toy", runs={}, rows={}, unavailable=missing, selected=frozenset())


def untrained(found: Mapping[tuple[str, str], UntrainedValue]) -> dict[str, Any]:
    """What needs no training, as a change of results."""
    return {"untrained": found}


def cells(folder: Path, scale: str = "toy") -> dict[tuple[str, str], Cell]:
    """Cells of the invented paper by row and column, without the paper's key in the row."""
    found = all_cells([PAPER], results(folder, scale))
    return {(cell.row.removeprefix("p."), cell.column): cell for cell in found}
