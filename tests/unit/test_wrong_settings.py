"""No wrong value of any key of any settings file passes, crashes, or is blamed on another line."""

import json
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from wrong_values import FILES, PLACES, ROOT, TEXTS, Place, as_yaml, group, spoilt, wrong_values

from deepmt.config import papers
from deepmt.config.corpora import load_corpora
from deepmt.config.hardware import load_hardware
from deepmt.config.settings import load_config, load_scale

QUICK = {"config.yaml", "corpora.yaml", "hardware.yaml", "papers/zhang2019.yaml", "scales/toy.yaml"}
EVERY = [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in FILES]


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


@pytest.mark.parametrize("name", EVERY)
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


@pytest.mark.parametrize("name", EVERY)
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


BRANCHES = [
    (name, place)
    for name in FILES
    for place in PLACES[name]
    if place.kind in ("mapping", "list")
    # Without an anchor that aliases elsewhere need.
    if not re.search(r"(^|\s)&\w", TEXTS[name][slice(*place.span)])
]


@quickly(15)
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
    # A scale removes a corpus that is null.
    if place.kind != "null"
    if (place.named and place.key.split("/")[-2:-1] and place.key.split("/")[-2] in PLAIN)
    or place.last in ("id", "source", "target", "language")
]


@quickly(15)
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


@quickly(30)
@given(st.data(), ANYTHING)
def test_anything_at_all_is_read_or_refused_in_clear_lines(
    root: Path, data: st.DataObject, value: Any
) -> None:
    name = data.draw(st.sampled_from(FILES))
    place = data.draw(st.sampled_from(PLACES[name]))
    messages(root, name, {place.span: as_yaml(value)})
