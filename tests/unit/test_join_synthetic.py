"""A corpus with synthetic pairs: the repeated bitext, then every pair that is kept."""

import json
from pathlib import Path

import numpy as np
import pytest

from deepmt.data.back_translation import joined, shard
from jobs.join_synthetic import main

CORPORA = """
archives: {a: {name: a, bytes: 1, md5: abababababababababababababababab, addresses: [https://a.b]}}
corpora:
  real.en-de:
    {source: en, target: de, title: Real, licence: none, citation: none, note: none, splits: {
    train: [{archive: a}], dev: [{archive: a}], test: [{archive: a}]}}
  more.en-de:
    from: real.en-de
    synthetic: {monolingual: held.de, reverse: some.system, scale: toy, shards: 1,
      max_tokens: 5, max_ratio: 2.0}
monolingual:
  held.de: {language: de, title: Held, licence: none, citation: none, archives: [a]}
"""
TEXT = ["eins", "zwei drei", "vier", "fünf sechs sieben", "acht", "neun " * 6]
TRANSLATIONS = ["one", "two three", "vier", "five", "", "nine " * 5]
LENGTHS = [[1, 1], [2, 2], [1, 1], [1, 3], [0, 1], [5, 6]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    bitext = tmp_path / "bitext"
    bitext.mkdir()
    sets = {"train": ("a\nb\n", "A\nB\n"), "dev": ("c\n", "C\n"), "test": ("d\n", "D\n")}
    for name, (en, de) in sets.items():
        (bitext / f"{name}.en").write_text(en)
        (bitext / f"{name}.de").write_text(de)
    (bitext / "counts.json").write_text('{"tokens": ["test"]}')
    (tmp_path / "text.de").write_text("".join(f"{line}\n" for line in TEXT))
    (tmp_path / "counts.json").write_text("{}")
    return tmp_path


def join(folder: Path, shards: int = 1, **strange: str) -> tuple[str, str]:
    """Both sides of the training set; `strange` is what the last shard says of its maker."""
    (folder / "corpora.yaml").write_text(CORPORA)
    reports = []
    for k in range(shards):
        place = folder / f"{shards}.shard{k}"
        place.mkdir(exist_ok=True)
        lines = shard(TRANSLATIONS, k, shards)
        (place / "translation.txt").write_text("".join(f"{line}\n" for line in lines))
        np.save(place / "lengths.npy", np.array(list(shard(LENGTHS, k, shards)), np.int32))
        reports.append(place / "report.json")
        reports[-1].write_text(json.dumps({"run": "reverse-1", "weights_sha256": "ab", "shard": k}))
    if strange:
        reports[-1].write_text(json.dumps(strange))
    output = folder / "raw" / "counts.json"
    main(
        corpora_file=folder / "corpora.yaml",
        corpus="more.en-de",
        bitext=folder / "bitext",
        text=folder / "text.de",
        reports=tuple(reports),
        output=output,
    )
    return tuple((output.with_name(f"train.{side}")).read_text() for side in ("en", "de"))


def counts(folder: Path) -> dict:
    return json.loads((folder / "raw" / "counts.json").read_text())


def test_synthetic_pairs_follow_the_bitext(folder: Path) -> None:
    source, target = join(folder)
    assert source == "a\nb\none\ntwo three\n"
    assert target == "A\nB\neins\nzwei drei\n"
    assert counts(folder)["synthetic"]["bitext_pairs"] == 2


@pytest.mark.parametrize("shards", [2, 3, 5])
def test_the_number_of_shards_changes_no_byte(folder: Path, shards: int) -> None:
    assert join(folder, shards) == join(folder)


def test_a_shard_beyond_the_last_is_refused() -> None:
    with pytest.raises(ValueError, match="shard 2: of 2 shards, the last is 1"):
        shard(TEXT, 2, 2)


def test_every_line_of_the_text_is_accounted_for(folder: Path) -> None:
    join(folder)
    found = counts(folder)["synthetic"]
    assert found["dropped"] == {"copied": 1, "ratio": 1, "empty": 1, "too_long": 1}
    assert found["synthetic_pairs"] + sum(found["dropped"].values()) == len(TEXT)


def test_dev_and_test_are_those_of_the_bitext(folder: Path) -> None:
    join(folder)
    for name in ("dev.en", "dev.de", "test.en", "test.de"):
        assert (folder / "raw" / name).read_bytes() == (folder / "bitext" / name).read_bytes()
    assert counts(folder)["tokens"] == ["test"]


def test_shards_of_different_weights_are_refused(folder: Path) -> None:
    with pytest.raises(ValueError, match="delete the older one"):
        join(folder, 2, run="reverse-1", weights_sha256="cd")
    assert not (folder / "raw" / "counts.json").exists()


@pytest.mark.parametrize("lengths", [(3, 1), (1, 2), (0, 1), (2, 2, 0), (4, 2, 3)])
def test_shards_that_are_not_of_one_text_are_refused(lengths: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="from different texts"):
        list(joined([iter("x" * length) for length in lengths]))


def test_a_text_that_has_grown_since_is_refused(folder: Path) -> None:
    (folder / "text.de").write_text("".join(f"{line}\n" for line in [*TEXT, "zehn"]))
    with pytest.raises(ValueError, match="differ in length"):
        join(folder)
