"""Read YAML strictly into dataclasses, with line numbers, and report all problems at once.

    hardware = read_file(Path("hardware.yaml"), dict[Name, Hardware])

A file becomes plain data, and a map from every key path to its line. JSON is YAML too, so the same
functions read JSON files.
"""

import dataclasses
import json
import re
import types
import typing
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache, reduce
from operator import getitem
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError
from typing_extensions import is_typeddict

from deepmt.config.strict import NAME, STRICT, message, unknown
from deepmt.printable import printable

T = TypeVar("T")
Location = tuple[str | int, ...]
"""The keys and indices that lead to a value, e.g. ("papers", 0)."""


class StrictYamlError(ValueError):
    """Report one or more problems of a file, one on each line of the message."""

    def __init__(self, problems: Iterable[str]) -> None:
        lines = (problem.replace("\n", "\\n") for problem in dict.fromkeys(problems))
        super().__init__(printable("\n".join(lines)))


class Place(typing.NamedTuple):
    """Name file, line and key of a value, e.g. `config.yaml:12: papers[0]`."""

    file: str
    line: int
    """0 = not in a file."""
    key: str

    def __str__(self) -> str:
        line = f":{self.line}" if self.line else ""
        return f"{self.file}{line}: {self.key or 'the file'}"


@dataclass(frozen=True)
class Document:
    """Hold what files say as plain data, and where each value stands."""

    value: Any
    places: Mapping[Location, Place]
    taken: Mapping[Location, Location] = field(default_factory=dict)
    """Entry of a part that is made from another one -> that entry of the other."""

    def where(self, location: Location) -> Place:
        """Return the place of a value, or of the nearest one around it."""
        if (entry := location[:3]) in self.taken:
            return self.where((*self.taken[entry], *location[3:]))
        while location not in self.places:
            location = location[:-1]
        return self.places[location]

    def found(self, location: Location) -> Location:
        """Return the part of one of pydantic's locations that exists here, without its tags."""
        found: Location = ()
        for part in location:
            value = self.get(found)
            size = len(value) if isinstance(value, list) else 0
            if part in (value if isinstance(value, dict) else range(size)):
                found = (*found, part)
        return found

    def get(self, location: Location) -> Any:
        """Return the value at a location."""
        return reduce(getitem, location, self.value)


def merged(base: Document, own: Document) -> Document:
    """Return a mapping with another one merged into it, and inner mappings key by key.

    A key that an inner mapping sets to null is removed.
    """
    value = {**base.value, **own.value}
    for key, change in own.value.items():
        if isinstance(change, dict) and isinstance(base.value.get(key), dict):
            both = {**base.value[key], **change}
            value[key] = {name: one for name, one in both.items() if one is not None}
    return Document(value, {**base.places, **own.places}, {**base.taken, **own.taken})


class Problems:
    """Collect all problems of a document, so that a user can fix them in one go."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.messages: list[str] = []

    def add(self, location: Location, text: str) -> None:
        """Add a problem, which starts with file, line and key."""
        self.messages.append(f"{self.document.where(location)}: {text}")

    def unknown(
        self, location: Location, word: str, allowed: Iterable[str], kind: str = "key"
    ) -> None:
        """Add a problem about a word that is not allowed, with a suggestion."""
        self.add(location, unknown(kind, word, allowed))

    def check_names(self, location: Location, known: Collection[str], kind: str = "") -> None:
        """Check the name or the names at a location, if there are any."""
        *around, key = location
        names = dict(self.document.get(tuple(around))).get(key, ())
        several = enumerate(names) if isinstance(names, list) else [(None, names)] if names else []
        for number, name in several:
            if name not in known:
                place = location if number is None else (*location, number)
                self.unknown(place, name, known, kind or str(key))

    def raise_if_any(self) -> None:
        """Raise one StrictYamlError (a ValueError) that lists every problem in order."""
        if self.messages:
            raise StrictYamlError(self.messages)


class _Loader(yaml.CSafeLoader):
    """Resolve words as JSON and YAML 1.2 do: 2e-3 is a number; 1:30, 0777, yes and no are text."""

    yaml_implicit_resolvers: typing.ClassVar[dict[str, Any]] = {}


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
    _Loader.add_implicit_resolver(_TAG + _kind, re.compile(f"^(?:{_pattern})$"), _first)
_VALUES: dict[str, Callable[[str], Any]] = {
    "str": str,
    "null": lambda text: None,
    "bool": lambda text: text == "true",
    "int": int,
    "float": lambda text: float(text.replace(".inf", "inf").replace(".nan", "nan")),
}


def load(path: Path) -> Document:
    """Read the mapping that a YAML or JSON file holds.

    Raises StrictYamlError for a file that cannot be read, bad UTF-8, what `parse` refuses, and
    anything but a mapping.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise StrictYamlError([f"{path}: cannot be read: {error.strerror}"]) from None
    except UnicodeDecodeError as error:
        raise StrictYamlError([f"{path}: not valid YAML: {error}"]) from error
    document = parse(text, path)
    if not isinstance(document.value, dict):
        raise StrictYamlError([f"{path}:1: must be a mapping, with lines such as `key: value`"])
    return document


