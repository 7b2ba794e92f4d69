"""No wrong value of any settings file crashes, or is blamed on another line."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import yaml
from full_sizes import CORPORA
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from deepmt.machines.hardware import load_hardware
from deepmt.settings.corpora import load_corpora
from deepmt.study import papers
from deepmt.study.config_file import load_config
from deepmt.study.scale import load_scale

ROOT = Path(__file__).parents[2]
FILES = [
    *("config.yaml", "corpora.yaml", "hardware.yaml"),
    *(
        str(path.relative_to(ROOT))
        for path in sorted([*ROOT.glob("papers/*.yaml"), *ROOT.glob("scales/*.yaml")])
    ),
]
TEXTS = {name: (ROOT / name).read_text(encoding="utf-8") for name in FILES}
LOADERS: dict[str, Callable[[Path], object]] = {
    "config.yaml": lambda path: load_config(path, {}),
    "corpora.yaml": load_corpora,
    "hardware.yaml": load_hardware,
    "papers": papers.load,
    "scales": lambda path: load_scale(path, CORPORA),
}
TURNS = set("LRE RLE LRO RLO PDF LRI RLI FSI PDI".split())
"""Classes of characters that change the direction of text."""
PLAIN = set("archives corpora monolingual systems columns widths depths".split())
"""Keys whose own keys become parts of paths, wildcards or commands, as ids and languages do."""


class Place(NamedTuple):
    """A value of a file, or a name."""

    start: int
    end: int
    line: int
    kind: str
    """The kind of a node in YAML, or `name`."""


def places_of(text: str) -> list[Place]:
    def value(node: yaml.Node, line: int, parent: str) -> Iterator[Place]:
        start, end = node.start_mark.index, node.end_mark.index
        anchor = re.match(r"&\S+\s+", text[start:end])
        kind = "null" if node.tag.endswith(":null") else node.id
        yield Place(start + (anchor.end() if anchor else 0), len(text[:end].rstrip()), line, kind)
        if node.id == "sequence":
            for item in node.value:
                yield from value(item, item.start_mark.line + 1, "")
        if node.id == "mapping":
            for key, inner in node.value:
                found = [*value(inner, key.start_mark.line + 1, key.value)]
                named = key if parent in PLAIN and found[0].kind != "null" else None
                if key.value in ("id", "source", "target", "language") and inner.id == "scalar":
                    named = inner
                if named:
                    span = named.start_mark.index, named.end_mark.index
                    yield Place(*span, key.start_mark.line + 1, "name")
                yield from found

    # An alias is replaced where its anchor is.
    found = value(yaml.compose(text, yaml.CSafeLoader), 1, "")
    return [*{(place.start, place.kind): place for place in found}.values()]


@cache
def places() -> dict[str, list[Place]]:
    """The places of all files."""
    return {name: places_of(text) for name, text in TEXTS.items()}


def messages(folder: Path, name: str, place: Place, new: str) -> list[str]:
    """What is said of a file with a changed value: clear lines, or none if it is accepted."""
    path, text = folder / name, TEXTS[name]
    path.parent.mkdir(exist_ok=True)
    for other, whole in TEXTS.items():
        if other.startswith("scales/"):  # which a scale may start from
            path.with_name(Path(other).name).write_text(whole, encoding="utf-8")
    later = "\n" * text[place.start : place.end].count("\n")
    path.write_text(text[: place.start] + new + later + text[place.end :], encoding="utf-8")
    try:
        LOADERS[name.partition("/")[0]](path)
    except ValueError as error:
        lines = str(error).split("\n")
        for line in lines:
            assert re.match(rf"{re.escape(str(folder))}/\S+\.yaml:", line), line
            shown = line.replace("\t", " ")
            assert not [mark for mark in shown if unicodedata.category(mark) == "Cc"], line
            assert not [mark for mark in line if unicodedata.bidirectional(mark) in TURNS], line
            inner = re.compile("Input should|pydantic|Node\\(|<class|object at")
            assert not inner.search(line) or inner.search(new), line
            assert len(line) < 1500, line
        return lines
    return []


def quickly(examples: int) -> Any:
    return settings(
        max_examples=examples,
        suppress_health_check=list(HealthCheck),
        # What fails is drawn from few values: shrinking it takes longer than reading it.
        phases=[Phase.explicit, Phase.reuse, Phase.generate],
    )


def drawn(data: st.DataObject, *kinds: str) -> tuple[str, Place]:
    known = {name: [p for p in found if p.kind in kinds] for name, found in places().items()}
    name = data.draw(st.sampled_from([name for name, found in known.items() if found]))
    return name, data.draw(st.sampled_from(known[name]))


@quickly(40)
@given(st.data())
def test_a_mapping_in_place_of_a_value_is_refused_with_its_line(
    tmp_path: Path, data: st.DataObject
) -> None:
    name, place = drawn(data, "scalar")
    found = messages(tmp_path, name, place, "{zz: [.nan]}")
    assert any(line.startswith(f"{tmp_path / name}:{place.line}:") for line in found), found


@quickly(15)
@given(st.data(), st.sampled_from(["../x", "a b", "$(touch x)", "x;y", "-x", "", "'", "a\nb", "é"]))
def test_a_name_that_is_no_plain_word_is_refused(
    tmp_path: Path, data: st.DataObject, word: str
) -> None:
    name, place = drawn(data, "name")
    found = messages(tmp_path, name, place, json.dumps(word))
    named = any(line.startswith(f"{tmp_path / name}:{place.line}:") for line in found)
    assert named or "unknown corpus" in found[0]


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@quickly(40)
@given(st.data(), ANYTHING)
def test_anything_at_all_is_read_or_refused_in_clear_lines(
    tmp_path: Path, data: st.DataObject, value: Any
) -> None:
    name, place = drawn(data, "scalar", "null", "sequence", "mapping")
    text = yaml.safe_dump([value], default_flow_style=True, width=10**9).strip()[1:-1]
    messages(tmp_path, name, place, text)
