"""No wrong value of any key of any settings file passes, crashes, or is blamed on another line.

A value is wrong here by what the shipped files hold at its key and by the key's name: nothing of
the schema decides it.
"""

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from deepmt.config import papers
from deepmt.config.corpora import load_corpora
from deepmt.config.hardware import load_hardware
from deepmt.config.settings import load_config, load_scale
from deepmt.printable import CONTROL

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
    "training.average_last training.max_length decoding.beam decoding.max_extra "
    "decoding.max_length data.merges data.min_count data.threshold model.first_position".split()
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


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A copy of the settings that a test may spoil."""
    for name, text in TEXTS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


TURNS = set("LRE RLE LRO RLO PDF LRI RLI FSI PDI".split())
"""Classes of characters that change the direction of text."""
CORPORA = load_corpora(ROOT / "corpora.yaml")
LOADERS: dict[str, Callable[[Path], object]] = {
    "config.yaml": lambda path: load_config(path, {}),
    "corpora.yaml": load_corpora,
    "hardware.yaml": load_hardware,
    "papers": papers.load,
    "scales": lambda path: load_scale(path, CORPORA),
}


def messages(root: Path, name: str, changes: Mapping[tuple[int, int], str]) -> list[str]:
    """What is said of a file that is changed so: clear lines, or none if it is accepted."""
    path = root / name
    path.write_text(spoilt(name, changes), encoding="utf-8")
    try:
        LOADERS[group(name)](path)
    except ValueError as error:
        lines = str(error).split("\n")
        for line in lines:
            assert re.match(rf"{re.escape(str(root))}/\S+\.yaml:", line), line
            assert not [mark for mark in line if unicodedata.category(mark) == "Cc"], line
            assert not [mark for mark in line if unicodedata.bidirectional(mark) in TURNS], line
            assert not re.search("Input should|pydantic|Node\\(|<class|object at", line), line
            assert len(line) < 1500, line
        return lines
    finally:
        path.write_text(TEXTS[name], encoding="utf-8")
    return []


def unnamed(root: Path, name: str, found: list[str], places: Iterable[Place]) -> list[Place]:
    """The places whose lines no message begins with."""
    return [
        place
        for place in places
        if not any(line.startswith(f"{root / name}:{place.line}:") for line in found)
    ]


def stage(place: Place) -> str:
    """Problems of one stage are reported together; those of a later one only without them."""
    parts = place.key.split("/")
    if parts[-1] in ("from", "reverse_of") or parts[-2:] == ["draw", "kind"]:
        return place.key
    return "late" if {"change", "draw"} & set(parts[:-1]) else "schema"


def one_of_each(data: st.DataObject, places: Iterable[Place]) -> dict[str, list[Place]]:
    """One place for each key, by stage."""
    by_key = defaultdict(list)
    for place in places:
        by_key[place.key].append(place)
    found = defaultdict(list)
    for several in by_key.values():
        place = data.draw(st.sampled_from(several))
        found[stage(place)].append(place)
    return found


def leaves(name: str) -> list[Place]:
    return [place for place in PLACES[name] if place.kind not in ("mapping", "list")]


def quickly(examples: int) -> Any:
    return settings(
        max_examples=examples,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        # What fails is drawn from few values: shrinking it takes longer than reading it.
        phases=[Phase.explicit, Phase.reuse, Phase.generate],
    )


@pytest.mark.parametrize("name", FILES)
@quickly(2)
@given(st.data())
def test_a_wrong_value_of_any_key_is_refused_with_its_line(
    name: str, root: Path, data: st.DataObject
) -> None:
    for places in one_of_each(data, leaves(name)).values():
        values = [data.draw(st.sampled_from(wrong_values(name, place))) for place in places]
        changes = {p.span: as_yaml(v) for p, v in zip(places, values, strict=True)}
        found = messages(root, name, changes)
        assert unnamed(root, name, found, places) == []


@pytest.mark.parametrize("name", FILES)
@quickly(2)
@given(st.data())
def test_a_key_that_does_not_exist_is_refused_with_its_line(
    name: str, root: Path, data: st.DataObject
) -> None:
    own = [place for place in leaves(name) if place.name and not place.named]
    # A figure without its kind is refused at the line of `draw`.
    own = [place for place in own if not place.key.endswith("draw/kind")]
    for places in one_of_each(data, own).values():
        changes = {(p.name[1], p.name[1]): "zz" for p in places if p.name}
        found = messages(root, name, changes)
        assert unnamed(root, name, found, places) == []


BRANCHES = [(name, p) for name in FILES for p in PLACES[name] if p.kind in ("mapping", "list")]


@quickly(40)
@given(st.data())
def test_a_wrong_value_in_place_of_a_section_is_refused(root: Path, data: st.DataObject) -> None:
    name, place = data.draw(st.sampled_from(BRANCHES))
    value = data.draw(st.sampled_from(wrong_values(name, place)))
    found = messages(root, name, {place.span: as_yaml(value)})
    assert unnamed(root, name, found, [place]) == []


PLAIN = set("archives corpora monolingual systems columns widths depths".split())
"""Keys whose names become parts of paths, wildcards or commands, as ids and languages do."""
WORDS = [
    (name, place.name if place.named else place.span, place)
    for name in FILES
    for place in PLACES[name]
    if (place.named and place.key.split("/")[-2:-1] and place.key.split("/")[-2] in PLAIN)
    or place.last in ("id", "source", "target", "language")
]


@quickly(40)
@given(st.data(), st.sampled_from(["../x", "a b", "$(touch x)", "x;y", "-x", "", "'", "a\nb", "é"]))
def test_a_name_that_is_no_plain_word_is_refused(
    root: Path, data: st.DataObject, word: str
) -> None:
    name, span, place = data.draw(st.sampled_from(WORDS))
    found = messages(root, name, {span: json.dumps(word)})
    assert not unnamed(root, name, found, [place]) or "unknown corpus" in found[0]


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@quickly(60)
@given(st.data(), ANYTHING)
def test_anything_at_all_is_read_or_refused_in_clear_lines(
    root: Path, data: st.DataObject, value: Any
) -> None:
    name = data.draw(st.sampled_from(FILES))
    place = data.draw(st.sampled_from(PLACES[name]))
    found = messages(root, name, {place.span: as_yaml(value)})
    if CONTROL.search(str(value)):
        assert found
