"""Whatever a job reads of another one is compared with what that job wrote; damage has a name."""

import re
from dataclasses import asdict
from itertools import product
from pathlib import Path

import pytest

from deepmt.config.spec import read_spec
from deepmt.data.data_settings import load_settings
from deepmt.files import (
    REMEDY,
    content_hash,
    read_json,
    sha256,
    write_hashed_json,
    write_json,
)
from tiny import tiny_spec


@pytest.mark.parametrize("content", [b"", b"{", b'{"a": 1}}', b"\xff", b"[" * 50_000])
def test_damaged_json_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "outcome.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"outcome\.json is damaged \(.*\); ") as refusal:
        read_json(path)
    assert str(refusal.value).endswith(REMEDY)


VALUE = {"outcome": "finished", "loss": 0.1 + 0.2, "text": "für", "list": [1, {"a": None}]}


def test_a_hashed_file_gives_back_its_content_alone(tmp_path: Path) -> None:
    write_hashed_json(tmp_path / "hashed.json", VALUE)
    write_json(tmp_path / "plain.json", VALUE)
    assert read_json(tmp_path / "hashed.json", hashed=True) == VALUE
    assert read_json(tmp_path / "plain.json") == VALUE
    assert content_hash(VALUE) == sha256(tmp_path / "plain.json")


def test_a_file_that_must_hold_a_hash_is_refused_without_one(tmp_path: Path) -> None:
    write_json(tmp_path / "manifest.json", VALUE)
    with pytest.raises(ValueError, match=r"manifest\.json is damaged \(it holds no hash"):
        read_json(tmp_path / "manifest.json", hashed=True)


def content_or_problem(path: Path) -> dict[str, object] | str:
    try:
        return dict(read_json(path))
    except ValueError as error:
        return str(error)


def test_every_flipped_bit_of_a_hashed_file_is_found_or_changes_no_value(tmp_path: Path) -> None:
    path = tmp_path / "outcome.json"
    write_hashed_json(path, VALUE)
    content, unnamed = path.read_bytes(), 0
    for place, bit in product(range(len(content)), range(8)):
        flipped = bytes([content[place] ^ 1 << bit])
        path.write_bytes(content[:place] + flipped + content[place + 1 :])
        found = content_or_problem(path)
        if isinstance(found, str):
            assert found.startswith(f"{path} is damaged (")
        else:
            unnamed += 1
            assert {key: found[key] for key in VALUE} == VALUE
    assert unnamed < len(content) / 2


@pytest.mark.parametrize(
    ("change", "said"),
    [('"layers": 2', '"layers": -2'), ('"layers"', '"leyers"'), ('"encoder"', '"encodr"')],
)
def test_a_damaged_spec_is_named_with_its_key(tmp_path: Path, change: str, said: str) -> None:
    path = tmp_path / "spec.json"
    path.write_text(tiny_spec().canonical.replace('":', '": ').replace(change, said, 1))
    with pytest.raises(ValueError, match=r"spec\.json: .*en?cod.*") as refusal:
        read_spec(path)
    assert str(refusal.value).endswith(REMEDY)


@pytest.mark.parametrize(("name", "key"), [("spec.json", "updates"), ("data.json", "min_count")])
def test_settings_that_the_folder_is_not_named_after_are_refused(
    tmp_path: Path, name: str, key: str
) -> None:
    spec = tiny_spec()
    folder, settings, read = {
        "spec.json": (spec.run, spec.sections, read_spec),
        "data.json": (spec.dataset, asdict(spec.data), load_settings),
    }[name]
    for place in (tmp_path / folder, tmp_path / "by-hand"):
        write_json(place / name, settings)
        read(place / name)
        text = (place / name).read_text()
        changed = re.sub(rf'("{key}": )(\d+)', r"\g<1>1\g<2>", text)
        assert changed != text
        (place / name).write_text(changed)
    read(tmp_path / "by-hand" / name)
    with pytest.raises(ValueError, match="is damaged: its settings belong to") as refusal:
        read(tmp_path / folder / name)
    assert str(refusal.value).endswith(f"which is not its folder; {REMEDY}")
