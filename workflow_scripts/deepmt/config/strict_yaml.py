"""Read YAML strictly into dataclasses, with line numbers, and report all problems at once.

    problems = Problems()
    scale = read(load(Path("scales/toy.yaml")), Scale, problems)
    problems.raise_if_any()

JSON is YAML too, so the same functions read JSON files.
"""

import dataclasses
import difflib
import json
import re
import types
import typing
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from deepmt.config.strict import STRICT, message

T = TypeVar("T")


class StrictYamlError(ValueError):
    """Report one or more problems of a file, one on each line of the message."""


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
        return f"{self.file}:{self.line}: " + (self.key or "the file")

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
        """Add a problem; the message starts with the node's file, line and key."""
        self.messages.append(f"{node.where}: {message}")

    def unknown(self, node: Node, word: str, allowed: Iterable[str], kind: str = "key") -> None:
        """Add a problem about a word that is not allowed, with a suggestion."""
        choices = sorted(allowed)
        if RENAMED_KEYS.get(word) in choices:
            self.add(node, f"'{word}' is now called '{RENAMED_KEYS[word]}'")
        else:
            self.add(node, f"unknown {kind} '{word}'{did_you_mean(word, choices)}")

    def raise_if_any(self) -> None:
        """Raise one StrictYamlError (a ValueError) that lists every problem in order."""
        if self.messages:
            raise StrictYamlError("\n".join(dict.fromkeys(self.messages)))


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """Return the end of a message about an unknown word: the nearest choice and all choices."""
    choices = list(choices)
    near = difflib.get_close_matches(word, choices, n=1, cutoff=0.6)
    guess = f"; did you mean '{near[0]}'?" if near else ";"
    return f"{guess} (allowed: {', '.join(choices) or 'none'})"


class _Loader(yaml.CSafeLoader):
    """Extend PyYAML's safe loader to read 2e-3 as a number, as YAML 1.2 does."""


_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float", re.compile(r"^[-+]?\d+(\.\d*)?[eE][-+]?\d+$"), list("-+0123456789")
)


def load(path: Path) -> Node:
    """Read a YAML or JSON file.

    Raises StrictYamlError for bad syntax, bad UTF-8, and (all at once) for duplicate keys, keys
    that are not text, and anchors that contain themselves.
    """
    try:
        loader = _Loader(path.read_text(encoding="utf-8"))
        root = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise StrictYamlError(f"{path}:{line}: not valid YAML: {error.problem}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise StrictYamlError(f"{path}: not valid YAML: {error}") from error
    if root is None:
        raise StrictYamlError(f"{path}:1: the file is empty")
    problems = Problems()
    node = _Converter(loader, path, problems).convert(root, "")
    problems.raise_if_any()
    return node


def parse_value(text: str) -> Any:
    """Parse a word of YAML, such as a value of the command line; return None if it is empty.

    Raises StrictYamlError for bad syntax.
    """
    try:
        return yaml.load(text, _Loader)
    except (yaml.YAMLError, ValueError) as error:
        problem = error.problem if isinstance(error, yaml.MarkedYAMLError) else error
        raise StrictYamlError(f"not valid YAML: {problem}") from error


class _Converter:
    """Convert PyYAML's nodes into ours."""

    def __init__(self, loader: yaml.CSafeLoader, path: Path, problems: Problems) -> None:
        self.loader, self.path, self.problems = loader, path, problems
        self.open: set[int] = set()

    def convert(self, node: yaml.Node, key: str) -> Node:
        """Convert one node with everything below it."""
        if id(node) in self.open:
            self.problems.add(self._node(None, node, key), "contains itself")
            return self._node(None, node, key)
        self.open.add(id(node))
        value: Any
        if isinstance(node, yaml.MappingNode):
            value = self._mapping(node, key)
        elif isinstance(node, yaml.SequenceNode):
            value = [self.convert(item, f"{key}[{i}]") for i, item in enumerate(node.value)]
        else:
            value = self._scalar(node, key)
        self.open.remove(id(node))
        return self._node(value, node, key)

    def _node(self, value: Any, node: yaml.Node, key: str) -> Node:
        return Node(value, self.path, node.start_mark.line + 1, key)

    def _scalar(self, node: yaml.Node, key: str) -> Any:
        try:
            return self.loader.construct_object(node)
        except (yaml.YAMLError, ValueError) as error:
            message = error.problem if isinstance(error, yaml.MarkedYAMLError) else error
            self.problems.add(self._node(None, node, key), f"not a plain value: {message}")
            return None

    def _mapping(self, node: yaml.MappingNode, key: str) -> dict[str, Node]:
        children: dict[str, Node] = {}
        for key_node, value_node in node.value:
            here = self._node(None, key_node, key)
            name = key_node.value
            if key_node.tag != "tag:yaml.org,2002:str":
                self.problems.add(here, f"the key {name} is not text; put it in quotes")
            elif name in children:
                first = children[name].line
                self.problems.add(here, f"duplicate key '{name}', first given near line {first}")
            else:
                child = self.convert(value_node, f"{key}.{name}" if key else name)
                children[name] = dataclasses.replace(child, line=here.line)
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
        problems.add(_at(node, path), f"missing key '{last}'")
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
    return [field.name for field in dataclasses.fields(_without_none(hint))]


def _without_none(hint: Any) -> Any:
    parts = [part for part in typing.get_args(hint) if part is not types.NoneType]
    return parts[0] if types.NoneType in typing.get_args(hint) else hint
