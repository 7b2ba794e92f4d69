"""Parse command-line flags into a frozen dataclass: one field, one flag."""

import argparse
import dataclasses
import types
import typing
from pathlib import Path
from typing import Any, TypeVar

ArgsType = TypeVar("ArgsType")


def parse(args_class: type[ArgsType], argv: list[str] | None = None) -> ArgsType:
    """Parse `argv` into `args_class`: field `max_tokens: int` becomes the flag `--max-tokens`.

    A field without a default is required; `X | None` may be left out; `tuple[X, ...]` takes
    several values; `bool` is a switch. A field's metadata may hold its help text, "help", and
    "positional": true for an argument without a flag.
    """
    parser = argparse.ArgumentParser(
        description=(args_class.__doc__ or "").strip(),
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    hints = typing.get_type_hints(args_class)
    for field in dataclasses.fields(args_class):  # type: ignore[arg-type]
        options = _options(field, hints[field.name])
        if field.metadata.get("positional"):
            parser.add_argument(field.name, **options | {"metavar": field.name.upper()})
        else:
            required = field.default is dataclasses.MISSING
            parser.add_argument(_flag(field.name), **options, required=required)
    return args_class(**vars(parser.parse_args(argv)))


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def _options(field: dataclasses.Field[Any], hint: Any) -> dict[str, Any]:
    options: dict[str, Any] = {"help": field.metadata.get("help", " ")}
    if hint is bool:
        return options | {"action": argparse.BooleanOptionalAction, "default": field.default}
    if isinstance(hint, types.UnionType):
        hint = next(part for part in typing.get_args(hint) if part is not type(None))
    if typing.get_origin(hint) is tuple:
        options |= {"nargs": "*", "action": _Collect}
        hint = typing.get_args(hint)[0]
    options |= {"type": hint, "metavar": "FILE" if hint is Path else hint.__name__.upper()}
    known = {} if field.default is dataclasses.MISSING else {"default": field.default}
    return options | known


class _Collect(argparse.Action):
    """Store several values as a tuple, so that the dataclass stays hashable."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: Any = None) -> None:
        setattr(namespace, self.dest, tuple(values))
