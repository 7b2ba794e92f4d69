"""Read YAML strictly into dataclasses, with line numbers, and report all problems at once.

    hardware = read_file(Path("hardware.yaml"), dict[Name, Hardware])

A file becomes mappings and lists that know the line of each of their values, also after they are
merged. JSON is YAML too, so the same functions read JSON files.
"""

import dataclasses
import io
import json
import re
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache, reduce
from operator import getitem
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError
from typing_extensions import is_typeddict

from deepmt.base.errors import UserError
from deepmt.base.files import visible
from deepmt.base.printable import printable
from deepmt.settings.strict import NAME, STRICT, message, unknown

T = TypeVar("T")
Location = tuple[str | int, ...]
"""The keys and indices that lead to a value, e.g. ("papers", 0)."""


class StrictYamlError(UserError):
    """Report one or more problems of a file, one on each line of the message."""

    def __init__(self, problems: Iterable[str]) -> None:
        lines = (problem.replace("\n", "\\n") for problem in dict.fromkeys(problems))
        super().__init__(printable("\n".join(lines)))


class Section(dict[str, Any]):
    """Hold a mapping of a file; places are file and line of each value, and of all."""

    def __init__(self, values: Mapping[str, Any], place: str, places: dict[str, str]) -> None:
        super().__init__(values)
        self.place, self.places = place, places

    def over(self, base: "Section") -> "Section":
        """Return these values, and those of another mapping for all other keys."""
        return Section({**base, **self}, self.place, {**base.places, **self.places})

    def without(self, keys: Collection[str]) -> "Section":
        """Return all values but some."""
        kept = {key: value for key, value in self.items() if key not in keys}
        places = {key: place for key, place in self.places.items() if key not in keys}
        return Section(kept, self.place, places)


class Listing(list[Any]):
    """Hold a list of a file, with the place of each value."""

    def __init__(self, values: Iterable[Any], places: Iterable[str]) -> None:
        super().__init__(values)
        self.places = dict(enumerate(places))


def where(document: Any, location: Location) -> str:
    """Return file, line and key, e.g. `config.yaml:12: papers[0]`; the line is the nearest one."""
    value, place = document, document.place
    for part in location:
        if part not in getattr(value, "places", ()):
            break
        value, place = value[part], value.places[part]
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return f"{place}: {''.join(parts).removeprefix('.') or 'the file'}"


def existing(value: Any, location: Location) -> Location:
    """Return the parts of one of pydantic's locations that a file has, without tags of unions."""
    found: Location = ()
    for part in location:
        size = len(value) if isinstance(value, list) else 0
        if part in (value if isinstance(value, dict) else range(size)):
            value, found = value[part], (*found, part)
    return found


def merged(base: Section, own: Section) -> Section:
    """Return a mapping with another one merged into it, and inner mappings key by key.

    A key that an inner mapping sets to null is removed.
    """
    found = own.over(base)
    for key, change in own.items():
        if isinstance(change, Section) and isinstance(base.get(key), Section):
            both = change.over(base[key])
            found[key] = both.without([name for name, one in both.items() if one is None])
    return found


def with_bases(
    name: str,
    entry_of: Callable[[str], Any],
    known: Collection[str],
    kind: str,
    keys: Sequence[str] = ("from",),
) -> list[str]:
    """Return the names of an entry and of those that it is made from, nearest first.

    Raises:
        ValueError: an entry does not exist or is made from itself; names file and line.
    """
    names = [name]
    while isinstance(entry := entry_of(names[-1]), Section):
        if not (made := [key for key in keys if key in entry]):
            break
        base, place = str(entry[made[0]]), f"{entry.places[made[0]]}: {made[0]}"
        if base not in known:
            raise StrictYamlError([f"{place}: {unknown(kind, base, known)}"])
        if base in names:
            ring = ", ".join(names[names.index(base) :])
            raise StrictYamlError([f"{place}: circular '{made[0]}': {ring}"])
        names.append(base)
    return names


