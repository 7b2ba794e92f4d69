"""Let one process at a time write to a folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deepmt.base.errors import UserError
from deepmt.base.files import NO_LOCKS


@contextmanager
def locked(path: Path, busy: str = "") -> Iterator[None]:
    """Lock a file; the operating system releases it when the process ends.

    Wait for a process that has locked it, or end, saying that it is `busy`.

    Raises:
        UserError: another process has locked it, or its file system has no locks.
    """
    from filelock import FileLock, Timeout  # the rules read archives, and Snakemake has neither

    lock = FileLock(path, fallback_to_soft=False)
    try:
        lock.acquire(timeout=0 if busy else -1)
    except Timeout:
        said = f"{path.parent}: another process {busy}; wait for it or stop it"
        raise UserError(said) from None
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
        raise UserError(
            f"{path.parent}: cannot lock it ({error.strerror}), and two that write here would undo"
            " what the other does: let it lie on a file system with locks"
        ) from None
    try:
        yield
    finally:
        lock.release()
