"""Hashing again what was fetched and extracted: disks, copies and people damage files."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from deepmt.config.corpora import Corpora
from deepmt.data.sums import fault, known_sum, sum_file
from deepmt.files import sha256


@dataclass(frozen=True)
class Finding:
    """What is the matter with a file; `mend` is empty unless it must be mended."""

    file: Path
    status: Literal["ok", "damaged", "missing", "unknown"]
    reason: str = ""
    mend: str = ""

    def __str__(self) -> str:
        line = f"{self.status:8}{self.file}" + (f": {self.reason}" if self.reason else "")
        return line + (f"\n{'':8}to mend it: {self.mend}" if self.mend else "")


def verify(corpora: Corpora, data: Path) -> Iterator[Finding]:
    """Every file in archives/, raw/ and monolingual/, and those that are missing there."""
    yield from _verify_archives(corpora, data / "archives")
    for key, corpus in corpora.corpora.items():
        if corpus.generator is None and (data / "raw" / key / "counts.json").is_file():
            yield from _verify_text(data / "raw" / key)
            for archive in corpus.archives:
                if not (file := data / "archives" / archive).is_file():
                    yield Finding(file, "missing", f"only needed to extract {key} again")
    for key in corpora.monolingual:
        if (data / "monolingual" / key / "counts.json").is_file():
            yield from _verify_text(data / "monolingual" / key)


def _verify_archives(corpora: Corpora, folder: Path) -> Iterator[Finding]:
    notes = {sum_file(folder / key) for key in corpora.archives}
    for file in _files(folder):
        archive = corpora.archives.get(file.name)
        if file.name.endswith((".part", ".part.json")):
            yield Finding(file, "unknown", "of an unfinished download")
        elif archive is None and file not in notes:
            yield Finding(file, "unknown", "corpora.yaml has no archive of this name")
        elif archive is not None:
            if wrong := fault(archive, file, file):
                yield Finding(file, "damaged", wrong, _again(file))
            elif known_sum(archive, file) is None:
                yield Finding(file, "unknown", "no sum is published, and none was recorded")
            else:
                yield Finding(file, "ok")


def _verify_text(folder: Path) -> Iterator[Finding]:
    marker = folder / "counts.json"
    sums = json.loads(marker.read_text()).get("sha256", {})
    for name, expected in sums.items():
        file = folder / name
        if not file.is_file():
            yield Finding(file, "missing", "it was extracted", _again(marker))
        elif (found := sha256(file)) != expected:
            wrong = f"expected sha256 {expected}, found {found}"
            yield Finding(file, "damaged", wrong, _again(marker))
        else:
            yield Finding(file, "ok")
    for file in _files(folder):
        if file != marker and file.name not in sums:
            yield Finding(file, "unknown", f"{marker} has no sum of it")


def _files(folder: Path) -> list[Path]:
    visible = (path for path in folder.glob("*") if not path.name.startswith("."))
    return sorted(path for path in visible if path.is_file())


def _again(output: Path) -> str:
    return f"snakemake --cores 1 --force {output}"
