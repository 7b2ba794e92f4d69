"""A sample of the training set is what a model was trained on, and the same for every run."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from deepmt.data.data_settings import folder_of, raw_folder_of
from deepmt.data.encoded import EncodedPair, EncodedText
from deepmt.data.training_sample import draw
from deepmt.data.vocabulary import Vocabulary
from deepmt.settings.spec import Data
from deepmt.settings.text_steps import TextSteps
from tiny_runs import run_here

STEPS = TextSteps(
    normalise=False, tokenise="none", escape=False, lowercase=True, max_tokens=4, max_ratio=0.0
)
DATA = Data(**asdict(STEPS), corpus="tiny.en-de", source="en", target="de", subword="none")


@pytest.fixture
def raw(tmp_path: Path) -> dict[str, Path]:
    """Sixty pairs, every third too long to be trained on."""
    folder = tmp_path / "raw"
    folder.mkdir()
    (folder / "counts.json").write_text("{}")
    paths = {language: folder / f"train.{language}" for language in ("en", "de")}
    for language, path in paths.items():
        lines = [
            f"{language.title()} W{i}" + " und" * (5 if i % 3 == 0 else i % 2) for i in range(60)
        ]
        path.write_text("".join(f"{line}\n" for line in lines))
        (folder / f"dev.{language}").write_text("a\n" * 8)
    return paths


def test_the_draw_is_the_same_every_time_and_keeps_the_order_of_the_text(raw) -> None:
    pairs, tokenised = draw(raw, STEPS, 10)
    assert draw(raw, STEPS, 10) == (pairs, tokenised)
    numbers = [int(source.split()[1][1:]) for source, _ in pairs]
    assert numbers == sorted(set(numbers))
    assert len(numbers) == 10


def test_only_pairs_that_cleaning_keeps_are_drawn_and_both_sides_belong_together(raw) -> None:
    pairs, tokenised = draw(raw, STEPS, 40)
    assert len(pairs) == 40
    for (source, target), tokens in zip(pairs, tokenised, strict=True):
        assert int(source.split()[1][1:]) % 3
        assert source.split()[1] == target.split()[1]
        assert tokens == (source.lower(), target.lower())


def test_the_training_set_alone_is_replaced_by_its_sample() -> None:
    dataset, corpus = Path("encoded"), Path("corpus")
    assert folder_of(dataset, "train") == dataset / "sample"
    assert raw_folder_of(dataset, corpus, "train") == dataset / "sample" / "raw"
    assert folder_of(dataset, "dev") == dataset
    assert raw_folder_of(dataset, corpus, "dev") == corpus


def test_the_script_writes_a_set_as_large_as_dev_like_any_other(raw, tmp_path) -> None:
    dataset = tmp_path / "dataset"
    dataset.mkdir()
    (dataset / "data.json").write_text(json.dumps(asdict(DATA)))
    words = [f"w{i}" for i in range(60)] + ["en", "de", "und"]
    for language in ("en", "de"):
        Vocabulary.from_counts(dict.fromkeys(words, 1)).save(dataset / f"vocab.{language}")
    output = dataset / "sample" / "manifest.json"
    flags = ["--dataset", dataset, "--raw-dir", raw["en"].parent, "--output", output]
    run_here("jobs.training_sample", *flags)
    pair = EncodedPair(dataset / "sample" / "ids", "train", "en", "de")
    assert json.loads(output.read_text())["pairs"] == len(pair)
    assert len(pair) == 8
    text = (dataset / "sample" / "tok" / "train.de").read_text().split("\n")[0].split()
    ids = EncodedText.open(dataset / "sample" / "ids", "train", "de")[0]
    assert Vocabulary.load(dataset / "vocab.de").decode(ids) == text
