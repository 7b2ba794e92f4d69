"""Finished translations of an unfinished text: a killed job goes on where it was."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from deepmt.decode.beam import Hypothesis
from deepmt.files import write_text


class Partial:
    """Lines of JSON, one a sentence, under a first line that names what they belong to."""

    def __init__(self, path: Path, key: dict[str, Any]) -> None:
        """Read a file; lines that belong to another key, and a torn line, are dropped."""
        self.path = path
        lines = path.read_text().split("\n")[:-1] if path.exists() else []
        header = json.dumps(key, sort_keys=True)
        kept = lines[1:] if lines[:1] == [header] else []
        self.done: dict[int, list[Hypothesis]] = dict(map(read, kept))
        write_text(path, "".join(f"{line}\n" for line in [header, *kept]))
        self.file = path.open("a")

    def add(self, number: int, hypotheses: list[Hypothesis]) -> None:
        """Keep a finished sentence."""
        self.done[number] = hypotheses
        line = {"number": number, "hypotheses": [asdict(found) for found in hypotheses]}
        self.file.write(json.dumps(line) + "\n")
        self.file.flush()

    def remove(self) -> None:
        """Delete the file, when the whole translation is written elsewhere."""
        self.file.close()
        self.path.unlink()


def read(line: str) -> tuple[int, list[Hypothesis]]:
    """Read what `add` wrote."""
    found = json.loads(line)
    return found["number"], [Hypothesis(**each) for each in found["hypotheses"]]
