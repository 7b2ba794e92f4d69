"""What docs/toolkits.md says of settings holds, and every finding has a head that can be read."""

import dataclasses
import json
import os
import re
import shlex
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import TypeAdapter

from bench.conventions import differences
from deepmt.base.errors import UserError
from deepmt.report.fragments.convention_tables import forks, recipes
from deepmt.report.fragments.conventions import Settings, read_toolkits
from deepmt.report.fragments.findings import read_finding, read_findings
from deepmt.settings.spec import SECTIONS, TYPES, make_spec, some_of
from deepmt.settings.strict_yaml import PlainLoader, Section
from deepmt.study.papers import above, load, settings_of
from recorded import RECORDED

ROOT = Path(__file__).parents[2]
KNOWN = read_toolkits(ROOT)
SYSTEMS = {
    "fairseq": "post-fairseq",
    "Transformers": "post-huggingface",
    "OpenNMT-py": "pre-opennmt",
    "Marian": "post-marian",
    "joeynmt": "pre-joeynmt",
}
"""Toolkits with a recipe -> the system of papers/unified.yaml that does all as they do."""
SETTING = re.compile(rf"`((?:{'|'.join(SECTIONS)})\.[\w.]+)(?:: ([^`]+))?`")
HEAD = """#!/usr/bin/env bash
# The surprise.
# Topic: text
# Packages: one==1.0
# Behaviour: it does
#   otherwise.
# Why a good guess is wrong: why
# Who meets it: who
# Source: where
# Seen: this
set -euo pipefail
"""


def settings(name: str) -> Settings:
    """Our settings that follow a toolkit."""
    found = [part for part in KNOWN.settings(name) if not isinstance(part, str)]
    return {key: value for part in found for key, value in part.items()}


@pytest.mark.parametrize("name", KNOWN.toolkits)
def test_settings_that_follow_a_toolkit_exist(name: str) -> None:
    given = settings(name) | KNOWN.toolkits[name].also
    assert TypeAdapter(some_of(TYPES)).validate_python(given) == given


def test_the_row_of_ours_has_the_defaults_of_settings() -> None:
    for key, value in settings("ours").items():
        section, name = key.split(".")
        [field] = (one for one in dataclasses.fields(SECTIONS[section]) if one.name == name)
        default = field.default_factory() if callable(field.default_factory) else field.default
        assert getattr(default, "name", default) == value, key


def recipe(name: str) -> dict[str, Any]:
    """The settings of a printed recipe, whose system is read as in a paper's file."""
    text = recipes(RECORDED, name).strip("`\n").removeprefix("yaml")
    [system] = yaml.load(text, PlainLoader).values()
    assert system.pop("from") == "base"
    return dict(system)


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_system_can_follow_a_toolkit(name: str) -> None:
    paper = load(ROOT / "papers/wu2021.yaml")
    change = Section(recipe(name), paper.path, {})
    system = above(settings_of(paper, "text-only"), change)
    spec = make_spec({**system, "data.source": "en", "data.target": "de"})
    assert spec.training.beta2 == 0.999


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_printed_recipe_has_what_the_system_of_our_table_sets(name: str) -> None:
    unified = load(ROOT / "papers/unified.yaml")
    usual, system = (settings_of(unified, one) for one in ("post-usual", SYSTEMS[name]))
    changed = {key: value for key, value in system.items() if usual.get(key) != value}
    assert changed.items() <= recipe(name).items()
    spec = RECORDED["multi30k-budget"].plan.specs[f"unified.t8.{SYSTEMS[name]}"]
    for key, value in recipe(name).items():
        if not re.match(r"decoding|data|training\.\w*dropout", key):
            found = attrgetter(key)(spec)
            assert getattr(found, "name", found) == value, key


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_setting_of_a_printed_recipe_is_explained(name: str) -> None:
    page = (ROOT / "docs/options.md").read_text()
    assert [key for key in recipe(name) if f"`{key}" not in page] == []


@pytest.mark.parametrize("page", ["toolkits.md", "options.md"])
def test_settings_on_the_pages_exist_and_take_their_values(page: str) -> None:
    found = SETTING.findall((ROOT / "docs" / page).read_text())
    assert len(found) > 40
    for key, value in found:
        assert key in TYPES, key
        if value:
            given = yaml.load(value, PlainLoader)
            assert TypeAdapter(some_of(TYPES)).validate_json(json.dumps({key: given}))


def test_where_a_paper_differs_from_its_fork_there_is_a_reason() -> None:
    assert KNOWN.switches.keys() <= TYPES.keys()
    table = forks(RECORDED)
    assert table.count("; ours ") == sum(len(switch.why) for switch in KNOWN.switches.values())
    assert "`model.attention_biases`" in table


def test_what_a_release_changed_is_printed() -> None:
    cells = {"gold_share": 0.91, "clip": 0.5}
    found = {"toolkit": "Transformers", "version": "9", "cells": cells}
    assert list(differences(KNOWN, found)) == ["clip (clip): 1 then, 0.5 now"]
    failed = {"toolkit": "eole", "version": "9", "error": "ImportError: gone"}
    assert list(differences(KNOWN, failed)) == ["cannot be called as 0.6.4 can: ImportError: gone"]


def test_findings_have_a_head_and_need_nothing_of_this_machine() -> None:
    for finding in read_findings(ROOT):
        script = finding.path.read_text()
        assert re.fullmatch(r"[a-z0-9.-]+\.sh", finding.path.name)
        assert os.access(finding.path, os.X_OK), finding.path.name
        assert "\nset -euo pipefail\n" in script, finding.path.name
        absolute = re.findall(r"(?<![\w.}$/])/(?:work|home|root|tmp|opt|mnt|Users)/\S*", script)
        assert not absolute, finding.path.name
        assert all("==" in one for one in finding.said["Packages"].split(", ")), finding.path.name
        installs = re.findall(r"^.* -m pip .*? install ((?:.*\\\n)*.*)", script, re.MULTILINE)
        assert installs or "apt-get" in script, finding.path.name
        for install in installs:
            named = [one for one in shlex.split(install, comments=True) if one[0].isalpha()]
            assert named, install
            assert all("==" in one for one in named), install


def test_a_head_is_read_and_what_it_lacks_is_named(tmp_path: Path) -> None:
    path = tmp_path / "one.sh"
    path.write_text(HEAD)
    assert read_finding(path).said["Behaviour"] == "it does otherwise."
    for change, message in {
        "# Source: where\n": "needs Source",
        "Topic: text": "Topic 'txt'",
        "#!/usr/bin/env bash": ":1: needs",
        "# Seen: this": "has no key",
    }.items():
        new = {"Topic: text": "Topic: txt", "# Seen: this": "# Saw: this"}.get(change, "")
        path.write_text(HEAD.replace(change, new))
        with pytest.raises(UserError, match=re.escape(message)):
            read_finding(path)
