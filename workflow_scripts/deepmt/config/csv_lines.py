"""Read and write CSV files whose lines are dataclasses."""

import csv
import typing
from collections.abc import Iterable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from deepmt.config.strict import message_of
from deepmt.files import replacing

Line = TypeVar("Line")


def write_lines(kind: type, lines: Iterable[Any], path: Path) -> None:
    """Write lines of one dataclass atomically, with values at full precision."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        names = [field.name for field in fields(kind)]
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(asdict, lines))


def read_lines(
    kind: type[Line], path: Path, remedy: str = "delete the file and run Snakemake again"
) -> list[Line]:
    """Read lines of one dataclass; return none if there is no file.

    An empty field is None if its type allows it.

    Raises:
        ValueError: if columns or types differ; the message names the file and the remedy.
    """
    if not path.exists():
        return []
    types = typing.get_type_hints(kind)
    optional = {name for name, hint in types.items() if type(None) in typing.get_args(hint)}
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        lines = [
            {k: None if v == "" and k in optional else v for k, v in line.items()}
            for line in reader
        ]
    if list(reader.fieldnames or ()) != list(types):
        raise ValueError(f"{path}:1: the columns must be {', '.join(types)}; {remedy}")
    try:
        return TypeAdapter(list[kind]).validate_python(lines)  # type: ignore[valid-type]
    except ValidationError as error:
        raise ValueError(f"{path}: {message_of(error)}; {remedy}") from None
