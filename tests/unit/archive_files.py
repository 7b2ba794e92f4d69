"""Archives of every kind that corpora come in."""

import gzip
import io
import tarfile
import zipfile
from pathlib import Path


def tar_of(path: Path, members: dict[str, bytes], mode: str = "w:gz") -> Path:
    """Write a tar file."""
    with tarfile.open(path, mode) as bundle:  # type: ignore[call-overload]
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            bundle.addfile(entry, io.BytesIO(content))
    return path


def zip_of(path: Path, members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> Path:
    """Write a zip file."""
    with zipfile.ZipFile(path, "w", method) as bundle:
        for name, content in members.items():
            bundle.writestr(name, content)
    return path


def packed(path: Path, ending: str, content: bytes) -> Path:
    """Write an archive of the kind that an ending names, with the member `text`."""
    if ending == "zip":
        return zip_of(path, {"text": content})
    if ending == "gz":
        path.write_bytes(gzip.compress(content))
        return path
    return tar_of(path, {"text": content}, "w" if ending == "tar" else "w:gz")
