"""Work in a folder that does not outlive its process."""

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deepmt.base.files import temporary_folder

OF_TEXT = "text-"
"""Beginning of the names of folders in which a user's text is prepared."""


@contextmanager
def scratch_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """Yield a hidden folder that is removed at the end, also by a signal that ends the process."""
    ended = {number: signal.signal(number, _end) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        with temporary_folder(parent / prefix) as folder:
            yield folder
    finally:
        for number, before in ended.items():
            signal.signal(number, before)


def _end(number: int, _: object) -> None:
    """Exit by an exception, which removes the folder."""
    sys.exit(128 + number)
