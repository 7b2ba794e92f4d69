"""Read YAML strictly into dataclasses, with line numbers, and report all problems at once.

    problems = Problems()
    scale = read(load(Path("scales/toy.yaml")), Scale, problems)
    problems.raise_if_any()

JSON is YAML too, so the same functions read JSON files.
"""

import dataclasses
import itertools
import json
import re
import types
import typing
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from deepmt.config.strict import STRICT, did_you_mean, message, shown
from deepmt.printable import CONTROL, printable

T = TypeVar("T")
MAX_DEPTH = 50
"""Levels of nesting in a file."""
MAX_SIZE = 500_000
"""Characters of all values, and ten for each, after aliases are replaced by their anchors."""
PLAIN_TAGS = (None, "!", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
"""Tags of ordinary mappings and lists."""
TEXT_TAG = "tag:yaml.org,2002:str"


class StrictYamlError(ValueError):
    """Report one or more problems of a file, one on each line of the message."""

    def __init__(self, problems: str) -> None:
        super().__init__(printable(problems))


@dataclass(frozen=True)
class Node:
    """Hold a value with its file and line: `value` is a dict or list of nodes, or a scalar."""

    value: Any
    file: Path
    line: int
    key: str = ""

    @property
    def where(self) -> str:
        """Return `config.yaml:12: papers[0]`, the start of every message about this node."""
        line = f":{self.line}" if self.line else ""
        return f"{self.file}{line}: " + (self.key or "the file")

    def __getitem__(self, key: str | int) -> "Node":
        """Return the node under a key of a mapping or at an index of a list."""
        return typing.cast(Node, self.value[key])

    def __contains__(self, key: object) -> bool:
        return key in self.value

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the keys of a mapping or the nodes of a list."""
        return iter(self.value)

    def plain(self) -> Any:
        """Return the value as ordinary dicts, lists and scalars."""
        if isinstance(self.value, dict):
            return {key: child.plain() for key, child in self.value.items()}
        if isinstance(self.value, list):
            return [child.plain() for child in self.value]
        return self.value


RENAMED_KEYS = {"set": "split", "sets": "splits", "mixtures_every": "layer_weights_every"}
"""Keys of papers and scales that had another name until November 2026."""


class Problems:
    """Collect all problems, so that a user can fix them in one go."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def add(self, node: Node, message: str) -> None:
        """Add a problem as one line, which starts with the node's file, line and key."""
        self.messages.append(f"{node.where}: {message}".replace("\n", "\\n"))

    def unknown(self, node: Node, word: str, allowed: Iterable[str], kind: str = "key") -> None:
        """Add a problem about a word that is not allowed, with a suggestion."""
        choices = sorted(allowed)
        if RENAMED_KEYS.get(word) in choices:
            self.add(node, f"'{word}' is now called '{RENAMED_KEYS[word]}'")
        else:
            self.add(node, f"unknown {kind} {shown(word)}{did_you_mean(word, choices)}")

    def raise_if_any(self) -> None:
        """Raise one StrictYamlError (a ValueError) that lists every problem in order."""
        if self.messages:
            raise StrictYamlError("\n".join(dict.fromkeys(self.messages)))


def check_names(
    node: Node, key: str, known: Collection[str], problems: Problems, kind: str = ""
) -> None:
    """Check the name or names under a key, if the key is present; other types are not its task."""
    if key in node:
        names = node[key].value if isinstance(node[key].value, list) else [node[key]]
        for name in names:
            if isinstance(name.value, str) and name.value not in known:
                problems.unknown(name, name.value, known, kind or key)


class _Loader(yaml.CSafeLoader):
    """Extend PyYAML's safe loader to read 2e-3 as a number, as YAML 1.2 does."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?\d+(\.\d*)?[eE][-+]?\d+$"), list("-+0123456789")
)


def load(path: Path) -> Node:
    """Read the mapping that a YAML or JSON file holds.

    Raises StrictYamlError for a file that cannot be read, bad UTF-8, what `parse` refuses, and
    anything but a mapping.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise StrictYamlError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise StrictYamlError(f"{path}: not valid YAML: {error}") from error
    node = parse(text, path)
    if not isinstance(node.value, dict):
        raise StrictYamlError(f"{path}:1: must be a mapping, with lines such as `key: value`")
    return node


def parse(text: str, source: Path) -> Node:
    """Parse YAML or JSON; messages name its source.

    Raises StrictYamlError for bad syntax, control characters, more than MAX_DEPTH levels or
    MAX_SIZE characters, and (all at once) for duplicate keys, keys that are not text, and values
    that are not text, a number, true, false or null.
    """
    problems = Problems()
    try:
        node = _Converter(_Loader(text), source, problems).convert("")
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise StrictYamlError(f"{source}:{line}: not valid YAML: {error.problem}") from error
    except yaml.YAMLError as error:
        problem = " ".join(str(error).split())
        raise StrictYamlError(f"{source}: not valid YAML: {problem}") from error
    problems.raise_if_any()
    return node


class _Converter:
    """Convert PyYAML's events into nodes, within limits of depth and size."""

    def __init__(self, loader: yaml.CSafeLoader, path: Path, problems: Problems) -> None:
        self.loader, self.path, self.problems = loader, path, problems
        self.events = list(self._read_events())
        self.position = self.size = 0
        self.anchors: dict[str, int] = {}
        """The position of the event that has each anchor."""
        self.open: list[str | None] = []
        """The anchors of the collections around the current event."""

    def _read_events(self) -> Iterator[Any]:
        """Yield the events of the only document, without its frame."""
        depth = documents = 0
        while event := self.loader.get_event():
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            documents += isinstance(event, yaml.DocumentStartEvent)
            if depth > MAX_DEPTH:
                self._stop(event, f"more than {MAX_DEPTH} levels of nesting")
            if found := CONTROL.search(getattr(event, "value", "")):
                self._stop(event, f"remove the control character {found[0]!r}")
            if documents > 1:
                self._stop(event, "a second document begins here: remove it")
            if isinstance(event, yaml.NodeEvent | yaml.CollectionEndEvent):
                yield event
        if not documents:
            raise StrictYamlError(f"{self.path}:1: the file is empty")

    def _stop(self, event: Any, problem: str) -> NoReturn:
        raise StrictYamlError(f"{self.path}:{event.start_mark.line + 1}: {problem}")

    def _items(self) -> Iterator[int]:
        """Count the items of a collection, up to its end."""
        for index in itertools.count():
            if isinstance(self.events[self.position], yaml.CollectionEndEvent):
                break
            yield index
        self.position += 1

    def convert(self, key: str) -> Node:
        """Convert the next node with everything below it."""
        event = self.events[self.position]
        self.position += 1
        self.size += 10 + len(getattr(event, "value", ""))
        if self.size > MAX_SIZE:
            self._stop(event, "the aliases (*name) repeat too much text: remove some")
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event, key)
        if event.anchor:
            self.anchors[event.anchor] = self.position - 1
        if isinstance(event, yaml.ScalarEvent):
            return self._node(self._scalar(event, key), event, key)
        if event.tag not in PLAIN_TAGS:
            self.problems.add(self._node(None, event, key), f"not a plain value: {event.tag}")
        value: Any
        self.open.append(event.anchor)
        if isinstance(event, yaml.MappingStartEvent):
            value = self._mapping(key)
        else:
            value = [self.convert(f"{key}[{index}]") for index in self._items()]
        self.open.pop()
        return self._node(value, event, key)

    def _node(self, value: Any, event: Any, key: str) -> Node:
        return Node(value, self.path, event.start_mark.line + 1, key)

    def _alias(self, event: yaml.AliasEvent, key: str) -> Node:
        """Convert once more what the anchor names."""
        name, here = event.anchor, self._node(None, event, key)
        if name in self.open or name not in self.anchors:
            known = name in self.anchors
            self.problems.add(here, "contains itself" if known else f"no anchor &{name} above")
            return here
        after, self.position = self.position, self.anchors[name]
        node = self.convert(key)
        self.position = after
        return node

    def _tag(self, event: yaml.ScalarEvent) -> str:
        plain = event.tag in (None, "!")
        resolve = self.loader.resolve
        return resolve(yaml.ScalarNode, event.value, event.implicit) if plain else event.tag

    def _scalar(self, event: yaml.ScalarEvent, key: str) -> Any:
        node = yaml.ScalarNode(self._tag(event), event.value, event.start_mark, event.end_mark)
        try:
            value = self.loader.construct_object(node)
            if value is not None and not isinstance(value, str | int | float):
                raise ValueError("put it in quotes")
        except (yaml.YAMLError, ValueError) as error:
            message = error.problem if isinstance(error, yaml.MarkedYAMLError) else error
            self.problems.add(self._node(None, event, key), f"not a plain value: {message}")
            return None
        return value

    def _mapping(self, key: str) -> dict[str, Node]:
        children: dict[str, Node] = {}
        for _ in self._items():
            event = self.events[self.position]
            here, name = self._node(None, event, key), getattr(event, "value", "[...]")
            if not isinstance(event, yaml.ScalarEvent):
                self.problems.add(here, "a key must be text")
                self.convert(key)
            else:
                self.position += 1
                if self._tag(event) != TEXT_TAG:
                    self.problems.add(here, f"the key {name} is not text; put it in quotes")
            if "\n" in name:
                self.problems.add(here, "a key must be one line")
            elif name in children:
                first = children[name].line
                self.problems.add(here, f"duplicate key '{name}', first given near line {first}")
            child = self.convert(f"{key}.{name}" if key else name)
            children.setdefault(name, dataclasses.replace(child, line=here.line))
        return children


