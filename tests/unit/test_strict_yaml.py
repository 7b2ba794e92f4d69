"""strict_yaml: line numbers, and every problem of a file at once."""

from pathlib import Path
from typing import Literal

import pytest
from pydantic.dataclasses import dataclass

from deepmt.config.strict import STRICT
from deepmt.config.strict_yaml import StrictYamlError, load, read_file


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Inner:
    rate: float
    kind: Literal["pre", "post"] = "pre"


@dataclass(frozen=True, kw_only=True, config=STRICT)
class Outer:
    name: str
    layers: int
    inner: Inner
    words: tuple[str, ...] = ()
    table: dict[str, int] | None = None

    def __post_init__(self) -> None:
        if self.layers < 1:
            raise ValueError(f"layers={self.layers} must be at least 1")


def written(folder: Path, text: str) -> Path:
    path = folder / "settings.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def outer(path: Path) -> Outer:
    return read_file(path, Outer)


def test_a_good_file_becomes_a_dataclass(tmp_path: Path) -> None:
    text = "name: a\nlayers: 2\ninner: {rate: 2e-3}\nwords: [x, y]\ntable: {k: 1}\n"
    expected = Outer(name="a", layers=2, inner=Inner(rate=0.002), words=("x", "y"), table={"k": 1})
    assert outer(written(tmp_path, text)) == expected


def test_every_problem_is_listed_with_its_line(tmp_path: Path) -> None:
    text = "nmae: a\nlayers: two\ninner:\n  kind: pots\n  rate: true\n"
    with pytest.raises(StrictYamlError) as raised:
        outer(written(tmp_path, text))
    message = str(raised.value)
    assert "settings.yaml:1: nmae: unknown key 'nmae'; did you mean 'name'?" in message
    assert "missing key 'name'" in message
    assert "settings.yaml:2: layers: 'two' should be a valid integer" in message
    assert "settings.yaml:4: inner.kind: unknown value 'pots'; did you mean 'post'?" in message
    assert "settings.yaml:5: inner.rate: True should be a valid number" in message


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("12", 12),
        ("-3", -3),
        ("2e-3", 0.002),
        ("1.", 1.0),
        ("true", True),
        ("null", None),
        ("", None),
    ]
    + [(word, word) for word in ("1:30", "0777", "0x1F", "1_000", "yes", "no", "2026-01-02", "1e")],
)
def test_a_value_is_what_was_typed(tmp_path: Path, typed: str, value: object) -> None:
    found = load(written(tmp_path, f"a: {typed}"))["a"]
    assert (found, type(found)) == (value, type(value))


def test_a_key_that_is_given_twice_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(StrictYamlError, match=r"yaml:3: not valid YAML: duplicate key 'name'"):
        load(written(tmp_path, "name: a\nlayers: 1\nname: b\n"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [1", r"yaml:\d: not valid YAML"),
        ("", "must be a mapping"),
        ("1: 1", "a key must be text: put it in quotes"),
        ("a: *b", "yaml:1: not valid YAML: found undefined alias"),
        ("a: !!python/object/apply:os.system [ls]", "not a plain"),
        ("a: !!python/name:os.system x", "not a plain"),
        ("a: !!binary aGk=", "not a plain value"),
        ("[a]", "must be a mapping"),
        ("? [a]\n: 1", "a key must be text"),
        ("a: 1\n---\nb: 1", "yaml:2: not valid YAML: but found another document"),
        ("a: \x1b[31mred", "not valid YAML: unacceptable character"),
    ],
    ids=lambda text: text[:20],
)
def test_what_is_not_plain_yaml_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(StrictYamlError, match=message):
        load(written(tmp_path, text))


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(StrictYamlError, match=r"settings.yaml: cannot be read: No such file"):
        load(tmp_path / "settings.yaml")


def test_no_message_holds_control_characters(tmp_path: Path) -> None:
    path = tmp_path / "\x1b[31m.yaml"
    path.write_text("a: [1")
    with pytest.raises(StrictYamlError, match=r"/\\x1b\[31m.yaml:"):
        load(path)


def test_a_rule_of_the_dataclass_is_reported_with_its_line(tmp_path: Path) -> None:
    text = "name: a\nlayers: 0\ninner: {rate: 1.0}\n"
    with pytest.raises(StrictYamlError, match=r"settings.yaml:1: the file: layers=0 must be"):
        outer(written(tmp_path, text))
