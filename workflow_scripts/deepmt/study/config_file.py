"""Read config.yaml and the settings of the command line."""

import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import AfterValidator, BeforeValidator
from pydantic.dataclasses import dataclass

from deepmt.base.errors import UserError
from deepmt.settings.strict import STRICT, DistinctSome, Seed, Some, as_tuple, shown
from deepmt.settings.strict_yaml import PlainLoader, Problems, Section, load, names_in, read

WHOLE = re.compile("-?(0|[1-9][0-9]*)")
RANGE = re.compile("[0-9]+-[0-9]+")


def _words(value: Any) -> tuple[Any, ...]:
    """Return the words of a list, which commas may separate."""
    return as_tuple(
        [word.strip() for word in value.split(",")] if isinstance(value, str) else value
    )


def _numbers(value: Any) -> tuple[Any, ...]:
    """Return numbers likewise; Snakemake passes them as text."""
    words = _words(value)
    if ranges := [word for word in words if RANGE.fullmatch(str(word))]:
        raise UserError(f"{shown(ranges[0])} is a range: name each, such as seeds=1,2,3")
    return tuple(int(word) if WHOLE.fullmatch(str(word)) else word for word in words)


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Config:
    """Hold the settings of config.yaml and of --config on the command line."""

    scale: str
    papers: Annotated[Some[str], BeforeValidator(_words)]
    rows: Annotated[Some[str], BeforeValidator(_words)]
    """`headline`, `all`, and ids of rows, tables and figures."""
    seeds: Annotated[DistinctSome[Seed], BeforeValidator(_numbers)]
    mirror: Annotated[str, AfterValidator(os.path.expanduser)]
    meteor: str = ""
    """Path of meteor-1.5.jar, to measure METEOR too."""
    comet: str = ""
    """Path of a checkpoint of COMET, to measure it too."""
    hardware: str = "auto"
    """Hardware that `plan` assumes, e.g. h200x8: a name of hardware.yaml and a count."""
    headline: dict[str, tuple[str, ...]]

    @property
    def results(self) -> str:
        """Return the folder of runs and rendered results."""
        return f"results/{self.scale}"

    @property
    def results_of_records(self) -> str:
        """Return the folder of what is rendered from records/ alone; it has no runs."""
        return f"{self.results}-records"


def load_config(path: Path, overrides: Mapping[str, Any]) -> tuple[Config, Problems]:
    """Read config.yaml and the command line; return what collects further problems, too.

    Raises:
        ValueError: unknown keys, wrong types, unknown papers or scales, missing files.
    """
    check_given_once(sys.argv)
    file = load(path)
    given = {key: "" if one is None else one for key, one in overrides.items()}
    places = dict.fromkeys(given, "command line")
    document = Section(given, file.place, places).over(file)
    if document.get("from") == "results":  # the default of before 0.6, as crates hold it
        document = document.without(["from"])
    problems = Problems(document)
    if "from" in document:
        problems.add(("from",), "is no setting now: `./deepmt report SCALE` renders records/ alone")
    problems.raise_if_any()
    config = read(document, Config)
    papers, scales = names_in(path.parent / "papers"), names_in(path.parent / "scales")
    for paper in config.papers:
        if paper not in (*papers, "all"):
            problems.unknown(("papers",), paper, papers, "paper")
    problems.check_names(("scale",), scales)
    for paper, words in config.headline.items():
        if paper not in papers:
            problems.unknown(("headline", paper), paper, papers, "paper")
            continue
        for number, word in enumerate(words):
            if not word.startswith(f"{paper}."):
                problems.add(("headline", paper, number), f"{word} is not of {paper}")
    if config.meteor and not Path(config.meteor).is_file():
        problems.add(("meteor",), "does not exist; give the path of meteor-1.5.jar")
    if config.comet and not (config.comet.endswith(".ckpt") and Path(config.comet).is_file()):
        remedy = "give the path of one, such as wmt22-comet-da/checkpoints/model.ckpt"
        problems.add(("comet",), f"is no checkpoint of COMET; {remedy}")
    problems.raise_if_any()
    if "all" in config.papers:
        config = replace(config, papers=tuple(papers))
    return config, problems


def check_given_once(words: Sequence[str]) -> None:
    """Raise ValueError for two lists of settings, or a key with two values: the last one counts."""
    if sum(word == "--config" or word.startswith(("--config=", "-C")) for word in words) > 1:
        raise UserError(
            "--config is given twice, and Snakemake would read the last one alone: give all"
            " settings after one, such as --config scale=toy rows=all"
        )
    given = words[words.index("--config") + 1 :] if "--config" in words else ()
    read_overrides(takewhile(re.compile(r"\w+=").match, given))


def read_overrides(words: Iterable[str]) -> dict[str, Any]:
    """Read settings as Snakemake's --config does: key=value, with the value in YAML.

    Raises:
        ValueError: a word has no `=`, its value is not valid YAML, or its key is given twice.
    """
    found = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise UserError(f"--config: {word!r} must be key=value, such as scale=toy")
        if key in found:
            raise UserError(f"--config: {key} is given twice")
        try:
            found[key] = yaml.load(value, PlainLoader)
        except yaml.YAMLError as error:
            problem = " ".join(str(getattr(error, "problem", error)).split())
            raise UserError(f"--config: {key}: not valid YAML: {problem}") from None
    return found
