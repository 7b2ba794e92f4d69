"""Read and write CSV files whose lines are dataclasses."""

import csv
import io
import typing
from collections.abc import Iterable
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from deepmt.base.errors import UserError
from deepmt.base.files import replacing
from deepmt.settings.strict import message

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
        ValueError: if the file is no such table; names it, the lines and the remedy.
    """
    if not path.exists() and not path.is_symlink():
        return []
    types = typing.get_type_hints(kind)
    optional = {name for name, hint in types.items() if type(None) in typing.get_args(hint)}
    (_, columns), *rows = _table(path, remedy)
    if columns != list(types):
        raise UserError(f"{path}:1: the columns must be {', '.join(types)}; {remedy}")
    for number, row in rows:
        if len(row) != len(columns):
            raise UserError(f"{path}:{number}: {len(row)} columns, not {len(columns)}; {remedy}")
    lines = [
        {k: None if v == "" and k in optional else v for k, v in zip(columns, row, strict=True)}
        for _, row in rows
    ]
    try:
        return TypeAdapter(list[kind]).validate_python(lines)  # type: ignore[valid-type]
    except ValidationError as errors:
        found = ((*error["loc"][:2], message(dict(error))) for error in errors.errors())
        problems = (f"{path}:{rows[int(n)][0]}: {key}: {text}; {remedy}" for n, key, text in found)
        raise UserError("\n".join(problems)) from None


def _table(path: Path, remedy: str) -> list[tuple[int, list[str]]]:
    """Return the columns of every line that has some, with its number; the first may have none."""
    try:
        reader = csv.reader(io.StringIO(path.read_bytes().decode(), newline=""))
        return [(reader.line_num, row) for row in reader if row] or [(1, [])]
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}; {remedy}") from None
    except (UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{path} is not a CSV file in UTF-8 ({error}); {remedy}") from None
