"""Ids on disk, and the scripts from raw text to them."""

import json
import random
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deepmt.base.files import content_hash, write_hashed_json
from deepmt.data import line_batches
from deepmt.data.dataset import Dataset
from deepmt.data.encode_text import Counts, describe, write_encoded
from deepmt.data.encoded import EncodedText, array_files
from deepmt.data.raw_corpus import RawCorpus
from deepmt.data.vocabulary import SPECIALS, UNK, Vocabulary
from deepmt.measured.encoded_corpora import read_dataset
from deepmt.settings.corpora import load_corpora
from deepmt.settings.spec import Data
from deepmt.settings.text_steps import SAMPLE
from deepmt.train.run_paths import RunPaths
from jobs import encode as encode_script
from projects import ROOT
from tiny import tiny_spec
from tiny_runs import write_manifest

LETTERS = Vocabulary([*SPECIALS, *"abc"])
DATA = {"corpus": "toy.en-de", "source": "en", "target": "de", "normalise": False}
DATA |= {"max_tokens": 10, "max_ratio": 2.0, "merges": 20, "shared_vocabulary": True}


def encode(folder: Path, lines: list[str]) -> EncodedText:
    """Encode and describe a split with two equal sides."""
    for name in ("train.de", "train.en"):
        write_encoded(lines, LETTERS, folder / "ids", name)
    write_manifest(folder)
    return Dataset(folder).pair("train").target


@given(lines=st.lists(st.lists(st.sampled_from("abcd"), max_size=5), min_size=1))
@settings(max_examples=50)
def test_sentences_come_back(
    tmp_path_factory: pytest.TempPathFactory, lines: list[list[str]]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(line_batches, "LINES", 3)
        text = encode(tmp_path_factory.mktemp("ids"), [" ".join(line) for line in lines])
    assert [sentence.tolist() for sentence in text] == [LETTERS.encode(line) for line in lines]
    assert text.lengths.tolist() == [len(line) for line in lines]


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_files_are_those_that_numpy_writes_whatever_the_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, processes: int
) -> None:
    monkeypatch.setattr(line_batches, "LINES", 2)
    lines = ["a b", "", "c x", "b", ""]
    counts = write_encoded(lines, LETTERS, tmp_path, "train.de", processes)
    np.save(tmp_path / "ids.npy", np.array([3, 4, 5, UNK, 4], dtype=np.uint16))
    np.save(tmp_path / "offsets.npy", np.array([0, 2, 2, 4, 5, 5]))
    assert counts == Counts(sentences=5, tokens=5, unknown=1)
    for name in ("ids.npy", "offsets.npy"):
        assert (tmp_path / f"train.de.{name}").read_bytes() == (tmp_path / name).read_bytes()


def test_a_large_vocabulary_takes_four_bytes_an_id(tmp_path: Path) -> None:
    large = Vocabulary([*SPECIALS, *map(str, range(70_000))])
    counts = write_encoded(["69999 0"], large, tmp_path / "ids", "test.de")
    text = EncodedText.open(*array_files(tmp_path / "ids", "test.de"))
    assert (counts.sentences, counts.tokens, counts.unknown) == (1, 2, 0)
    assert text.ids.dtype == np.uint32
    assert large.decode(text[0]) == ["69999", "0"]


ARRAYS = ("ids/train.de.ids.npy", "ids/train.de.offsets.npy")
DAMAGES = [*product((*ARRAYS, "manifest.json"), ("flip", "cut", "empty"))]
DAMAGES += [(array, "lose") for array in ARRAYS]  # without a manifest, Snakemake encodes the text


@pytest.mark.parametrize(("damaged", "damage"), DAMAGES)
def test_damage_is_refused_with_file_and_remedy(tmp_path: Path, damaged: str, damage: str) -> None:
    encode(tmp_path, ["a b c"] * 9)
    path = tmp_path / damaged
    content = path.read_bytes()
    place = random.Random(f"{damaged} {damage}").randrange(len(content))
    if damage == "lose":
        path.unlink()
    else:
        flipped = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        path.write_bytes({"flip": flipped, "cut": content[:place], "empty": b""}[damage])
    with pytest.raises(ValueError, match="; delete ") as refusal:
        Dataset(tmp_path).pair("train")
    assert f"delete {tmp_path} and run again" in str(refusal.value)
    assert str(path) in str(refusal.value)


def test_sides_of_different_length_are_not_described(tmp_path: Path) -> None:
    data = Data(**DATA)
    vocabularies = dict.fromkeys(data.languages, LETTERS)
    sides = {
        language: write_encoded(["a"] * lines, LETTERS, tmp_path / "ids", f"train.{language}")
        for language, lines in (("en", 2), ("de", 1))
    }
    corpus = load_corpora(ROOT / "corpora.yaml").corpus(data.corpus)
    with pytest.raises(ValueError, match="train has 2 source and 1 target sentences"):
        describe(corpus, data, tmp_path, {"train": sides}, vocabularies)


@pytest.mark.parametrize("split", ["none", "../x"])
def test_a_split_that_is_not_there_is_no_damage(folder: Path, split: str) -> None:
    build(folder)
    said = rf"^{folder}: unknown split '{split}' \(allowed: dev, test, train, train_sample\)$"
    for opened in (Dataset(folder).pair, lambda name: Dataset(folder).tokens(name, "de")):
        with pytest.raises(ValueError, match=said):
            opened(split)
    RawCorpus(folder / "raw").describe({"dev": 3, "test": 3, "train": 3}, ("en", "de"))
    with pytest.raises(ValueError, match=rf"^{folder}/raw: unknown split '{split}' "):
        RawCorpus(folder / "raw").file(split, "de")


