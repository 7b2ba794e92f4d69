"""The page of a user's text says how good the best model is, how to use it, what would help."""

from dataclasses import replace
from pathlib import Path

import invented
import pytest
from invented import SPECS, curves_of
from test_example_sentences import raw
from test_statistics import built

from deepmt.base.files import sha256
from deepmt.measured.table import Measured
from deepmt.measured.training_curves import TrainingCurves
from wings.text.text_answer import more_hours, opening, text_answer


def results(root: Path, **dev: float) -> Measured:
    for row, perplexity in dev.items():
        record = invented.record(f"p.{row}", 1, bleu=20.0, perplexities={"dev": perplexity})
        invented.write_result(root, record)
    return invented.results(root, depths={"shallow": 2})


@pytest.mark.parametrize("exports", [True, False])
def test_the_model_with_the_lowest_perplexity_on_dev_is_shown(
    exports: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wings.text.text_answer.EXPORTS", exports)
    known = results(tmp_path, r1=9.0, r2=4.0)
    sizes = {"train": 12345, "test": 600}
    dataset = SPECS["p.r1"].dataset
    splits = [built(dataset, split=name, sentences=size) for name, size in sizes.items()]
    answer = text_answer(invented.PAPER, known, splits)
    begins = opening(invented.PAPER, known, splits, tmp_path)
    assert begins
    assert answer
    assert answer.run == SPECS["p.r2"].run
    assert answer.system.startswith("12+12 ")
    assert (answer.tested, answer.pairs) == (600, 12345)
    page = begins.html
    assert all(f'<h2 id="{id}">' in page for id in begins.links)
    assert "20.0 BLEU, 50.0 chrF on your test set of 600 sentences" in page
    assert f"--scale {answer.scale} --run {answer.run} &lt; mine.en &gt; mine.de" in page
    assert "the mean of the checkpoints up to update" in page
    assert f"runs/{answer.run}/seed1/model.safetensors" in page
    assert "It learned from 12,345 pairs" in page
    assert ("./deepmt run --cores all export" in page) == exports
    assert (f"results/{answer.scale}/translator" in page) == exports
    assert ("No model can leave this project" in page) != exports
    assert "claim" not in page.lower()


def test_there_is_no_answer_before_a_seed_has_ended(tmp_path: Path) -> None:
    assert opening(invented.PAPER, invented.results(tmp_path), [], tmp_path) is None


@pytest.mark.parametrize(
    ("dev", "said"),
    [
        ((9.0, 5.0, 4.0), "was 5.00 before, and 4.00 at the end: it still learns"),
        ((9.0, 4.0, 3.99), "more hours help little"),
        ((9.0, 4.0, 4.5), "was 4.00 before, and 4.50 at the end: it has begun to learn by heart"),
        ((4.0,), "Whether it still learns was not measured."),
    ],
)
def test_the_course_on_dev_says_what_more_hours_would_do(
    tmp_path: Path, dev: tuple[float, ...], said: str
) -> None:
    course = {"update": [*range(1, len(dev) + 1)], "ppl": [*dev]}
    known = invented.results(tmp_path, curves=(TrainingCurves(**curves_of("p.r1", dev=course)),))
    run = SPECS["p.r1"].run
    assert said in more_hours(known, run, 1, 2000)
    after_few = more_hours(known, run, 1, 100)
    assert ("some systems need 1,500" in after_few) != ("by heart" in after_few)


def test_the_sentences_begin_with_the_best_model_whatever_its_table(tmp_path: Path) -> None:
    for row, dev in {"p.r1": 9.0, "p.r2": 4.0}.items():
        told = {"bleu": 20.0, "perplexities": {"dev": dev}}
        stored = invented.write_result(tmp_path, invented.record(row, **told)).parent
        (stored / "hyp.test.txt").write_text(f"by {row}\n" * 12)
        hashes = {"test": sha256(stored / "hyp.test.txt")}
        found = invented.record(row, **told, hypotheses=hashes)
        (stored / "record.json").write_text(invented.line(found))
    raw(tmp_path)
    [table] = invented.PAPER.tables
    tables = replace(table, rows=table.rows[:1]), replace(table, rows=table.rows[1:2])
    paper = replace(invented.PAPER, tables=tables)
    begins = opening(paper, invented.results(tmp_path, depths={"shallow": 2}), [], tmp_path)
    assert begins
    assert "sentences" in begins.links
    assert 0 < begins.html.index("by p.r2") < begins.html.index("by p.r1")
