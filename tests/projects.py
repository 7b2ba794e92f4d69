"""Copies of the project for tests to run in or to spoil."""

import io
import re
import shutil
import subprocess
import tarfile
from functools import cache
from pathlib import Path

from deepmt.base.files import sha256
from deepmt.study.plan import Plan, load_plan

ROOT = Path(__file__).parents[1]
PARTS = (
    "LICENSE", "Snakefile", "config.yaml", "corpora", "corpora.yaml", "envs", "hardware.yaml",
    "papers", "rules", "scales", "workflow_scripts",
)  # fmt: skip
"""What the workflow needs to run, besides records/."""


@cache
def plan(**config: str) -> Plan:
    """What the project's own settings plan, which nobody changes."""
    return load_plan(ROOT, config)


def shipped(folder: str) -> list[Path]:
    """The project's own YAML files of a folder; those that a user has added are not in git."""
    command = ["git", "-C", str(ROOT), "ls-files", f"{folder}/*.yaml"]
    found = subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()
    return [ROOT / name for name in found] or sorted((ROOT / folder).glob("*.yaml"))


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


def toy_text(split: str, language: str) -> bytes:
    """A file of the shipped toy corpus."""
    with tarfile.open(ROOT / "corpora/toy.tar.xz") as shipped:
        file = shipped.extractfile(f"{split}.{language}")
        assert file
        return file.read()


def shorten_toy(root: Path, *, train: int, dev: int, test: int) -> None:
    """Keep the first pairs of every split of the toy corpus; its training text is in one part."""
    settings, shipped = root / "corpora.yaml", root / "corpora/toy.tar.xz"
    text = settings.read_text().replace("[*toy-train1, *toy-train2, *toy-train3]", "[*toy-train1]")
    whole = sha256(shipped)
    with tarfile.open(shipped, "w:xz") as archive:
        for split, count in {"train1": train, "dev": dev, "test": test}.items():
            lines = rf'("{split}\.{{language}}", lines:) \d+'
            text, found = re.subn(lines, rf"\1 {count}", text)
            assert found == 1, split
            for language in ("en", "de"):
                content = b"".join(toy_text(split, language).splitlines(keepends=True)[:count])
                entry = tarfile.TarInfo(f"{split}.{language}")
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
    text = re.sub(rf"bytes: \d+\n    sha256: {whole}", f"sha256: {sha256(shipped)}", text)
    settings.write_text(text)
