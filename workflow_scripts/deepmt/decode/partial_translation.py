"""Keep finished translations of an unfinished text, so that a killed job can resume."""

import json
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from deepmt.base.errors import UserError
from deepmt.base.files import REMEDY, naming, with_own_hash, without_own_hash, write_text
from deepmt.base.locks import locked
from deepmt.decode.beam import Hypothesis


class PartialTranslation:
    """Store lines of JSON, one per sentence, below a header that identifies the translation.

    Each has the hash of its content.
    """

    def __init__(self, path: Path, key: dict[str, Any]) -> None:
        """Lock and read a file; drop its lines if the key differs, and an incomplete last line.

        Raises ValueError if another line is damaged, or another process translates to it.
        """
        self.path, self.lock = path, ExitStack()
        path.parent.mkdir(parents=True, exist_ok=True)
        self.lock.enter_context(locked(path.with_name(f".{path.name}.lock"), f"writes {path.name}"))
        lines = path.read_text(encoding="utf-8").split("\n")[:-1] if path.exists() else []
        header = json.dumps(key, sort_keys=True)
        kept = lines[1:] if lines[:1] == [header] else []
        try:
            self.done: dict[int, list[Hypothesis]] = dict(map(read, kept))
        except (ValueError, KeyError, TypeError) as error:
            raise UserError(f"{path} is damaged ({error}); {REMEDY}") from error
        self.resumed = len(self.done)
        """Sentences finished by an earlier attempt."""
        write_text(path, "".join(f"{line}\n" for line in [header, *kept]))
        self.file = path.open("a", encoding="utf-8")

    def add(self, number: int, hypotheses: list[Hypothesis]) -> None:
        """Store the hypotheses of a finished sentence."""
        self.done[number] = hypotheses
        line = {"number": number, "hypotheses": [vars(found) for found in hypotheses]}
        with naming(self.path):
            self.file.write(json.dumps(with_own_hash(line)) + "\n")
            self.file.flush()

    def remove(self) -> None:
        """Delete the file after the whole translation is written elsewhere."""
        self.file.close()
        self.path.unlink()
        self.lock.close()


def read(line: str) -> tuple[int, list[Hypothesis]]:
    """Read a line that `add` wrote."""
    found = without_own_hash(json.loads(line), hashed=True)
    return found["number"], [Hypothesis(**each) for each in found["hypotheses"]]