def names_in(folder: Path) -> list[str]:
    """Return the names of the YAML files in a folder.

    Raises:
        ValueError: a name that is no plain word, for it would become part of paths and commands.
    """
    names = sorted(path.stem for path in folder.glob("*.yaml"))
    for name in names:
        if not re.fullmatch(NAME, name):
            wrong = f"{folder / name}.yaml: the name of the file must match {NAME}"
            raise StrictYamlError([wrong])
    return names


def parse(text: str, source: Path) -> Document:
    """Parse YAML or JSON; messages name its source.

    Raises StrictYamlError for bad syntax and (all at once) for duplicate keys, keys that are not
    text, and values that are not text, a number, true, false or null.
    """
    try:
        root = yaml.compose(text, _Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise StrictYamlError([f"{source}:{line}: not valid YAML: {error.problem}"]) from error
    except yaml.YAMLError as error:
        problem = " ".join(str(error).split())
        raise StrictYamlError([f"{source}: not valid YAML: {problem}"]) from error
    if root is None:
        raise StrictYamlError([f"{source}:1: the file is empty"])
    places: dict[Location, Place] = {}
    problems: list[str] = []

    def place(node: yaml.Node, location: Location) -> Place:
        return Place(str(source), node.start_mark.line + 1, dotted(location))

    def plain(node: yaml.Node, location: Location, start: yaml.Node) -> Any:
        places[location] = place(start, location)
        kind = node.tag.removeprefix(_TAG)
        if isinstance(node, yaml.ScalarNode) and kind in _VALUES:
            return _VALUES[kind](node.value)
        if isinstance(node, yaml.SequenceNode) and kind == "seq":
            return [plain(item, (*location, n), item) for n, item in enumerate(node.value)]
        if isinstance(node, yaml.MappingNode) and kind == "map":
            return mapping(node, location)
        problems.append(f"{places[location]}: not a plain value: {node.tag}")
        return None

    def mapping(node: yaml.MappingNode, location: Location) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, child in node.value:
            inner = (*location, str(name.value))
            if name.tag != f"{_TAG}str":
                problems.append(f"{place(name, location)}: a key must be text: put it in quotes")
            elif name.value in found:
                problems.append(f"{place(name, inner)}: duplicate key '{name.value}'")
            else:
                found[name.value] = plain(child, inner, name)
        return found

    value = plain(root, (), root)
    if problems:
        raise StrictYamlError(problems)
    return Document(value, places)


def dotted(location: Location) -> str:
    """Return a location as messages show it, e.g. splits.dev[0]."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in location)
    return "".join(parts).removeprefix(".")


def read(document: Document, hint: type[T]) -> T:
    """Turn a document into a dataclass, or into any type that pydantic knows.

    A field without a default is required, and an int passes as a float.

    Raises:
        StrictYamlError: unknown, missing and mistyped keys, each with its own line.
    """
    try:
        # As JSON, because a strict dataclass takes no Python mapping.
        return _adapter(typing.cast(Any, hint)).validate_json(json.dumps(document.value))
    except ValidationError as errors:
        problems = Problems(document)
        for error in errors.errors():
            _report(error, document, hint, problems)
        raise StrictYamlError(problems.messages) from None


def read_file(path: Path, hint: type[T]) -> T:
    """Read a YAML or JSON file into any type that pydantic knows; raise all its problems."""
    return read(load(path), hint)


@cache
def _adapter(hint: Any) -> TypeAdapter[Any]:
    own = dataclasses.is_dataclass(hint) or is_typeddict(hint)
    return TypeAdapter(hint) if own else TypeAdapter(hint, config=STRICT)


def _report(error: Mapping[str, Any], document: Document, hint: Any, problems: Problems) -> None:
    """Add one of pydantic's errors, with its line in the file."""
    *_, last = error["loc"] or [""]
    location = document.found(error["loc"])
    match error["type"]:
        case "missing" if isinstance(last, int):
            problems.add(location, f"must have at least {last + 1} values")
        case "missing":
            problems.add(location, f"missing key '{last}'")
        case "unexpected_keyword_argument" | "extra_forbidden":
            problems.unknown(location, last, _keys(hint, location[:-1]))
        case "union_tag_not_found":
            problems.add(location, f"missing key {error['ctx']['discriminator']}")
        case "union_tag_invalid":
            key = error["ctx"]["discriminator"].strip("'")
            problems.add(document.found((*location, key)), message(error))
        case _:
            problems.add(location, message(error))


def _keys(hint: Any, location: Location) -> list[str]:
    """Return the keys that may be given at a location of the type `hint`."""
    hints = _alternatives(hint)
    for part in location:
        hints = [one for hint in hints for one in _alternatives(_inside(hint, part))]
    return [
        field.name.rstrip("_")
        for hint in hints
        if dataclasses.is_dataclass(hint)
        for field in dataclasses.fields(hint)
        if field.init
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
