"""Keep what takes long to compute in files named by all that it follows from."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from deepmt.base.code_sums import closure, code_sum, path_of
from deepmt.base.files import content_hash, read_json, write_hashed_json


def cached(
    folder: Path, module: str, given: Any, compute: Callable[[], dict[str, Any]]
) -> dict[str, Any]:
    """Return what code of a module computes from JSON that is given, if need be.

    A file that is damaged is written again.
    """
    path = folder / f"{content_hash([_code_of(module), given])}.json"
    try:
        return read_json(path)
    except (OSError, ValueError):
        found = compute()
        write_hashed_json(path, found)
        return found


@functools.cache
def _code_of(module: str) -> str:
    return code_sum(closure([path_of(module)]))
