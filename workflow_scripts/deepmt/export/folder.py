"""Write folders atomically."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deepmt.files import sync_folder


@contextmanager
def replacing_folder(folder: Path) -> Iterator[Path]:
    """Yield a temporary folder that replaces `folder` on success."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = folder.with_name(f".{folder.name}.{os.getpid()}.tmp")
    temporary.mkdir()
    try:
        yield temporary
        # Some writers, such as safetensors, make files that only their owner can read.
        for file in filter(Path.is_file, temporary.rglob("*")):
            file.chmod(temporary.stat().st_mode & 0o666)
        if folder.exists():
            shutil.rmtree(folder)
        os.replace(temporary, folder)
        sync_folder(folder.parent)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
