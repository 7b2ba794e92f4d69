"""Whatever a job reads of another one is compared with what that job wrote; damage has a name."""

import random
import re
from collections.abc import Callable
from dataclasses import asdict
from itertools import product
from pathlib import Path

import pytest

import score
from deepmt.config.spec import read_spec
from deepmt.data.data_settings import check_subwords, load_settings
from deepmt.files import (
    REMEDY,
    check_listed,
    content_hash,
    read_json,
    sha256,
    write_hashed_json,
    write_json,
)
from tiny import tiny_spec


def listed(folder: Path, listing: str, *names: str) -> Path:
    """Write files, and their hashes into a JSON file beside them."""
    draw = random.Random(listing)
    for name in names:
        (folder / name).write_bytes(draw.randbytes(40))
    hashes = {name: sha256(folder / name) for name in names}
    write_hashed_json(folder / listing, {"sha256": hashes})
    return folder


def check_translation(folder: Path) -> None:
    """Score it; no other file is there, and none is read before these are compared."""
    paths = {name: folder / name for name in ("hypotheses", "detokenised", "reference", "output")}
    report = folder / "decoding.test.json"
    score.main(**paths, tokenised_reference=folder / "t", target_language="de", report=report)


CHECKS: dict[str, tuple[Callable[[Path], None], tuple[str, ...], str]] = {
    "counts.json": (
        lambda folder: check_listed(folder / "counts.json"),
        ("train.en", "train.de"),
        "counts.json and run again",
    ),
    "manifest.json": (
        check_subwords,
        ("vocab.en", "codes.joint", "pieces.de"),
        "manifest.json and run",
    ),
    "decoding.test.json": (
        check_translation,
        ("hyp.test.tok.txt", "hyp.test.txt"),
        "decoding.test.json and run again",
    ),
}


@pytest.mark.parametrize("listing", CHECKS)
@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "lose"])
def test_a_damaged_file_is_named_with_the_way_to_make_it_anew(
    tmp_path: Path, listing: str, damage: str
) -> None:
    check, names, remedy = CHECKS[listing]
    for name in names:
        path = listed(tmp_path, listing, *names) / name
        content = path.read_bytes()
        spoilt = {"flip": content[:7] + bytes([content[7] ^ 4]) + content[8:], "cut": content[:-1]}
        path.write_bytes(spoilt.get(damage, b""))
        if damage == "lose":
            path.unlink()
        with pytest.raises(ValueError, match="is damaged: it does not have") as refusal:
            check(tmp_path)
        assert str(refusal.value).startswith(f"{path} is damaged")
        assert f"; delete {tmp_path}/{remedy}" in str(refusal.value)


@pytest.mark.parametrize("listing", ["counts.json", "manifest.json"])
def test_whole_files_pass_and_others_do_not_matter(tmp_path: Path, listing: str) -> None:
    check, names, _ = CHECKS[listing]
    listed(tmp_path, listing, *names)
    (tmp_path / "other").touch()
    check(tmp_path)


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
