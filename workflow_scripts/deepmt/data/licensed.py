"""Archives that nobody can fetch: whether the user's own are there, told before any job starts."""

from collections.abc import Iterable
from pathlib import Path

from deepmt.config.corpora import Archive, Corpora


def missing(
    corpora: Corpora, keys: Iterable[str], folder: Path, mirror: Path | None
) -> list[Archive]:
    """Those of the archives that have no public address and lie neither in folder nor mirror."""
    return [
        archive
        for key, archive in ((key, corpora.archive(key)) for key in keys)
        if not archive.addresses
        and not (folder / key).is_file()
        and not (mirror and any((mirror / name).is_file() for name in mirror_names(archive, key)))
    ]


def warning(archives: Iterable[Archive]) -> str:
    """What to tell the user: which files, and how to come by each."""
    return "\n".join(
        [
            "Without these files of your own, which --config mirror=DIR may hold as DIR/<name>, the"
            " jobs that need them will fail; with --keep-going all others still run:",
            *(
                f"  {' or '.join(mirror_names(archive))}: {archive.obtain or 'no public address'}"
                for archive in archives
            ),
        ]
    )


def mirror_names(archive: Archive, key: str = "") -> list[str]:
    """Return the names that an archive may have in a mirror, a copy of `data/archives` too."""
    return list(filter(None, dict.fromkeys([*archive.mirror_paths, archive.name, key])))
