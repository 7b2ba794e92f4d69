"""Read YAML strictly into dataclasses, with line numbers, and report all problems at once.

    hardware = read_file(Path("hardware.yaml"), dict[Name, Hardware])

JSON is YAML too, so the same functions read JSON files.
"""

import dataclasses
import json
import re
import types
import typing
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError
from yaml.composer import Composer

from deepmt.config.strict import STRICT, did_you_mean, message, shown
from deepmt.printable import CONTROL, printable

T = TypeVar("T")
MAX_DEPTH = 50
"""Levels of nesting in a file."""
MAX_SIZE = 500_000
"""Characters of all values, and ten for each, after aliases are replaced by their anchors."""
PLAIN_TAGS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")
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

    def items_of(self, key: str) -> list["Node"]:
        """Return the nodes of the list under a key; none if there is no list."""
        found = self.value.get(key) if isinstance(self.value, dict) else None
        return found.value if found and isinstance(found.value, list) else []

    def entries_of(self, key: str) -> dict[str, "Node"]:
        """Return the nodes of the mapping under a key; none if there is no mapping."""
        found = self.value.get(key) if isinstance(self.value, dict) else None
        return found.value if found and isinstance(found.value, dict) else {}

    def plain(self) -> Any:
        """Return the value as ordinary dicts, lists and scalars."""
        if isinstance(self.value, dict):
            return {key: child.plain() for key, child in self.value.items()}
        if isinstance(self.value, list):
            return [child.plain() for child in self.value]
        return self.value


class Problems:
    """Collect all problems, so that a user can fix them in one go."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def add(self, node: Node, message: str) -> None:
        """Add a problem as one line, which starts with the node's file, line and key."""
        self.messages.append(f"{node.where}: {message}".replace("\n", "\\n"))

    def unknown(self, node: Node, word: str, allowed: Iterable[str], kind: str = "key") -> None:
        """Add a problem about a word that is not allowed, with a suggestion."""
        self.add(node, f"unknown {kind} {shown(word)}{did_you_mean(word, sorted(allowed))}")

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


class _Loader(Composer, yaml.CSafeLoader):
    """Compose nodes of limited depth; read 2e-3 as a number, as YAML 1.2 does.

    PyYAML's own composer in C crashes on deep nesting.
    """

    def __init__(self, text: str) -> None:
        yaml.CSafeLoader.__init__(self, text)
        Composer.__init__(self)
        self.depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """Compose the next node with everything below it."""
        event = self.peek_event()
        problem = f"more than {MAX_DEPTH} levels of nesting" if self.depth > MAX_DEPTH else ""
        if found := CONTROL.search(getattr(event, "value", "")):
            problem = f"remove the control character {found[0]!r}"
        if problem:
            raise yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)
        self.depth += 1
        node = super().compose_node(parent, index)
        self.depth -= 1
        return node


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
    problems, loader = Problems(), _Loader(text)
    try:
        root = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise StrictYamlError(f"{source}:{line}: not valid YAML: {error.problem}") from error
    except yaml.YAMLError as error:
        problem = " ".join(str(error).split())
        raise StrictYamlError(f"{source}: not valid YAML: {problem}") from error
    if root is None:
        raise StrictYamlError(f"{source}:1: the file is empty")
    node = _Converter(loader, source, problems).convert(root, "")
    problems.raise_if_any()
    return node


class _Converter:
    """Convert PyYAML's nodes into ours, with the content of an anchor in place of its aliases."""

    def __init__(self, loader: _Loader, path: Path, problems: Problems) -> None:
        self.loader, self.path, self.problems = loader, path, problems
        self.size = 0
        self.open: list[yaml.Node] = []
        """The collections around the current node."""

    def convert(self, found: yaml.Node, key: str) -> Node:
        """Convert a node with everything below it."""
        node = self._node(found, key)
        self.size += 10 + len(found.value) * isinstance(found, yaml.ScalarNode)
        if self.size > MAX_SIZE:
            self.problems.add(node, "the aliases (*name) repeat too much text: remove some")
            self.problems.raise_if_any()
        if isinstance(found, yaml.ScalarNode):
            return dataclasses.replace(node, value=self._scalar(found, node))
        if found in self.open:
            self.problems.add(node, "contains itself")
            return node
        if found.tag not in PLAIN_TAGS:
            self.problems.add(node, f"not a plain value: {found.tag}")
        self.open.append(found)
        if isinstance(found, yaml.MappingNode):
            value: Any = self._mapping(found, key)
        else:
            value = [self.convert(item, f"{key}[{n}]") for n, item in enumerate(found.value)]
        self.open.pop()
        return dataclasses.replace(node, value=value)

    def _node(self, found: yaml.Node, key: str) -> Node:
        return Node(None, self.path, found.start_mark.line + 1, key)

    def _scalar(self, found: yaml.ScalarNode, node: Node) -> Any:
        try:
            value = self.loader.construct_object(found)
            if value is not None and not isinstance(value, str | int | float):
                raise ValueError("put it in quotes")
        except (yaml.YAMLError, ValueError) as error:
            message = error.problem if isinstance(error, yaml.MarkedYAMLError) else error
            self.problems.add(node, f"not a plain value: {message}")
            return None
        return value

    def _mapping(self, found: yaml.MappingNode, key: str) -> dict[str, Node]:
        children: dict[str, Node] = {}
        for name_node, child_node in found.value:
            here = self._node(name_node, key)
            if not isinstance(name_node, yaml.ScalarNode):
                self.problems.add(here, "a key must be text")
                continue
            name = name_node.value
            if name_node.tag != TEXT_TAG:
                self.problems.add(here, f"the key {name} is not text; put it in quotes")
            if "\n" in name:
                self.problems.add(here, "a key must be one line")
            elif name in children:
                first = children[name].line
                self.problems.add(here, f"duplicate key '{name}', first given near line {first}")
            child = self.convert(child_node, f"{key}.{name}" if key else name)
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


def read_file(path: Path, hint: type[T]) -> T:
    """Read a YAML or JSON file into any type that pydantic knows; raise all its problems."""
    problems = Problems()
    found = read(load(path), hint, problems)
    problems.raise_if_any()
    return found


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
