"""Start scripts: parse their flags, and report expected failures without a traceback."""

import argparse
import errno
import gc
import inspect
import os
import re
import select
import signal
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from inspect import Parameter
from pathlib import Path
from typing import Any, NoReturn, TextIO

from pydantic import TypeAdapter, ValidationError

from deepmt.base.errors import UserError
from deepmt.base.files import NO_SPACE
from deepmt.base.printable import print_in_any_locale, printable


class Positional(str):
    """Hold the help text of an argument without a flag."""


def run(main: Callable[..., int | None]) -> NoReturn:
    """Call `main` with the flags of the command line, and exit with the status that it returns.

    A UserError, or an error of a file, prints its message and exits with 1; others keep their
    traceback. Ctrl-C ends with 130, and a reader that has ended, as `head` does, with 1; both say
    nothing.
    """
    # Imports are no garbage: looking for it in all of torch takes 0.3 seconds at the end, and a
    # tenth of the updates of a narrow model.
    gc.freeze()
    print_in_any_locale()
    try:
        status = main(**parse(main))
        if sys.stdout:
            sys.stdout.flush()
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except UserError as error:
        _end(error, str(error))
    except OSError as error:
        if _is_of_output(error):
            # Python would try again to write what is left as it exits.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1 if error.errno == errno.EPIPE else f"standard output: {error.strerror}")
        if error.filename is None:
            raise
        _end(error, f"{error.filename}: {error.strerror}")
    sys.exit(status)


def _without_traceback(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    """Say what ends a script before `run`, while its imports read our settings."""
    if isinstance(error, UserError):
        print(printable(str(error)), file=sys.stderr)
    elif not isinstance(error, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)


sys.excepthook = _without_traceback


def _is_of_output(error: OSError) -> bool:
    """Check for an error of standard output: unlike one of a file, it has no name."""
    if error.filename is not None or not sys.stdout:
        return False
    if error.errno == errno.EPIPE:
        poll = select.poll()
        poll.register(sys.stdout.fileno())
        return any(event & select.POLLERR for _, event in poll.poll(0))
    return error.errno in NO_SPACE


def _end(error: Exception, message: str) -> NoReturn:
    sys.exit(printable("\n".join([message, *getattr(error, "__notes__", [])])))


def open_output() -> TextIO:
    """Return standard output; raise ValueError if it is closed."""
    if not sys.stdout:
        raise UserError("standard output is closed: what is printed must go somewhere")
    return sys.stdout


def parse(main: Callable[..., Any], argv: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the arguments of `main`: its parameter `max_tokens: int` is the flag `--max-tokens`.

    A parameter without a default is required; `X | None` may be left out; `tuple[X, ...]` takes
    several values; `bool` is a switch; a dataclass has a flag for each field.
    `Annotated[X, "help"]` gives the help text, and `Annotated[X, Positional("help")]` makes an
    argument without a flag. Values must be what the type says, also its bounds, such as
    `Annotated[int, Field(ge=1)]`, and no flag may be given twice.
    """
    script = Path(sys.argv[0])
    parser = _Parser(
        prog=f"./deepmt {script.stem}" if script.parent.name == "commands" else script.name,
        description=(inspect.getdoc(main) or "").partition("Raises:")[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    for parameter in flags(main):
        _add(parameter, parser)
    return _arguments(main, vars(parser.parse_args(argv)))


def flags(main: Callable[..., Any]) -> Iterator[Parameter]:
    """Yield the parameters of a function, with the fields of a dataclass in its place."""
    for parameter in inspect.signature(main).parameters.values():
        if _is_group(parameter.annotation):
            yield from flags(parameter.annotation)
        else:
            yield parameter


def _is_group(hint: Any) -> bool:
    """Check if a parameter has a flag for each of its fields."""
    return is_dataclass(hint)


def _arguments(function: Callable[..., Any], found: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a function takes of the parsed values, by its parameters' names."""
    parameters = inspect.signature(function).parameters
    return {
        name: hint(**_arguments(hint, found)) if _is_group(hint) else found[name]
        for name, hint in ((name, each.annotation) for name, each in parameters.items())
    }


class _Parser(argparse.ArgumentParser):
    """Print errors, which repeat what was typed, without escape bytes."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


class _Value(argparse.Action):
    """Store a value, or several as a tuple, of a flag that is given once."""

    given = False

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        if self.given:
            raise argparse.ArgumentError(self, "is given twice")
        self.given = True
        setattr(namespace, self.dest, tuple(values) if self.nargs else values)


class _Switch(_Value, argparse.BooleanOptionalAction):
    """Store the value of a flag --x or --no-x."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: Any = None) -> None:
        super().__call__(parser, namespace, not option.startswith("--no-"))


def _add(parameter: Parameter, parser: argparse.ArgumentParser) -> None:
    """Add the flag of a parameter."""
    hint = parameter.annotation
    notes = getattr(hint, "__metadata__", ())
    text = next((note for note in notes if isinstance(note, str)), " ")
    options: dict[str, Any] = {"help": text, "action": _Value}
    if parameter.default is not Parameter.empty:
        options["default"] = parameter.default
    if (plain := _plain(hint)) is bool:
        options["action"] = _Switch
    else:
        if typing.get_origin(plain) is tuple:
            hint = typing.get_args(plain)[0]
            options["nargs"], plain = "*", _plain(hint)
        metavar = "|".join(typing.get_args(plain)) or plain.__name__.upper()
        options |= {"type": _checked(hint), "metavar": "FILE" if plain is Path else metavar}
    if isinstance(text, Positional):
        parser.add_argument(parameter.name, **options | {"metavar": parameter.name.upper()})
    else:
        flag = "--" + parameter.name.replace("_", "-")
        parser.add_argument(flag, **options, required="default" not in options)


def _plain(hint: Any) -> Any:
    """Return a type without its bounds and without None."""
    if typing.get_origin(hint) in (typing.Annotated, typing.Union, types.UnionType):
        return next(_plain(part) for part in typing.get_args(hint) if part is not types.NoneType)
    return hint


def _checked(hint: Any) -> Callable[[str], Any]:
    """Return what turns a word into a value of a type, or says why it is none."""

    def value(word: str) -> Any:
        try:
            return TypeAdapter(hint).validate_strings(word)
        except ValidationError as error:
            why = error.errors()[0]["msg"]
            said = re.sub("^(Input|String|Value error,)", lambda _: repr(word), why)
            raise argparse.ArgumentTypeError(said) from None

    return value
