"""Archives that the jobs want: how large, and which are there."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from deepmt.config.corpora import Archive
from deepmt.config.settings import Plan
from deepmt.estimate.graph import Job

State = Literal["here", "in the mirror", "to download", "your own"]


@dataclass(frozen=True, kw_only=True)
class Download:
    """One archive; `bytes` is None where nobody says."""

    key: str
    bytes: int | None
    state: State


def downloads(plan: Plan, wanted: Iterable[Job], root: Path) -> list[Download]:
    """The archives among the jobs, largest first."""
    keys = [Path(job.output).name for job in wanted if job.rule == "fetch_archive"]
    found = [_download(key, plan, root) for key in keys]
    return sorted(found, key=lambda one: (-(one.bytes or 0), one.key))


def _download(key: str, plan: Plan, root: Path) -> Download:
    archive, here = plan.corpora.archive(key), root / "data/archives" / key
    mirrored = _in_mirror(archive, Path(plan.config.mirror)) if plan.config.mirror else None
    there = here if here.is_file() else mirrored
    return Download(
        key=key,
        bytes=there.stat().st_size if there else archive.bytes,
        state=(
            "here"
            if there == here
            else "in the mirror"
            if there
            else "to download"
            if archive.addresses
            else "your own"
        ),
    )


def _in_mirror(archive: Archive, mirror: Path) -> Path | None:
    names = [*archive.mirror_paths, archive.name]
    return next((mirror / name for name in names if (mirror / name).is_file()), None)
