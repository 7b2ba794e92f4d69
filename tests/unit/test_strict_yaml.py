"""A value is what was typed, and what is not plain YAML is refused with its line."""

from pathlib import Path

import pytest

from deepmt.settings.strict_yaml import StrictYamlError, load


def written(folder: Path, text: str) -> Path:
    path = folder / "settings.yaml"
    path.write_text(text, encoding="utf-8")
    return path


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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: [1", r"yaml:\d: not valid YAML: .*; look at indentation, quotes and brackets there"),
        ("a:\n  b: 1\n c: 2", "yaml:3: not valid YAML: .*; look at indentation"),
        ("", "must be a mapping"),
        ("a: 1\nb: 1\na: 2", "yaml:3: not valid YAML: duplicate key 'a'"),
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
