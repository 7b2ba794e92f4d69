"""An unfinished download: what has come so far, and which version of the file it is of."""

import json
import os
from pathlib import Path

from deepmt.files import sync_folder, write_json


class Part:
    """The bytes lie in `<target>.part`, where they are from stands in `<target>.part.json`."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self.path = target.with_name(target.name + ".part")
        self._origin = target.with_name(target.name + ".part.json")

    @property
    def size(self) -> int:
        """Bytes that have come so far."""
        return self.path.stat().st_size if self.path.is_file() else 0

    def begin(self, address: str, version: str) -> None:
        """Start anew, with a version of the file at an address."""
        self.discard()
        write_json(self._origin, {"address": address, "version": version})

    def version_at(self, address: str) -> str:
        """The version that this is a part of; empty if it is from elsewhere, or none was told."""
        origin = json.loads(self._origin.read_text()) if self._origin.is_file() else {}
        return str(origin["version"]) if origin.get("address") == address else ""

    def discard(self) -> None:
        """Throw away what has come."""
        self.path.unlink(missing_ok=True)
        self._origin.unlink(missing_ok=True)

    def finish(self) -> None:
        """Put the whole file in its place."""
        os.replace(self.path, self.target)
        self._origin.unlink(missing_ok=True)
        sync_folder(self.target.parent)
