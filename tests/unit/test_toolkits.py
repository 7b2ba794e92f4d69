"""What docs/toolkits.md says of settings holds, and every finding has a head that can be read."""

import dataclasses
import os
import re
from pathlib import Path

import pytest
from pydantic import TypeAdapter

from bench.conventions import differences
from deepmt.base.errors import UserError
from deepmt.report.fragments.conventions import Settings, read_toolkits
from deepmt.report.fragments.findings import read_finding, read_findings
from deepmt.settings.spec import SECTIONS, TYPES, make_spec, some_of
from deepmt.study.papers import load

ROOT = Path(__file__).parents[2]
KNOWN = read_toolkits(ROOT)
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


def test_a_system_can_follow_fairseq() -> None:
    base = load(ROOT / "papers/wu2021.yaml").systems["text-only"]
    also = settings("fairseq") | KNOWN.toolkits["fairseq"].also
    spec = make_spec({**base, "data.source": "en", "data.target": "de", **also})
    assert spec.training.epsilon_hat
    assert spec.model.first_position == 2


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
