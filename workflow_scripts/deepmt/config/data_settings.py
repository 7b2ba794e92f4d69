"""The settings of an encoding, data.json: which corpus, which text steps, which subwords."""

import json
from dataclasses import fields
from pathlib import Path

from deepmt.config.spec import Data
from deepmt.config.strict_yaml import Problems, load, read
from deepmt.config.text_steps import TextSteps


def text_steps(data: Data) -> TextSteps:
    """The steps before subwords."""
    return TextSteps(**{field.name: getattr(data, field.name) for field in fields(TextSteps)})


def uncleaned(data: Data, tokens: Path) -> Path:
    """The folder of all training pairs as tokens: one of its own where subwords will clean them."""
    return tokens / "uncleaned" if data.clean_on == "subwords" else tokens


def tokenised_sets(raw: Path) -> tuple[str, ...]:
    """Sets of a corpus that came tokenised, as the counts.json beside them says."""
    return tuple(json.loads((raw / "counts.json").read_text()).get("tokens", ()))


def load_settings(path: Path) -> Data:
    """Read data.json, defaults being the spec's; raises one ValueError with all wrong keys."""
    problems = Problems()
    settings = read(load(path), Data, problems)
    problems.raise_if_any()
    return settings
