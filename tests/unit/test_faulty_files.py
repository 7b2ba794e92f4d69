"""Every reader of our files refuses a faulty one in a line that begins with the file.

One table has the faults of any JSON object, another what a record or curves may not say.
"""

import json
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

import invented
import pytest
from invented import (
    curves_of,
    milestone,
    record,
    write_archive,
    write_archived_curves,
    write_result,
)

import projects
from deepmt.base.files import json_lines, read_json, with_own_hash, write_hashed_json, write_json
from deepmt.data.dataset import load_settings
from deepmt.decode.partial_translation import PartialTranslation
from deepmt.measured.record_file import FAILURES
from deepmt.measured.records import Record, read_records
from deepmt.measured.seed_files import Refusal
from deepmt.measured.training_curves import read_training_curves
from deepmt.measured.untrained_values import read_untrained
from deepmt.settings.spec import canonical_sha256, read_spec
from projects import ROOT
from tiny import tiny_spec

SPECS = invented.SPECS.values()
OUTCOME = {"outcome": "finished", "updates": 5, "loss": 0.1 + 0.2, "text": "für", "words": [1, {}]}


def records(folder: Path) -> list[Record]:
    return read_records(folder / "results", folder / "records", SPECS, "toy")[0]


def refused_record(folder: Path) -> str:
    _, refusals = read_records(folder / "results", folder / "records", SPECS, "toy")
    return only(refusals)


def refused_curves(folder: Path) -> str:
    archive = folder / "records/curves"
    return only(read_training_curves(records(folder), archive, SPECS, "toy")[1])


def only(refusals: list[Refusal]) -> str:
    [found] = refusals
    return found.message


def problem(read: Callable[[Path], Any]) -> Callable[[Path], str]:
    """What a reader says that raises ValueError."""

    def said(folder: Path) -> str:
        with pytest.raises(ValueError, match=r".") as error:
            read(folder)
        return str(error.value)

    return said


class Reader(NamedTuple):
    """A good file, a number in it if it has a hash, and what its reader says of a bad one."""

    write: Callable[[Path], Path]
    number: str
    refusal: Callable[[Path], str]


def written(name: str, value: dict[str, Any], write: Callable[..., None]) -> Callable[..., Path]:
    def good(folder: Path) -> Path:
        write(folder / name, value)
        return folder / name

    return good


