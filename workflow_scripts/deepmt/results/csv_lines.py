"""CSV files whose lines are dataclasses."""

import csv
import typing
from collections.abc import Iterable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from deepmt.files import replacing
from deepmt.results.seed_files import message_of

Line = TypeVar("Line")


def write_lines(kind: type, lines: Iterable[Any], path: Path) -> None:
    """Write lines of one kind, values at full precision, whole or not at all."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        names = [field.name for field in fields(kind)]
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(map(asdict, lines))


def read_lines(kind: type[Line], path: Path) -> list[Line]:
    """Read lines of one kind, none if there is no such file; an empty field is None if it may be.

    Raises:
        ValueError: other columns, or a value of another type; names the file and how to mend it.
    """
    if not path.exists():
        return []
    types = typing.get_type_hints(kind)
    may_be_none = {name for name, hint in types.items() if type(None) in typing.get_args(hint)}
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        lines = [
            {k: None if v == "" and k in may_be_none else v for k, v in line.items()}
            for line in reader
        ]
    mend = "delete the file and run Snakemake again"
    if list(reader.fieldnames or ()) != list(types):
        raise ValueError(f"{path}:1: the columns must be {', '.join(types)}; {mend}")
    try:
        return TypeAdapter(list[kind]).validate_python(lines)  # type: ignore[valid-type]
    except ValidationError as error:
        raise ValueError(f"{path}: {message_of(error)}; {mend}") from None
