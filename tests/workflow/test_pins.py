"""One set of versions, wherever it is written."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]


def pins(lines: list[str]) -> dict[str, str]:
    found = [re.match(r"([A-Za-z0-9._-]+)(?:\[.*\])?==(.+)$", line.strip()) for line in lines]
    return {match[1].lower().replace("_", "-"): match[2] for match in found if match}


REQUIREMENTS = pins(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"])
LOCK = pins((ROOT / "requirements.lock").read_text().split("\n"))


@pytest.mark.parametrize("path", sorted((ROOT / "envs").glob("*.yaml")), ids=lambda p: p.stem)
def test_conda_environments_state_the_same_pins(path: Path) -> None:
    dependencies = yaml.safe_load(path.read_text())["dependencies"]
    stated = pins(dependencies[-1]["pip"])
    assert stated
    assert stated.items() <= REQUIREMENTS.items()


def test_the_lock_holds_every_requirement() -> None:
    assert REQUIREMENTS.items() <= LOCK.items()


def test_every_line_of_the_lock_is_pinned() -> None:
    lines = [line for line in (ROOT / "requirements.lock").read_text().split("\n") if line]
    assert len(LOCK) == len(lines)