def test_what_an_earlier_version_did_not_hash_is_not_compared(folder: Path) -> None:
    build(folder)
    manifest = Dataset(folder).manifest
    replace(manifest, text_sha256=None).write(folder / "manifest.json")
    (folder / "tok/test.de").write_text("other\n")
    assert Dataset(folder).tokens("test", "de").read_text() == "other\n"
    assert Dataset(folder).counted["words"]
    (folder / "codes.joint").write_text("#version: 0.2\na b\n")
    with pytest.raises(ValueError, match=r"codes\.joint is damaged"):
        Dataset(folder).segmenter("de")


def test_records_and_trainings_name_the_files_that_they_always_named(folder: Path) -> None:
    """A state of an earlier version continues, and records keep their bytes."""
    build(folder)
    dataset = Dataset(folder)
    paths = RunPaths(spec=folder / "s", dataset=folder, init=folder / "i", output=folder / "o")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("deepmt.train.run_paths.kept_hash", lambda path: "")
        patch.setattr("deepmt.train.run_paths.read_spec", lambda path: tiny_spec())
        now = paths.fingerprint(1)["data"]
        content = {key: v for key, v in dataset.manifest.content.items() if key != "text_sha256"}
        write_hashed_json(folder / "manifest.json", content)
        assert paths.fingerprint(1)["data"] == content_hash(content) == now
    assert {name.split("/")[0].split(".")[0] for name in dataset.manifest.sha256} == {
        *("codes", "ids", "vocab"),
    }


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "raw").mkdir()
    (tmp_path / "raw" / "counts.json").write_text("{}")
    (tmp_path / "data.json").write_text(json.dumps(DATA))
    sentences = {
        "en": "The old house.\n\nLow, lower.\n",
        "de": "Das alte Haus.\nx\nTief, tiefer.\n",
    }
    for language, text in sentences.items():
        for name in ("train", "dev", "test"):
            (tmp_path / "raw" / f"{name}.{language}").write_text(text)
    return tmp_path


def build(folder: Path, threads: int = 1) -> dict[str, Any]:
    files = {"data": folder / "data.json", "raw_dir": folder / "raw"}
    encode_script.main(corpora_file=ROOT / "corpora.yaml", **files, threads=threads)
    return dict(json.loads((folder / "manifest.json").read_text(encoding="utf-8")))


def test_the_scripts_lead_from_raw_text_to_ids(folder: Path) -> None:
    manifest = build(folder)
    pair = Dataset(folder).pair("test")
    segmented = (folder / "bpe" / "test.de").read_text(encoding="utf-8").split("\n")
    vocabulary = Vocabulary.load(folder / "vocab.de")
    assert vocabulary.decode(pair.target[0]) == segmented[0].split()
    assert (len(pair), len(pair.source[1])) == (3, 0)
    assert manifest["splits"]["train"]["sentences"] == 2
    assert manifest["splits"]["test"]["tokens"]["de"] == len(pair.target.ids)
    assert manifest["note"].startswith("Toy corpus")
    dev, test, train, sample = read_dataset(Dataset(folder), folder.parent)
    assert (train.split, train.source, train.target, train.sentences) == ("train", "en", "de", 2)
    # Words are what spaces part before subwords; cleaning drops training pairs alone.
    assert (train.source_words, train.target_words, dev.target_words) == (8, 8, 9)
    assert (train.dropped, test.dropped) == ("1 empty", "")
    assert (sample.split, sample.sentences, sample.dropped) == (SAMPLE, 2, "")
    assert train.source_merges == train.target_merges == merges(folder / "codes.joint") > 0
    assert test.source_subwords == len(pair.source.ids)
    assert test.source_unknown == (pair.source.ids == UNK).mean()
    assert train.licence == load_corpora(ROOT / "corpora.yaml").corpus("toy.en-de").licence


def merges(codes: Path) -> int:
    """Count the lines of a file of merges below the first, which names the version."""
    return codes.read_text().count("\n") - 1


@pytest.mark.parametrize("subword", ["none", "bpe"])
def test_merges_are_those_that_were_learned_by_side(folder: Path, subword: str) -> None:
    changed = {"joint": False, "subword": subword, "shared_vocabulary": False}
    (folder / "data.json").write_text(json.dumps(DATA | changed))
    for path in (folder / "raw").glob("train.*"):
        path.write_text(path.read_text() * 5)
    build(folder)
    [train] = (
        line for line in read_dataset(Dataset(folder), folder.parent) if line.split == "train"
    )
    learned = train.source_merges, train.target_merges
    codes = [folder / f"codes.{language}" for language in ("en", "de")]
    assert learned == ((None, None) if subword == "none" else tuple(map(merges, codes)))


@pytest.mark.slow
def test_all_stages_give_the_same_sums_on_several_processes(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = build(folder)["sha256"]
    monkeypatch.setattr(line_batches, "LINES", 1)
    assert build(folder, threads=2)["sha256"] == alone


def test_cleaning_on_subwords_keeps_tokens_and_ids_aligned(folder: Path) -> None:
    changed = {"clean_on": "subwords", "max_tokens": 30, "max_ratio": 0.0}
    (folder / "data.json").write_text(json.dumps(DATA | changed))
    manifest = build(folder)
    for language in ("en", "de"):
        tokens = (folder / "tok" / f"train.{language}").read_text(encoding="utf-8").split("\n")
        assert len(tokens) - 1 == manifest["splits"]["train"]["sentences"] == 2
        uncleaned = folder / "tok" / "uncleaned" / f"train.{language}"
        assert uncleaned.read_text(encoding="utf-8").count("\n") == 3
    counted = json.loads((folder / "words.json").read_text())["cleaning"]
    assert counted["train"] == {"kept": 2, "empty": 1}
    assert manifest["splits"]["dev"]["sentences"] == 3