class Problems:
    """Collect all problems of a document, so that a user can fix them in one go."""

    def __init__(self, document: Any) -> None:
        self.document = document
        self.messages: list[str] = []

    def add(self, location: Location, text: str) -> None:
        """Add a problem, which starts with file, line and key."""
        self.messages.append(f"{where(self.document, location)}: {text}")

    def unknown(
        self, location: Location, word: str, allowed: Iterable[str], kind: str = "key"
    ) -> None:
        """Add a problem about a word that is not allowed, with a suggestion."""
        self.add(location, unknown(kind, word, allowed))

    def check_names(self, location: Location, known: Collection[str], kind: str = "") -> None:
        """Check the name or the names at a location, if there are any."""
        *around, key = location
        names = reduce(getitem, around, self.document).get(key, ())
        several = isinstance(names, list)
        for number, name in enumerate(names if several else [names]):
            if isinstance(name, str) and name not in known:
                place = (*location, number) if several else location
                self.unknown(place, name, known, kind or str(key))

    def raise_if_any(self) -> None:
        """Raise one StrictYamlError (a ValueError) that lists every problem in order."""
        if self.messages:
            raise StrictYamlError(self.messages)


class PlainLoader(yaml.CSafeLoader):
    """Resolve words as JSON and YAML 1.2 do: 2e-3 is a number; 1:30, 0777, yes and no are text."""

    yaml_implicit_resolvers: typing.ClassVar[dict[str, Any]] = {}
    yaml_constructors: typing.ClassVar[dict[str | None, Any]] = {}

    def other(self, node: yaml.Node) -> None:
        """Refuse what is not text, a number, true, false, null, a list or a mapping."""
        raise _refusal(f"not a plain value: {node.tag}", node)


class FileLoader(PlainLoader):
    """Keep places, and refuse keys that are given twice or are not text."""

    def section(self, node: yaml.MappingNode) -> Section:
        """Return a mapping."""
        found = Section({}, _place(node), {})
        for key, value in node.value:
            if key.tag != f"{_TAG}str":
                raise _refusal("a key must be text: put it in quotes", key)
            if key.value in found:
                raise _refusal(f"duplicate key '{key.value}'", key)
            found.places[key.value] = _place(key)
            found[key.value] = self.construct_object(value, deep=True)
        return found

    def listing(self, node: yaml.SequenceNode) -> Listing:
        """Return a list."""
        values = [self.construct_object(value, deep=True) for value in node.value]
        return Listing(values, map(_place, node.value))


def _place(node: yaml.Node) -> str:
    return f"{node.start_mark.name}:{node.start_mark.line + 1}"


def _refusal(problem: str, node: yaml.Node) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=node.start_mark)


_TAG = "tag:yaml.org,2002:"
_NUMBER = r"[-+]?(?:0|[1-9][0-9]*)"
for _kind, _pattern, _first in (
    ("null", "~|null|", ["~", "n", ""]),
    ("bool", "true|false", ["t", "f"]),
    ("int", _NUMBER, list("-+0123456789")),
    (
        "float",
        rf"{_NUMBER}(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|[-+]?\.inf|\.nan",
        list("-+.0123456789"),
    ),
):
    PlainLoader.add_implicit_resolver(_TAG + _kind, re.compile(f"^(?:{_pattern})$"), _first)
for _kind in ("str", "null", "bool", "int", "float", "seq", "map"):
    _construct = getattr(yaml.CSafeLoader, f"construct_yaml_{_kind}")
    PlainLoader.add_constructor(_TAG + _kind, _construct)
PlainLoader.add_constructor(None, PlainLoader.other)
FileLoader.add_constructor(f"{_TAG}map", FileLoader.section)
FileLoader.add_constructor(f"{_TAG}seq", FileLoader.listing)


def load(path: Path) -> Section:
    """Read the mapping that a YAML or JSON file holds.

    Raises:
        StrictYamlError: the file cannot be read, is not valid YAML in UTF-8, or holds no mapping.
    """
    try:
        return _load(path, path.read_bytes())
    except OSError as error:
        raise StrictYamlError([f"{path}: cannot be read: {error.strerror}"]) from None


