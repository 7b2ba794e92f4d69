"""A crate of made-up results: complete, described, and the project's own files."""

import hashlib
import io
import json
import os
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest
from crates import bundle, clone, train, unpack
from made_up import ROOT, plan_of, render

from wings.export.ro_crate import METADATA

PAPERS = ("liu2020",)


@pytest.fixture(scope="module")
def origin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two seeds of every run of a paper, its sizes, and its tables."""
    root = clone(tmp_path_factory.mktemp("origin") / "project")
    train(root, plan_of(*PAPERS))
    shutil.copy(ROOT / "records/params.csv", root / "results/toy/params.csv")
    render(root, PAPERS)
    return root


@pytest.fixture(scope="module")
def made(origin: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("made") / "crate.zip"
    return bundle(origin, PAPERS, output, authors=("A. Author",))


def graph(made: Path) -> dict[str, dict[str, Any]]:
    with zipfile.ZipFile(made) as archive:
        entities = json.loads(archive.read(METADATA))["@graph"]
    return {entity["@id"]: entity for entity in entities}


def test_unpacked_files_are_those_of_the_project(origin: Path, made: Path, tmp_path: Path) -> None:
    folder = unpack(made, tmp_path)
    found = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file()}
    del found[METADATA]
    assert all(path.read_bytes() == (origin / name).read_bytes() for name, path in found.items())
    rendered = {f"results/toy/tables/{paper}.{end}" for paper in PAPERS for end in ("md", "tex")}
    others = {"results/toy/report.html", "results/toy/claims.csv", "requirements.lock"}
    assert rendered | others | {"papers/liu2020.yaml", "Snakefile"} <= found.keys()
    records = {
        p.relative_to(origin).as_posix() for p in origin.glob("results/*/runs/*/*/record.json")
    }
    assert records <= found.keys()
    assert {name.replace("record.json", "log.jsonl") for name in records} <= found.keys()


def test_every_file_is_described_by_its_size_and_sum(made: Path) -> None:
    found = graph(made)
    with zipfile.ZipFile(made) as archive:
        for name in set(archive.namelist()) - {METADATA}:
            content = archive.read(name)
            described = found[name.replace(" ", "%20")]
            assert described["contentSize"] == str(len(content))
            assert described["sha256"] == hashlib.sha256(content).hexdigest()


def test_translations_may_stay_at_home(origin: Path, made: Path, tmp_path: Path) -> None:
    without = bundle(origin, PAPERS, tmp_path / "crate.zip", hypotheses=False)
    all_names, names = (set(zipfile.ZipFile(path).namelist()) for path in (made, without))
    assert all_names - names == {name for name in all_names if "/hyp." in name} != set()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:ConjunctiveGraph is deprecated")
def test_the_validator_of_ro_crates_finds_nothing_required(
    made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rocrate_validator import services  # seconds that only this test needs

    offline_contexts(monkeypatch)
    settings = services.ValidationSettings(
        rocrate_uri=unpack(made, tmp_path / "crate").as_posix(),
        profile_identifier="workflow-run-crate-0.5",  # with what it inherits
        requirement_severity="RECOMMENDED",
        abort_on_first=False,
    )
    issues = services.validate(settings).get_issues()
    assert [each.message for each in issues if each.severity.name == "REQUIRED"] == []
    assert not [each.message for each in issues if "agent" in each.message]


def offline_contexts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Answer for w3id.org with the context that rocrate ships, with the terms of RO-Crate 1.1."""
    import rdflib.plugins.shared.jsonld.context as jsonld
    import rocrate
    from requests import Response
    from rocrate_validator.utils.http import HttpRequester

    shipped = Path(rocrate.__file__).with_name("data") / "ro-crate.jsonld"
    terms = json.loads(shipped.read_text())["@context"]
    bioschemas = ("ComputationalWorkflow", "FormalParameter")
    terms |= {name: f"https://bioschemas.org/{name}" for name in bioschemas}
    terms["sha256"] = "https://w3id.org/ro/terms/workflow-run#sha256"
    found = {"@context": terms}
    answer = Response()
    answer.status_code, answer.raw = 200, io.BytesIO(json.dumps(found).encode())
    answer.headers["Content-Type"] = "application/ld+json"
    monkeypatch.setattr(HttpRequester, "get", lambda *_, **__: answer, raising=False)
    monkeypatch.setattr(jsonld, "source_to_json", lambda *_, **__: (found, None))


def test_tables_older_than_their_records_are_not_bundled(origin: Path, tmp_path: Path) -> None:
    root = shutil.copytree(origin, tmp_path / "project", symlinks=True)
    results = root / "results/toy"
    record = next(results.glob("runs/*/seed*/record.json"))
    later = (results / "cells.csv").stat().st_mtime + 1
    os.utime(record, (later, later))
    with pytest.raises(ValueError, match=r"record.json is newer than .*cells.csv: run `snakemake`"):
        bundle(root, PAPERS, tmp_path / "crate.zip")
    (results / "claims.csv").unlink()
    with pytest.raises(ValueError, match=r"lacks claims.csv: run `snakemake`"):
        bundle(root, PAPERS, tmp_path / "crate.zip")


@pytest.mark.parametrize(
    ("damaged", "rule"),
    [
        ("seed1/hyp.test.txt", "hyp.test.txt is damaged: it does not have the hash in the record"),
        ("spec.json", "spec.json is damaged: its settings belong to"),
    ],
)
def test_what_is_not_what_a_record_was_made_from_is_not_bundled(
    origin: Path, tmp_path: Path, damaged: str, rule: str
) -> None:
    root = shutil.copytree(origin, tmp_path / "project", symlinks=True)
    path = next((root / "results/toy/runs").glob(f"*/{damaged}"))
    path.write_text(path.read_text().replace("Hund", "Fuchs").replace("0.9", "0.8"))
    with pytest.raises(ValueError, match=rule):
        bundle(root, PAPERS, tmp_path / "crate.zip")


@pytest.mark.parametrize(
    ("word", "rule"),
    [
        ("liu2020.t3.x", r"unknown row or run .* did you mean 'liu2020.t3."),
        ("liu2020.t3.b", r"lacks .*seed1/model.safetensors, .*manifest.json: train it"),
    ],
)
def test_models_that_are_not_there_are_named(
    origin: Path, tmp_path: Path, word: str, rule: str
) -> None:
    with pytest.raises(ValueError, match=rule):
        bundle(origin, PAPERS, tmp_path / "crate.zip", models=(word,))
