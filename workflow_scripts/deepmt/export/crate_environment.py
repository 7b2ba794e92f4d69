"""What made the results of a crate, environment.json, and how a clone differs from it."""

import platform
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from deepmt.config.settings import Config
from deepmt.config.strict_yaml import Problems, load, read
from deepmt.files import commit

FILE = "environment.json"
FORMAT: Literal["crate/1"] = "crate/1"
PACKAGES = ("torch", "snakemake", "sacrebleu", "subword-nmt", "sentencepiece", "sacremoses")
SETTINGS = ("config.yaml", "corpora.yaml", "requirements.lock", "papers/*.yaml", "scales/*.yaml")
"""What decides, beside the code, which runs there are and what is printed beside them."""


@dataclass(frozen=True, kw_only=True)
class Environment:
    """Settings, commit and programs of the machine that made the crate."""

    format: Literal["crate/1"]
    scale: str
    papers: tuple[str, ...]
    rows: tuple[str, ...]
    seeds: tuple[int, ...]
    results: str
    """The folder of what was rendered, e.g. results/toy."""
    commit: str
    """With + if the working tree differed from it."""
    python: str
    platform: str
    packages: dict[str, str]

    @property
    def command(self) -> str:
        """What makes the tables of the crate again from the records in records/."""
        asked = {"scale": [self.scale], "papers": self.papers, "rows": self.rows}
        words = [f"{key}={','.join(values)}" for key, values in asked.items()]
        seeds = ",".join(map(str, self.seeds))
        command = "snakemake --cores 1 tables report --config from=records"
        return " ".join([command, *words, f"seeds={seeds}"])


def environment(config: Config, root: Path) -> Environment:
    """That of this machine, for what is asked for."""
    return Environment(
        format=FORMAT,
        scale=config.scale,
        papers=config.papers,
        rows=config.rows,
        seeds=config.seeds,
        results=config.results,
        commit=commit(root),
        python=platform.python_version(),
        platform=platform.platform(),
        packages={name: _version(name) for name in PACKAGES},
    )


def read_environment(path: Path) -> Environment:
    """Read environment.json.

    Raises:
        ValueError: it is of another format, or broken.
    """
    problems = Problems()
    found = read(load(path), Environment, problems)
    problems.raise_if_any()
    return found


def differences(made: Environment, tree: Path, root: Path) -> Iterator[str]:
    """Why tables made in the clone at `root` may differ from those of the opened crate."""
    here = commit(root)
    if made.commit.endswith("+") or made.commit == "unknown":
        yield f"the crate was made at commit {made.commit}: its code was not all committed"
    if made.commit != here:
        yield (
            f"this clone is at commit {here}, the crate was made at {made.commit}: numbers stay"
            " those of its records, but what is printed of them may differ"
        )
    changed = [name for name in _settings(tree) if not _same(tree / name, root / name)]
    if changed:
        yield f"these settings differ from the crate's: {', '.join(changed)}"


def _settings(tree: Path) -> Sequence[str]:
    found = (path for pattern in SETTINGS for path in sorted(tree.glob(pattern)))
    return [path.relative_to(tree).as_posix() for path in found]


def _same(one: Path, other: Path) -> bool:
    return other.is_file() and one.read_bytes() == other.read_bytes()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
