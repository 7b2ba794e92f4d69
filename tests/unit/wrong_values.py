"""Wrong values for every key of every settings file.

A value is wrong here by what the shipped files hold at its key and by the key's name: nothing of
the schema decides it.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[2]
FILES = [
    "config.yaml", "corpora.yaml", "hardware.yaml",
    *(f"{path.parent.name}/{path.name}" for path in sorted(ROOT.glob("papers/*.yaml"))),
    *(f"{path.parent.name}/{path.name}" for path in sorted(ROOT.glob("scales/*.yaml"))),
]  # fmt: skip
NAMED = set(
    "archives basis codes columns corpora decimals depths headline marks measures monolingual "
    "numbers significance sizes splits systems values vocabulary widths".split()
)
"""Keys whose own keys are names; everywhere else they are settings."""
ONE_OR_SEVERAL = set(
    "of each above below near beats ties beside apart papers rows seeds numbers/*".split()
)
"""Keys that take a value or a list of them."""
WORD_OR_NUMBER = {"above", "below", "near", "encoder.layers", "decoder.layers"}
NEGATIVE = {"values/*", "numbers/*", "above", "below", "near"}
"""Measurements, which may be negative; everything else counts or measures something."""
WHOLE = set(
    "bytes lines trailing_empty_lines every one_in seed seeds sizes/* shards upsample top_k "
    "max_tokens memory_mb number year decimals decimals/* d_model feed_forward heads depths/* "
    "threads gpus workers dev_every gradients_every layer_weights_every from_layers vocabulary/* "
    "training.updates training.warmup training.batch_tokens training.checkpoint_every "
    "training.device_tokens training.average_last training.max_length decoding.beam "
    "decoding.max_extra decoding.max_length data.merges data.min_count data.threshold "
    "model.first_position".split()
)
"""Keys that count something."""


@dataclass(frozen=True)
class Place:
    """A value of a file: where it is, and what the file holds there."""

    key: str
    """Its key, with [] for an index and * for a name."""
    kind: str
    span: tuple[int, int]
    line: int
    name: tuple[int, int] | None = None
    """The span of its key in the file, if it has one."""
    named: bool = False
    """The key is a name that the file gives, not a setting."""

    @property
    def last(self) -> str:
        """The setting that it belongs to, such as seeds of seeds/[], or values/*."""
        parts = self.key.removesuffix("/[]").split("/")
        return "/".join(parts[-2:]) if parts[-1] == "*" else parts[-1]


def kind_of(node: yaml.Node) -> str:
    if isinstance(node, yaml.MappingNode):
        return "mapping"
    if isinstance(node, yaml.SequenceNode):
        return "list"
    if re.fullmatch(r"[-+]?\d+(\.\d*)?([eE][-+]?\d+)?", node.value) and not node.style:
        return "number"
    return {"bool": "bool", "null": "null"}.get(node.tag.rpartition(":")[2], "text")


def places_of(text: str, names_at_top: bool) -> Iterator[Place]:
    def place(node: yaml.Node, key: str, line: int, *name: Any) -> Iterator[Place]:
        start, end = node.start_mark.index, node.end_mark.index
        anchor = re.match(r"&\S+\s+", text[start:end])
        start += anchor.end() if anchor else 0
        found = Place(key, kind_of(node), (start, len(text[:end].rstrip())), line, *name)
        yield found
        if found.kind == "list":
            for item in node.value:
                yield from place(item, f"{key}/[]", item.start_mark.line + 1)
        if found.kind == "mapping":
            named = key.rpartition("/")[2] in NAMED or (not key and names_at_top)
            for name, value in node.value:
                span = name.start_mark.index, name.end_mark.index
                inner = f"{key}/{'*' if named else name.value}".lstrip("/")
                yield from place(value, inner, name.start_mark.line + 1, span, named)

    # An alias is replaced where its anchor is.
    unique = {one.span[0]: one for one in place(yaml.compose(text, yaml.CSafeLoader), "", 1)}
    yield from unique.values()


TEXTS = {name: (ROOT / name).read_text(encoding="utf-8") for name in FILES}
PLACES = {name: list(places_of(text, name == "hardware.yaml")) for name, text in TEXTS.items()}


def group(name: str) -> str:
    """The name of the files that hold the same keys."""
    return name.partition("/")[0]


KINDS: dict[tuple[str, str], set[str]] = defaultdict(set)
for _name, _found in PLACES.items():
    for _place in _found:
        KINDS[group(_name), _place.key].add(_place.kind)


def wrong_values(name: str, place: Place) -> list[Any]:
    """Values that are wrong at a place: of another kind, not finite, absurd, negative, broken."""
    known, last = KINDS[group(name), place.key], place.last
    values: list[Any] = [float("nan"), float("inf"), -float("inf"), 1e30, 10**30, -1e30]
    if "text" not in known and last not in WORD_OR_NUMBER:
        values += ["many", "1 or 2"]
    if "number" not in known and last not in WORD_OR_NUMBER | {"numbers/*"}:
        values += [3, 2.5]
    if "number" in known and last not in NEGATIVE:
        values += [-1, -0.5, -(2**40)]
    if "number" in known and last in WHOLE:
        values += [1.5, 2**70]
    if "bool" not in known:
        values += [True]
    if "mapping" not in known:
        values += [{"a": 1}, {}]
    if "list" not in known and last not in ONE_OR_SEVERAL:
        values += [[1], [], [[]]]
    return values


def as_yaml(value: Any) -> str:
    return yaml.safe_dump([value], default_flow_style=True, width=10**9).strip()[1:-1]


def spoilt(name: str, changes: Mapping[tuple[int, int], str]) -> str:
    """The text of a file with other text at these spans, and each later line where it was."""
    text = TEXTS[name]
    for (start, end), new in sorted(changes.items(), reverse=True):
        text = text[:start] + new + "\n" * text[start:end].count("\n") + text[end:]
    return text
