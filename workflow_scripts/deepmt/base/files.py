"""Write files that are either complete or absent, and hash them."""

import errno
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from deepmt.base.errors import UserError

REMEDY = "delete it and run again"
A_DAY = 86_400
NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
"""A full disk, a quota, a limit of the size of files, a broken disk."""
UNSUPPORTED = (errno.EINVAL, errno.ENOTSUP, errno.ENOSYS, errno.EPERM)
"""How file systems of networks and of other systems answer calls that they lack."""
NO_LOCKS = (*UNSUPPORTED, errno.ENOLCK)
OWN_HASH = "own_sha256"
"""Key of a JSON file for the hash of the same file without it."""


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name the file in the error of a failed write to it, which lacks the name."""
    try:
        yield
    except OSError as error:
        if error.errno in NO_SPACE:
            error.filename = error.filename or str(path)
        raise


@contextmanager
def if_supported() -> Iterator[None]:
    """Go on without a call that the file system lacks, if no result depends on it."""
    try:
        yield
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; on success, sync it and rename it to `path`.

    The new file has the permissions of any new file, whoever writes it: safetensors makes its own
    readable by the owner alone.

    Raises ValueError for a folder or device, such as /dev/null, which a rename would replace.
    """
    if path.exists() and not path.is_file():
        raise UserError(f"{path} is no file, so no file can replace it: name another path")
    temporary = temporary_beside(path)
    try:
        with naming(path):
            temporary.touch()
            permissions = temporary.stat().st_mode
            yield temporary
            with if_supported():
                temporary.chmod(permissions)
            with if_supported(), temporary.open("rb") as handle:
                os.fsync(handle.fileno())
            os.replace(temporary, path)
            sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def temporary_beside(path: Path) -> Path:
    """Return a path of this process beside `path`; remove those of processes that have ended."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(f".{glob.escape(path.name)}.*.tmp"):
        with suppress(OSError):
            if _has_ended(left):
                (shutil.rmtree if left.is_dir() else os.unlink)(left)
    return path.with_name(f".{path.name}.{_place()}-{os.getpid()}.tmp")


@cache
def _place() -> str:
    """Return a name of what numbers this process: a machine, or a container on it."""
    namespace = Path("/proc/self/ns/pid")
    number = os.readlink(namespace) if namespace.exists() else ""
    return hashlib.sha256(os.fsencode(f"{os.uname().nodename} {number}")).hexdigest()[:8]


def _has_ended(temporary: Path) -> bool:
    """Check if the writer of a temporary file has ended; one of another place has after a day."""
    place, _, number = temporary.name.split(".")[-2].partition("-")
    if place != _place():
        return time.time() - temporary.stat().st_mtime > A_DAY
    try:
        os.kill(int(number), 0)
    except OSError as error:
        return error.errno == errno.ESRCH
    return False


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that a new name in it survives a power loss."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        with if_supported():
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
    """Write JSON with sorted keys; raise ValueError as `json_text` does."""
    write_text(path, f"{json_text(value)}\n")


def write_hashed_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write a JSON object with the hash of its content, so that damage is found."""
    write_json(path, with_own_hash(value))


class JsonObject(dict[str, Any]):
    """Hold the content of a file; a key that it lacks raises ValueError, naming the file."""

    def __init__(self, value: Mapping[str, Any], path: Path, remedy: str) -> None:
        super().__init__(value)
        self.path, self.remedy = path, remedy

    def __missing__(self, key: str) -> Any:
        raise UserError(f"{self.path} is damaged (it lacks '{key}'); {self.remedy}")


def read_json(path: Path, remedy: str = REMEDY, *, hashed: bool = True) -> JsonObject:
    """Read a JSON object that a job wrote, without its hash, which it must hold if `hashed`.

    Raises ValueError, naming the file, if it is damaged.
    """
    try:
        value = without_own_hash(json.loads(path.read_bytes()), hashed=hashed)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path} is damaged ({error}); {remedy}") from error
    return JsonObject(value, path, remedy)


def json_lines(text: bytes) -> Iterator[dict[str, Any]]:
    """Yield the JSON object of every line; skip other lines, as killed runs leave them."""
    for line in text.split(b"\n"):
        with suppress(ValueError, RecursionError):
            if isinstance(value := json.loads(line), dict):
                yield value


