"""Copies of the project for tests to run in or to spoil."""

import shutil
from pathlib import Path

ROOT = Path(__file__).parents[1]
PARTS = (
    "Snakefile", "config.yaml", "corpora.yaml", "envs", "hardware.yaml", "papers", "report",
    "rules", "scales", "workflow_scripts",
)  # fmt: skip
"""What the workflow needs to run, besides records/."""


def copy(folder: Path, *names: str) -> Path:
    """Copy files and folders of the project into another folder."""
    for name in names:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("text-*", "__pycache__")
            shutil.copytree(ROOT / name, folder / name, ignore=ignored)
        else:
            shutil.copy(ROOT / name, folder / name)
    return folder


def link(folder: Path, *names: str) -> Path:
    """Link files and folders of the project into another folder."""
    for name in names:
        (folder / name).symlink_to(ROOT / name)
    return folder


def checkout(folder: Path, *copied: str) -> Path:
    """A project without records, whose parts are links but for those that a test will change."""
    (folder / "records").mkdir()
    link(folder, *(name for name in PARTS if name not in copied))
    return copy(folder, *copied)
