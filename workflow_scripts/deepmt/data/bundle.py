"""Everything fetched as one tar file, to carry to a machine without internet."""

import io
import json
import tarfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import IO

from deepmt.config.corpora import Archive, Corpora
from deepmt.data.sums import fault, known_sum, put, trust_on_first_use
from deepmt.files import replacing, sha256

MANIFEST = "manifest.json"
FOLDER = "archives/"


def export_bundle(corpora: Corpora, folder: Path, bundle: Path) -> dict[str, str]:
    """Write the archives in `folder` as they are, after a manifest of their SHA-256; returns it.

    Raises ValueError if there are none, or naming every one that is damaged.
    """
    present = [key for key in sorted(corpora.archives) if (folder / key).is_file()]
    if not present:
        raise ValueError(f"{folder} holds no archive of corpora.yaml: run snakemake fetch first")
    wrong = {key: fault(corpora.archive(key), folder / key, folder / key) for key in present}
    damaged = [f"{folder / key} is damaged: {why}" for key, why in wrong.items() if why]
    if damaged:
        raise ValueError("\n".join([*damaged, "verify.py says how to mend this"]))
    sums = {key: corpora.archive(key).sha256 or sha256(folder / key) for key in present}
    with replacing(bundle) as new, tarfile.open(new, "w:") as tar:
        _add(tar, MANIFEST, io.BytesIO(json.dumps(sums, indent=1).encode()))
        for key in present:
            with (folder / key).open("rb") as stream:
                _add(tar, FOLDER + key, stream)
    return sums


def _add(tar: tarfile.TarFile, name: str, stream: IO[bytes]) -> None:
    entry = tarfile.TarInfo(name)
    entry.size = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    tar.addfile(entry, stream)


def import_bundle(corpora: Corpora, bundle: Path, folder: Path) -> Iterator[tuple[str, str]]:
    """Put a bundle's archives into `folder`; yields each one's key and what was done with it.

    What is there with the right sum stays, so that a killed import can be run again.

    Raises ValueError, before anything is imported, if the bundle is truncated or holds anything
    but what its manifest names; later, if an archive has a wrong sum.
    """
    try:
        with tarfile.open(bundle, "r:") as tar:
            for key, digits, entry in _entries(tar, bundle):
                stream = tar.extractfile(entry)
                assert stream is not None, "a regular file"
                if key in corpora.archives:
                    done = _import(corpora.archive(key), digits, stream, folder / key)
                else:
                    done = "left out: corpora.yaml has no archive of this name"
                yield key, done
    except tarfile.TarError as error:
        raise ValueError(f"{bundle} is truncated or no bundle ({error}): copy it again") from error


def _entries(tar: tarfile.TarFile, bundle: Path) -> list[tuple[str, str, tarfile.TarInfo]]:
    """Key, sum and place of every archive; nothing is ever written under a name of the bundle's."""
    first, *rest = tar.getmembers() or [tarfile.TarInfo()]
    stream = tar.extractfile(first) if first.name == MANIFEST else None
    if stream is None:
        raise ValueError(f"{bundle} does not start with {MANIFEST}: export it again")
    sums = json.loads(stream.read())
    named = {FOLDER + key: key for key in sums}
    for entry in rest:
        if entry.name not in named or not entry.isreg():
            raise ValueError(
                f"{bundle}: {entry.name!r} is no file of its manifest;"
                " this bundle is not trusted: export it again"
            )
    if absent := named.keys() - {entry.name for entry in rest}:
        raise ValueError(f"{bundle} lacks {', '.join(sorted(absent))}: copy it again")
    return [(named[entry.name], sums[named[entry.name]], entry) for entry in rest]


def _import(archive: Archive, digits: str, stream: IO[bytes], target: Path) -> str:
    # Where nothing else tells, the sum that the exporting machine found is trusted.
    expected = archive if known_sum(archive, target) else replace(archive, sha256=digits)
    if target.is_file() and fault(expected, target, target) is None:
        done = "there already"
    else:
        put(expected, stream, target)
        done = "imported"
    trust_on_first_use(archive, target)
    return done
