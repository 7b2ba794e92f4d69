"""Whatever a job reads of another one is compared with what that job wrote; damage has a name."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

import score
from deepmt.config.data_settings import check_raw_text, check_subwords
from deepmt.config.spec import read_spec
from deepmt.files import read_json, sha256
from tiny import tiny_spec

REMEDY = "delete it and run again, which makes it anew"


def listed(folder: Path, listing: str, *names: str) -> Path:
    """Write files, and their hashes into a JSON file beside them."""
    draw = random.Random(listing)
    for name in names:
        (folder / name).write_bytes(draw.randbytes(40))
    hashes = {name: sha256(folder / name) for name in names}
    (folder / listing).write_text(json.dumps({"sha256": hashes}))
    return folder


def check_translation(folder: Path) -> None:
    """Score it; no other file is there, and none is read before these are compared."""
    paths = {name: folder / name for name in ("hypotheses", "detokenised", "reference", "output")}
    report = folder / "decoding.test.json"
    score.main(
        score.Args(**paths, tokenised_reference=folder / "t", target_language="de", report=report)
    )


CHECKS: dict[str, tuple[Callable[[Path], None], tuple[str, ...], str]] = {
    "counts.json": (check_raw_text, ("train.en", "train.de"), "counts.json and run again"),
    "manifest.json": (check_subwords, ("vocab.en", "codes.joint", "pieces.de"), "bpe/done and run"),
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
