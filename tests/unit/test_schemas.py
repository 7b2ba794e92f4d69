"""Editors check the settings files by schemas that follow from the classes that read them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from deepmt.settings.strict_yaml import load
from projects import ROOT, shipped

SCHEMAS = ROOT / "docs/schemas"
FILES = {
    "paper": shipped("papers"),
    "scale": shipped("scales"),
    "corpora": [ROOT / "corpora.yaml"],
}


def faults(kind: str, document: object) -> list[str]:
    """What an editor says of a file."""
    validator = Draft202012Validator(json.loads((SCHEMAS / f"{kind}.json").read_text()))
    return [error.message for error in validator.iter_errors(document)]


def test_the_schemas_are_those_of_the_classes(tmp_path: Path) -> None:
    # Another process, which has not imported the classes yet.
    command = [sys.executable, str(ROOT / "docs/schemas.py"), str(tmp_path)]
    path = {"PYTHONPATH": str(ROOT / "workflow_scripts")}
    subprocess.run(command, env=os.environ | path, check=True)
    for written in tmp_path.iterdir():
        assert written.read_text() == (SCHEMAS / written.name).read_text(), (
            "run .venv/bin/python docs/schemas.py"
        )
    assert len(list(tmp_path.iterdir())) == len(list(SCHEMAS.iterdir()))


@pytest.mark.parametrize("kind", FILES)
def test_every_file_names_its_schema_and_keeps_to_it(kind: str) -> None:
    for path in FILES[kind]:
        first, _, _ = path.read_text().partition("\n")
        place = os.path.relpath(SCHEMAS / f"{kind}.json", path.parent)
        assert first == f"# yaml-language-server: $schema={place}", path
        assert faults(kind, load(path)) == [], path


def test_a_slip_is_found_in_the_editor() -> None:
    paper = load(ROOT / "papers/wu2021.yaml")
    paper["systems"]["text-only"]["training.patienze"] = 10
    [said] = faults("paper", paper)
    assert "'training.patienze' was unexpected" in said
    [said] = faults("scale", {"name": "a", "from": "toy", "thread": 1})
    assert "'thread' was unexpected" in said


def test_what_names_no_base_must_be_whole() -> None:
    assert faults("scale", {"name": "a", "from": "toy"}) == []
    assert any(
        "'threads' is a required property" in said for said in faults("scale", {"name": "a"})
    )
