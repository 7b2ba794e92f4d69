"""The text of Wu et al. (2021) as they cut it: sizes, and what is scored."""

from pathlib import Path

import pytest
import torch

import projects
from deepmt.data.dataset import Dataset
from deepmt.data.subword import Cut, load_segmenter
from deepmt.data.vocabulary import Vocabulary
from deepmt.model.build import build
from deepmt.scores.scored_texts import texts_of
from deepmt.settings.seed_folder import PointFolder
from deepmt.settings.spec import Data
from tiny_runs import write_manifest

SPEC = projects.plan(scale="wu2021", papers="wu2021").specs["wu2021.t1.text-only"]
CLASSES = 9712
"""Of their joined dictionary: 9,708 types of the text and four symbols."""


def test_the_model_has_their_parameters_by_one_type_that_no_text_has() -> None:
    types = {f"type{number}": 1 for number in range(9708)}
    vocabulary = Vocabulary.from_counts(types, unused=SPEC.data.unused_types)
    assert len(vocabulary) == CLASSES
    with torch.device("meta"):
        model = build(SPEC, CLASSES, CLASSES)
    assert sum(weight.numel() for weight in model.parameters()) == 2_568_192


def test_the_row_runs_as_printed_and_no_other_paper_does_there() -> None:
    plan = projects.plan(scale="wu2021", papers="all", rows="all")
    assert {row.partition(".")[0] for row in plan.specs} == {"wu2021"}
    assert projects.plan(scale="wu2021", papers="all").selected == {"wu2021.t1.text-only"}
    assert plan.scale.as_printed
    assert SPEC.training.precision == "float32"


def test_the_toy_lists_the_row_and_trains_no_more_for_it() -> None:
    plan = projects.plan(scale="toy", papers="wu2021,liu2020")
    assert plan.unavailable["wu2021.t1.text-only"] == (
        "the toy scale has no corpus for multi30k-en-de"
    )


@pytest.mark.parametrize(
    ("line", "joined"),
    [("an@@ st@@ arrt", "anstarrt"), ("ein mann .", "ein mann ."), ("halb@@", "halb")],
)
def test_subwords_that_came_with_the_text_stay_and_are_joined(line: str, joined: str) -> None:
    cut = load_segmenter(Data(corpus="c", source="en", target="de", subword="cut"), Path, "de")
    assert isinstance(cut, Cut)
    assert cut.segment(line) == line
    assert cut.undo(line) == joined


def test_references_are_joined_before_they_are_scored(tmp_path: Path) -> None:
    data = Data(corpus="c", source="en", target="de", subword="cut", tokenise="none")
    dataset, seed = tmp_path / "data/encoded/d", tmp_path / "seed1"
    for path in (dataset / "tok/test.de", tmp_path / "data/raw/c/test.de"):
        path.parent.mkdir(parents=True)
        path.write_text("der an@@ st@@ arrt .\n")
    seed.mkdir()
    for name in ("hyp.test.txt", "hyp.test.tok.txt"):
        (seed / name).write_text("der anstarrt .\n")
    (dataset / "ids").mkdir()
    for side in ("ids", "offsets"):
        (dataset / f"ids/test.de.{side}.npy").touch()
    write_manifest(dataset)
    (tmp_path / "data/raw/c/counts.json").write_text("{}")
    texts = texts_of(PointFolder(seed), Dataset(dataset, data), "test")
    assert texts.reference == texts.tokenised_reference == texts.hypotheses == ["der anstarrt ."]