@cache
def _load(path: Path, content: bytes) -> Section:
    """Return what a file holds, which nobody changes: several plans share it."""
    try:
        stream = io.StringIO(content.decode())
        stream.name = str(path)
        document = yaml.load(stream, FileLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        written = isinstance(error, yaml.scanner.ScannerError | yaml.parser.ParserError)
        mend = "; look at indentation, quotes and brackets there" * written
        raise StrictYamlError([f"{path}:{line}: not valid YAML: {error.problem}{mend}"]) from error
    except (yaml.YAMLError, ValueError) as error:
        problem = " ".join(str(error).split())
        raise StrictYamlError([f"{path}: not valid YAML: {problem}"]) from error
    if not isinstance(document, Section):
        raise StrictYamlError([f"{path}:1: must be a mapping, with lines such as `key: value`"])
    return document


def names_in(folder: Path) -> list[str]:
    """Return the names of the YAML files in a folder.

    Raises:
        ValueError: a name that is no plain word, for it would become part of paths and commands.
    """
    names = [path.stem for path in visible(folder, "*.yaml")]
    for name in names:
        if not re.fullmatch(NAME, name):
            wrong = f"{folder / name}.yaml: the name of the file must match {NAME}"
            raise StrictYamlError([wrong])
    return names


def read(document: Any, hint: type[T]) -> T:
    """Turn a document into a dataclass, or into any type that pydantic knows.

    A field without a default is required, and an int passes as a float.

    Raises:
        StrictYamlError: unknown, missing and mistyped keys, each with its own line.
    """
    try:
        # As JSON, because a strict dataclass takes no Python mapping.
        return _adapter(typing.cast(Any, hint)).validate_json(json.dumps(document))
    except ValidationError as errors:
        problems = Problems(document)
        for error in errors.errors():
            _report(error, hint, problems)
        raise StrictYamlError(problems.messages) from None


def read_file(path: Path, hint: type[T]) -> T:
    """Read a YAML or JSON file into any type that pydantic knows; raise all its problems."""
    return read(load(path), hint)


@cache
def _adapter(hint: Any) -> TypeAdapter[Any]:
    own = dataclasses.is_dataclass(hint) or is_typeddict(hint)
    return TypeAdapter(hint) if own else TypeAdapter(hint, config=STRICT)


def _report(error: Mapping[str, Any], hint: Any, problems: Problems) -> None:
    """Add one of pydantic's errors, with its line in the file."""
    location, text = existing(problems.document, error["loc"]), message(error)
    match error["type"]:
        case "missing":
            location = (*location, error["loc"][-1])
        case "union_tag_not_found" | "union_tag_invalid":
            location = (*location, error["ctx"]["discriminator"].strip("'"))
        case "unexpected_keyword_argument" | "extra_forbidden":
            text = unknown("key", str(location[-1]), _keys(hint, location[:-1]))
    problems.add(location, text)


def _keys(hint: Any, location: Location) -> list[str]:
    """Return the keys that may be given at a location of the type `hint`."""
    hints = _alternatives(hint)
    for part in location:
        hints = [one for hint in hints for one in _alternatives(_inside(hint, part))]
    return [
        field.alias or name
        for hint in hints
        for name, field in getattr(hint, "__pydantic_fields__", {}).items()
    ] + [key for hint in hints if is_typeddict(hint) for key in typing.get_type_hints(hint)]


def _inside(hint: Any, part: str | int) -> Any:
    """Return the type of a value inside a value of the type `hint`."""
    if dataclasses.is_dataclass(hint) or is_typeddict(hint):
        return typing.get_type_hints(hint, include_extras=True).get(str(part))
    return (typing.get_args(hint) or [None])[0 if isinstance(part, int) else -1]


def _alternatives(hint: Any) -> list[Any]:
    """Return the members of a union, or the type alone."""
    if typing.get_origin(hint) is typing.Annotated:
        return _alternatives(typing.get_args(hint)[0])
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        return [one for part in typing.get_args(hint) for one in _alternatives(part)]
    return [hint]
