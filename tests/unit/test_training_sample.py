"""A sample of the training set is what a model was trained on, and the same for every run."""

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from deepmt.data.dataset import Dataset
from deepmt.data.training_sample import draw
from deepmt.data.vocabulary import Vocabulary
from deepmt.scores.scored_texts import reference_files
from deepmt.settings.spec import Data
from deepmt.settings.text_steps import SAMPLE, TextSteps
from jobs import encode
from projects import ROOT

STEPS = TextSteps(
    normalise=False, tokenise="none", escape=False, lowercase=True, max_tokens=4, max_ratio=0.0
)
DATA = Data(**asdict(STEPS), corpus="toy.en-de", source="en", target="de", subword="none")


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


def test_encoding_makes_it_a_split_as_large_as_dev_with_its_own_references(raw, tmp_path) -> None:
    dataset = tmp_path / "encoded/dataset"
    dataset.mkdir(parents=True)
    (dataset / "data.json").write_text(json.dumps(asdict(DATA)))
    files = {"data": dataset / "data.json", "raw_dir": raw["en"].parent}
    encode.main(corpora_file=ROOT / "corpora.yaml", **files)
    assert json.loads((dataset / "manifest.json").read_text())["splits"][SAMPLE]["sentences"] == 8
    vocabulary = Vocabulary.load(dataset / "vocab.de")
    ids = Dataset(dataset).pair(SAMPLE).target
    texts = {k: path.read_text() for k, path in reference_files(Dataset(dataset), SAMPLE).items()}
    assert set(texts["reference"].splitlines()) < set(raw["de"].read_text().splitlines())
    assert texts["tokenised_reference"] == texts["reference"].lower()
    encoded = [" ".join(vocabulary.decode(line)) for line in ids]
    assert encoded == texts["tokenised_reference"].splitlines()