def with_own_hash(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON object with the hash of its content."""
    return {**value, OWN_HASH: content_hash(value)}


def without_own_hash(value: Any, *, hashed: bool) -> dict[str, Any]:
    """Return a JSON object without its hash.

    Raises ValueError if it is no object, if its content has another hash, or if it is `hashed` but
    holds none.
    """
    if not isinstance(value, dict):
        raise UserError("it is not a JSON object")
    content = {key: value[key] for key in value if key != OWN_HASH}
    if hashed and OWN_HASH not in value:
        raise UserError(f"it holds no hash of its content, {OWN_HASH}")
    if OWN_HASH in value and content_hash(content) != value[OWN_HASH]:
        raise UserError(f"its content does not have the hash under {OWN_HASH}")
    return content


def content_hash(value: Any) -> str:
    """Return the SHA-256 of the file that `write_json` writes."""
    return hashlib.sha256(f"{json_text(value)}\n".encode()).hexdigest()


def json_text(value: Any) -> str:
    """Return JSON with sorted keys; raise ValueError for NaN or infinity, which JSON lacks."""
    return json.dumps(value, indent=1, sort_keys=True, allow_nan=False)


def visible(folder: Path, pattern: str) -> list[Path]:
    """Return what matches in a folder, in order, without hidden files of editors and writers."""
    found = sorted(folder.glob(pattern))
    return [path for path in found if not re.search(r"(^|/)\.", str(path.relative_to(folder)))]


def hashes_of(folder: Path, *patterns: str) -> dict[str, str]:
    """Return the SHA-256 of the files of a folder that match a pattern, by relative path."""
    found = (path for pattern in patterns for path in visible(folder, pattern))
    return {str(path.relative_to(folder)): sha256(path) for path in found}


def check_hashes(folder: Path, hashes: Mapping[str, str | None], remedy: str) -> None:
    """Compare files of a folder with the hashes that they had; raise ValueError if one differs."""
    for name, known in hashes.items():
        file = folder / name
        if not file.is_file() or sha256(file) != known:
            raise UserError(f"{file} is damaged: it does not have the hash it had; {remedy}")


def checked_file(folder: Path, name: str, hashes: Mapping[str, str] | None, remedy: str) -> Path:
    """Return a file of a folder, compared with its hash if any hashes are known."""
    if hashes is not None:
        check_hashes(folder, {name: hashes.get(name)}, remedy)
    return folder / name


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def commit(root: Path) -> str:
    """Return the commit of a checkout, with + if its files differ, or why it is unknown.

    A checkout that lies in another repository, as an unpacked archive may, has no commit.
    """
    try:
        top = _git(root, "rev-parse", "--show-toplevel")
        if Path(top).resolve() != root.resolve():
            return f"unknown ({root.resolve()} lies in the repository {top})"
        return _git(root, "describe", "--always", "--exclude=*", "--abbrev=12", "--dirty=+")
    except OSError as error:
        return f"unknown (git: {error.strerror})"
    except subprocess.CalledProcessError as error:
        reason = error.stderr.partition("\n")[0] or f"git {error.cmd[1]}: status {error.returncode}"
        return f"unknown ({reason})"


def _git(root: Path, *words: str) -> str:
    """Run git without the variables by which a hook of another repository directs it there."""
    own = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    done = subprocess.run(
        ["git", *words],
        cwd=root,
        env=own,
        capture_output=True,
        errors="surrogateescape",  # names of folders are bytes in every locale
        check=True,
    )
    return done.stdout.strip()


@contextmanager
def replacing_folder(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder that replaces `folder` on success."""
    with temporary_folder(folder) as temporary:
        yield temporary
        # Some writers, such as safetensors, make files that only their owner can read.
        for file in filter(Path.is_file, temporary.rglob("*")):
            with if_supported():
                file.chmod(temporary.stat().st_mode & 0o666)
        if folder.exists():
            shutil.rmtree(folder)
        os.replace(temporary, folder)
        sync_folder(folder.parent)


@contextmanager
def temporary_folder(beside: Path) -> Iterator[Path]:
    """Yield a hidden folder that is removed at the end."""
    folder = temporary_beside(beside)
    # Numbers of processes come back, in a container soon: a killed one may have left this folder.
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