def read(node: Node, hint: type[T], problems: Problems) -> T:
    """Turn a node into a dataclass, or into any type that pydantic knows.

    A field without a default is required, and an int passes as a float. Unknown, missing and
    mistyped keys go to `problems`, each with its own line; use the result only after
    `problems.raise_if_any()`.
    """
    try:
        return _adapter(typing.cast(Any, hint)).validate_json(json.dumps(node.plain(), default=str))
    except ValidationError as errors:
        for error in errors.errors():
            _report(error, node, hint, problems)
        return typing.cast(T, None)


@cache
def _adapter(hint: Any) -> TypeAdapter[Any]:
    return TypeAdapter(hint) if dataclasses.is_dataclass(hint) else TypeAdapter(hint, config=STRICT)


def _report(error: Mapping[str, Any], node: Node, hint: Any, problems: Problems) -> None:
    """Add one of pydantic's errors, with its line in the file."""
    *path, last = error["loc"] or [""]
    if error["type"] == "missing":
        whole = isinstance(last, int)
        missing = f"must have at least {last + 1} values" if whole else f"missing key '{last}'"
        problems.add(_at(node, path), missing)
    elif error["type"] == "unexpected_keyword_argument":
        problems.unknown(_at(node, [*path, last]), last, _fields(hint, path))
    elif error["type"] == "literal_error":
        found = _at(node, error["loc"])
        allowed = re.findall(r"'([^']*)'", error["ctx"]["expected"])
        problems.unknown(found, str(found.plain()), allowed, kind="value")
    else:
        problems.add(_at(node, error["loc"]), message(error))


def _at(node: Node, path: Iterable[str | int]) -> Node:
    """Return the node at a path, or its nearest ancestor that exists."""
    for part in path:
        if isinstance(node.value, list | dict) and part in (
            node.value if isinstance(node.value, dict) else range(len(node.value))
        ):
            node = node[part]
    return node


def _fields(hint: Any, path: Iterable[str | int]) -> list[str]:
    """Return the fields of the dataclass at a path into the type `hint`."""
    for part in path:
        hint = _without_none(hint)
        if dataclasses.is_dataclass(hint):
            hint = typing.get_type_hints(hint)[str(part)]
        elif isinstance(part, int):
            hint = typing.get_args(hint)[0]
        else:
            hint = typing.get_args(hint)[1]
    fields = dataclasses.fields(_without_none(hint))
    return [field.name.rstrip("_") for field in fields if field.init]


def _without_none(hint: Any) -> Any:
    parts = [part for part in typing.get_args(hint) if part is not types.NoneType]
    return parts[0] if types.NoneType in typing.get_args(hint) else hint
