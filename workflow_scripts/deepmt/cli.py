"""Start scripts: parse their flags, and report expected failures without a traceback."""

import argparse
import dataclasses
import sys
import traceback
import types
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from deepmt.code_sums import SCRIPTS

ArgsType = TypeVar("ArgsType")
PROBLEMS = (ValueError, RuntimeError, OSError, ImportError)
"""Types of errors whose messages our code writes for users."""


class Positional(str):
    """Hold the help text of an argument without a flag."""


def run(main: Callable[[ArgsType], int | None], args_class: type[ArgsType]) -> NoReturn:
    """Call `main` with the flags of the command line, and exit with the status that it returns.

    An expected failure prints its message and exits with 1; other errors keep their traceback.
    """
    try:
        status = main(parse(args_class))
    except PROBLEMS as error:
        if not _is_expected(error):
            raise
        sys.exit("\n".join([_message(error), *getattr(error, "__notes__", [])]))
    sys.exit(status)


def _is_expected(error: Exception) -> bool:
    """Check for an error that a `raise` of ours or the file system reports, unlike a bug's."""
    if isinstance(error, OSError) and error.filename is not None:
        return True
    last = traceback.extract_tb(error.__traceback__)[-1]
    ours = Path(last.filename).resolve().is_relative_to(SCRIPTS)
    return ours and (last.line or "").startswith("raise ")


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


def parse(args_class: type[ArgsType], argv: list[str] | None = None) -> ArgsType:
    """Parse `argv` into `args_class`: field `max_tokens: int` becomes the flag `--max-tokens`.

    A field without a default is required; `X | None` may be left out; `tuple[X, ...]` takes
    several values; `bool` is a switch. `Annotated[X, "help"]` gives the help text, and
    `Annotated[X, Positional("help")]` makes an argument without a flag.
    """
    parser = argparse.ArgumentParser(
        description=(args_class.__doc__ or "").strip(),
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    hints = typing.get_type_hints(args_class, include_extras=True)
    for field in dataclasses.fields(args_class):  # type: ignore[arg-type]
        hint, text = hints[field.name], " "
        if typing.get_origin(hint) is typing.Annotated:
            hint, text = typing.get_args(hint)
        options = _options(field, hint) | {"help": text}
        if isinstance(text, Positional):
            parser.add_argument(field.name, **options | {"metavar": field.name.upper()})
        else:
            required = field.default is dataclasses.MISSING
            flag = "--" + field.name.replace("_", "-")
            parser.add_argument(flag, **options, required=required)
    found = vars(parser.parse_args(argv))
    return args_class(**{k: tuple(v) if isinstance(v, list) else v for k, v in found.items()})


def _options(field: dataclasses.Field[Any], hint: Any) -> dict[str, Any]:
    if hint is bool:
        return {"action": argparse.BooleanOptionalAction, "default": field.default}
    options: dict[str, Any] = {}
    if isinstance(hint, types.UnionType):
        hint = next(part for part in typing.get_args(hint) if part is not type(None))
    if typing.get_origin(hint) is tuple:
        options |= {"nargs": "*"}
        hint = typing.get_args(hint)[0]
    options |= {"type": hint, "metavar": "FILE" if hint is Path else hint.__name__.upper()}
    known = {} if field.default is dataclasses.MISSING else {"default": field.default}
    return options | known