READERS = {
    "record": Reader(
        lambda folder: write_result(folder, record("p.r1", epochs=1.5)), "1.5", refused_record
    ),
    "archived record": Reader(
        lambda folder: write_archive(folder, record("p.r1", epochs=1.5)), "1.5", refused_record
    ),
    "archived curves": Reader(
        lambda folder: write_archived_curves(
            folder, curves_of("p.r1", dev={"update": [2], "ppl": [9.5]})
        ),
        "9.5",
        refused_curves,
    ),
    "outcome": Reader(
        written("outcome.json", OUTCOME, write_hashed_json),
        "5",
        problem(lambda folder: read_json(folder / "outcome.json", hashed=True)),
    ),
    "spec": Reader(
        written("spec.json", tiny_spec().sections, write_json),
        "",
        problem(lambda folder: read_spec(folder / "spec.json")),
    ),
}
FAULTS: dict[str, Callable[[str, str], str]] = {
    "empty": lambda text, number: "" if "\n" in text.strip() else "{",
    "truncated": lambda text, number: text[: len(text) // 2],
    "other bytes": lambda text, number: "\x00" + text,
    "a list": lambda text, number: "[1]",
    "a number": lambda text, number: "5",
    "null": lambda text, number: "null",
    "no keys": lambda text, number: "{}",
    "no end of nesting": lambda text, number: "[" * 50_000,
}
HASHED_FAULTS: dict[str, Callable[[str, str], str]] = {
    "not a number": lambda text, number: text.replace(number, "NaN", 1),
    "too large for a float": lambda text, number: text.replace(number, "1e999", 1),
    "another digit": lambda text, number: text.replace(number, f"{number}1", 1),
    "a key twice": lambda text, number: re.sub(r'("updates": ?\d+),', r"\1, \g<1>1,", text),
    "a key less": lambda text, number: re.sub(r'"updates": ?\d+, ?', "", text, count=1),
}
"""Those that only a file with a hash of its content shows."""
HASHED = ("record", "archived record", "archived curves", "outcome")
CASES = [
    *product(READERS, FAULTS.items()),
    *((name, fault) for name, fault in product(HASHED, HASHED_FAULTS.items())),
]


@pytest.mark.parametrize(
    ("name", "fault"), CASES, ids=[f"{name}, {fault}" for name, (fault, _) in CASES]
)
def test_a_faulty_file_is_refused_in_a_line_that_names_it(
    tmp_path: Path, name: str, fault: tuple[str, Callable[[str, str], str]]
) -> None:
    reader = READERS[name]
    path = reader.write(tmp_path)
    text = path.read_text()
    spoilt = fault[1](text, reader.number)
    assert spoilt != text
    path.write_text(spoilt)
    said = reader.refusal(tmp_path)
    assert re.match(rf"{re.escape(str(path))}(:\d+)?(:| is damaged)", said), said
    assert "\n" not in said


@pytest.mark.parametrize("name", ["archived record", "archived curves"])
def test_other_lines_of_the_archive_are_read(tmp_path: Path, name: str) -> None:
    path = READERS[name].write(tmp_path)
    good = path.read_text()
    for line in ("{", "3", "[]", '"text"', '{"scale": 3}'):
        path.write_text(f"{good}{line}\n")
        assert READERS[name].refusal(tmp_path).startswith(f"{path}:2: ")
    assert name != "archived record" or len(records(tmp_path)) == 1


def scores(value: object) -> dict[str, Any]:
    return {"scores": {"test": {"bleu": {"value": value, "signature": "s"}}}}


def of_spec(spec: dict[str, Any]) -> dict[str, Any]:
    return {"spec": spec, "spec_sha256": canonical_sha256(spec)}


WRONG_RECORDS: list[tuple[dict[str, Any], str]] = [
    (scores(-5), "scores.test: bleu: -5 should be greater than or equal to 0"),
    (scores("high"), "scores.test.bleu.value: "),
    ({"milestones": [milestone(5, 9.0, chrf=-1.0)]}, "chrf: -1 should be greater than or equal"),
    ({"perplexities": {"dev": 0.5}}, "perplexities.dev: 0.5 should be greater than or equal to 1"),
    ({"throughput": {"target_tokens_per_s": "fast"}}, "_s: 'fast' should be a valid number"),
    ({"decoding": {"sentences_per_s": {"test": "9"}}}, ".test: '9' should be a valid number"),
    ({"started": "yesterday"}, "started: 'yesterday'"),
    ({"seed": -1}, "seed: -1 should be greater than or equal to 0"),
    ({"spec_sha256": "0" * 64}, "is not the hash of"),
    ({"scale": "paper"}, "scale: paper does not belong to toy; move it"),
    *(({"outcome": outcome}, "`failure` must be given") for outcome in FAILURES),
]  # fmt: skip


@pytest.mark.parametrize(("changes", "said"), WRONG_RECORDS, ids=[s for _, s in WRONG_RECORDS])
def test_a_record_that_cannot_be_is_refused(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    path = write_archive(tmp_path, record("p.r1", **changes))
    assert refused_record(tmp_path).startswith(f"{path}:1: ")
    assert said in refused_record(tmp_path)


def test_a_record_of_settings_that_no_row_has_any_more_is_refused(tmp_path: Path) -> None:
    spec = record("p.r1")["spec"] | {"method": {"norm": "pre"}}
    path = write_archive(tmp_path, record("p.r1", spec=spec, spec_sha256=canonical_sha256(spec)))
    assert refused_record(tmp_path).startswith(f"{path}:1: spec_sha256: no row has this spec")


def test_a_record_in_another_place_is_refused(tmp_path: Path) -> None:
    path = write_archive(tmp_path / "a", record("p.r1"), record("p.r1"))
    assert refused_record(tmp_path / "a").startswith(f"{path}:2: seed 1 of ")
    write_result(tmp_path / "b", record("p.r1", scale="paper"))
    assert "scale: paper does not belong to toy" in refused_record(tmp_path / "b")
    path = write_result(tmp_path / "c", record("p.r1"))
    path.parent.rename(path.parent.with_name("seed2"))
    assert "is in the wrong folder" in refused_record(tmp_path / "c")


WRONG_CURVES: list[tuple[dict[str, Any], str]] = [
    ({"dev": {"update": [2, 2], "ppl": [9.0, 8.0]}}, "must rise"),
    ({"dev": {"update": [2, 99], "ppl": [9.0, 8.0]}}, "at most 20"),
    ({"dev": {"update": [0], "ppl": [9.0]}}, "must rise"),
    ({"dev": {"update": [2], "ppl": [9.0, 8.0]}}, "one value for each update"),
    ({"dev": {"update": [2], "ppl": ["high"]}}, "number"),
    ({"dev": {"update": [2.5], "ppl": [9.0]}}, "should be a valid integer"),
    ({"dev": {"update": [2], "blue": [9.0]}}, "dev.blue"),
    ({"dev": {"ppl": [9.0]}}, "dev.update: is required"),
    ({"output_gradients": {"update": [1, 2], "encoder": [[1.0, 2.0], [1.0]]}}, "the same layers"),
    ({"scale": "paper"}, "scale: paper does not belong to toy; move it"),
    ({"spec_sha256": "0" * 64}, "no row has this spec"),
    ({"run": "other-00000000"}, "the run of this spec is named"),
]


@pytest.mark.parametrize(("changes", "said"), WRONG_CURVES, ids=[str(c) for c, _ in WRONG_CURVES])
def test_curves_that_cannot_be_are_refused(
    tmp_path: Path, changes: dict[str, Any], said: str
) -> None:
    path = write_archived_curves(tmp_path, curves_of("p.r1", **changes))
    assert refused_curves(tmp_path).startswith(f"{path}:1: ")
    assert said in refused_curves(tmp_path)


def test_every_flipped_bit_of_a_hashed_file_is_found_or_changes_no_value(tmp_path: Path) -> None:
    path, unnamed = tmp_path / "outcome.json", 0
    write_hashed_json(path, OUTCOME)
    content = path.read_bytes()
    for place, bit in product(range(len(content)), range(8)):
        flipped = bytes([content[place] ^ 1 << bit])
        path.write_bytes(content[:place] + flipped + content[place + 1 :])
        with suppress(ValueError):
            found = read_json(path)
            unnamed += 1
            assert {key: found[key] for key in OUTCOME} == OUTCOME
    assert unnamed < len(content) / 2


def test_a_file_without_the_hash_that_it_must_have_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    write_json(path, OUTCOME)
    assert read_json(path, hashed=False) == OUTCOME
    with pytest.raises(ValueError, match=r"manifest\.json is damaged \(it holds no hash"):
        read_json(path)
    path.write_text(json.dumps(with_own_hash({"updates": 5})))
    with pytest.raises(ValueError, match=r"manifest.json is damaged \(it lacks 'loss'\); delete"):
        read_json(path)["loss"]


@pytest.mark.parametrize(("name", "key"), [("spec.json", "updates"), ("data.json", "min_count")])
def test_settings_that_the_folder_is_not_named_after_are_refused(
    tmp_path: Path, name: str, key: str
) -> None:
    spec = tiny_spec()
    folder, settings, read = {
        "spec.json": (spec.run, spec.sections, read_spec),
        "data.json": (spec.dataset, asdict(spec.data), load_settings),
    }[name]
    for place in (tmp_path / folder, tmp_path / "by-hand"):
        write_json(place / name, settings)
        read(place / name)
        changed = re.sub(rf'("{key}": )(\d+)', r"\g<1>1\g<2>", (place / name).read_text())
        (place / name).write_text(changed)
    read(tmp_path / "by-hand" / name)
    with pytest.raises(ValueError, match=r"is damaged: its settings belong to .* not its folder"):
        read(tmp_path / folder / name)


@pytest.mark.parametrize("line", ["{}", "5", "[]", "{"])
def test_a_line_of_an_unfinished_translation_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "part"
    path.write_text(f"{json.dumps({'a': 1})}\n{line}\n")
    with pytest.raises(ValueError, match="part is damaged"):
        PartialTranslation(path, {"a": 1})


def test_lines_of_a_log_that_are_no_events_are_skipped() -> None:
    lines = ["{}", "5", "[]", "{", "[" * 50_000, '{"event": "start"}']
    assert list(json_lines("\n".join(lines).encode())) == [{}, {"event": "start"}]


@pytest.mark.parametrize(
    "name", ["params.csv", "speed.csv", "probes/table1.csv", "probes/fig1.csv"]
)
@pytest.mark.parametrize(
    "damage",
    [
        lambda text: "",
        lambda text: text.replace("ours", "oars", 1),
        lambda text: re.sub(r"\d{6,}|\d\.\d+", "x", text),
        lambda text: "\x00\xff\n" * 9,
    ],
)
def test_a_faulty_table_of_measurements_is_refused_by_name(
    tmp_path: Path, name: str, damage: Callable[[str], str]
) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(damage((ROOT / "records" / name).read_text()))
    papers = projects.plan(papers="all").papers
    with pytest.raises(ValueError, match=rf"^{re.escape(str(path))} is damaged \(.*; delete it"):
        read_untrained(tmp_path, tmp_path / "none", papers)
