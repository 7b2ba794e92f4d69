"""Write files that are either complete or absent, and hash them."""

import hashlib
import json
import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

REMEDY = "delete it and run again, which makes it anew"


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; on success, sync it and rename it to `path`.

    The new file has the permissions of any new file, whoever writes it: safetensors makes its own
    readable by the owner alone.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.touch()
        permissions = temporary.stat().st_mode
        yield temporary
        temporary.chmod(permissions)
        with temporary.open("rb") as handle:
            os.fsync(handle.fileno())
        os.replace(temporary, path)
        sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that a new name in it survives a power loss."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove_leftovers(folder: Path) -> None:
    """Remove temporary files that killed writers left in a folder; no writer may be running."""
    for leftover in folder.glob(".*.tmp"):
        leftover.unlink()


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text atomically; line ends stay as they are."""
    with replacing(path) as temporary:
        temporary.write_bytes(text.encode())


def write_json(path: Path, value: Any) -> None:
    """Write JSON with sorted keys; raise ValueError for NaN or infinity, which JSON lacks."""
    write_text(path, json.dumps(value, indent=1, sort_keys=True, allow_nan=False) + "\n")


def read_json(path: Path, remedy: str = REMEDY) -> Any:
    """Read a JSON file that a job wrote; raise ValueError, naming it, if it is damaged."""
    try:
        return json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is damaged ({error}); {remedy}") from error


def check_hashes(folder: Path, hashes: Mapping[str, str | None], remedy: str) -> None:
    """Compare files of a folder with the hashes that they had; raise ValueError if one differs."""
    for name, known in hashes.items():
        file = folder / name
        if not file.is_file() or sha256(file) != known:
            raise ValueError(f"{file} is damaged: it does not have the hash it had; {remedy}")


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def commit(root: Path) -> str:
    """Return the commit of the code, with + if the working tree differs; unknown without git."""
    describe = ["git", "describe", "--always", "--abbrev=12", "--dirty=+"]
    try:
        found = subprocess.run(describe, cwd=root, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return "unknown"
    return found.stdout.strip() or "unknown"
