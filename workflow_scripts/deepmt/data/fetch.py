"""Fetch an archive from a mirror folder or by HTTP: resume, check and write it atomically."""

import shutil
import sys
from pathlib import Path

from deepmt.config.corpora import Archive
from deepmt.data.archives import mirror_names, mismatch, trust_on_first_use
from deepmt.data.download import HttpDownload, RetryPolicy, SourceFailedError
from deepmt.files import replacing

RETRY_POLICY = RetryPolicy()


class FetchError(ValueError):
    """Raised if no source provides an archive; the message gives the error of each."""


def fetch(
    archive: Archive, target: Path, mirror: Path | None = None, policy: RetryPolicy = RETRY_POLICY
) -> None:
    """Put the archive at `target`, unless it is there: from the mirror, else from its addresses.

    An unfinished download stays beside `target`, and the next call resumes it. If no checksum is
    published, the first file received sets it for all later ones.

    Raises FetchError, with the error of each source, if none provides the right file, and
    ValueError if the recorded checksum is damaged.
    """
    failures = []
    if target.is_file():
        wrong = mismatch(archive, target, target)
        if wrong is None:
            trust_on_first_use(archive, target)
            return
        failures.append(f"  {target}: {wrong}")
    target.parent.mkdir(parents=True, exist_ok=True)
    for source in ([mirror] if mirror else []) + list(archive.addresses):
        try:
            if isinstance(source, Path):
                _copy(archive, source, target)
            else:
                HttpDownload(archive, source, target, policy).complete()
            trust_on_first_use(archive, target)
            return
        except SourceFailedError as failure:
            failures.append(f"  {source}: {failure}")
            print(f"{archive.name}: {source}: {failure}", file=sys.stderr)
    raise FetchError(_message(archive, failures))


def _copy(archive: Archive, mirror: Path, target: Path) -> None:
    paths = [mirror / name for name in mirror_names(archive, target.name)]
    present = [path for path in paths if path.is_file()]
    if not present:
        raise SourceFailedError("the mirror has none of " + ", ".join(map(str, paths)))
    wrong = []
    for path in present:
        try:
            with replacing(target) as copied:
                shutil.copyfile(path, copied)
                if why := mismatch(archive, copied, target):
                    raise SourceFailedError(f"wrong file, refused: {why}")
            return
        except SourceFailedError as error:
            wrong.append(f"{path}: {error}")
    raise SourceFailedError("; ".join(wrong))


def _message(archive: Archive, failures: list[str]) -> str:
    address = [] if archive.addresses else ["  it has no public address"]
    obtain = [f"how to obtain it: {archive.obtain}"] if archive.obtain else []
    names = " or ".join(mirror_names(archive))
    mirror = f"or give --config mirror=DIR, a folder that holds it as {names}"
    return "\n".join(
        [f"{archive.name} could not be fetched:", *failures, *address, *obtain, mirror]
    )
