"""The translate script: whole or not at all, and on from where it was killed."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch

from deepmt.data.dataset import Dataset
from deepmt.data.vocabulary import EOS, Vocabulary
from deepmt.decode.load_model import plain_model
from deepmt.measured.log_probabilities import LogProbabilities
from deepmt.settings.spec import read_spec
from tiny import tiny_spec
from tiny_runs import kill_halfway, new_run, run_here, write_manifest

OUTPUTS = {"tokenised": "hyp.test.tok.txt", "output": "hyp.test.txt", "report": "decoding.json"}


@pytest.fixture
def run(tmp_path: Path, dataset: Path) -> dict[str, Any]:
    where = new_run(tmp_path / "run", dataset, tiny_spec(data__subword="none"))
    inputs = {"spec": where.spec, "dataset": dataset, "model": where.init}
    inputs |= {"seed": 1, "split": "test"}
    return inputs | {key: where.folder / name for key, name in OUTPUTS.items()}


def words(run: dict[str, Any]) -> list[object]:
    return [word for key, value in run.items() for word in (f"--{key}", value)]


def translate(run: dict[str, Any], *flags: object) -> None:
    run_here("jobs.translate", *words(run), *flags)


def partial(run: dict[str, Any]) -> Path:
    return run["output"].with_suffix(".partial")


def test_a_killed_translation_goes_on_where_it_was(run: dict[str, Any]) -> None:
    translate(run)
    whole = {path: path.read_text() for path in (run["tokenised"], run["output"])}
    kill_halfway(partial(run), "jobs.translate", *words(run), "--batch-size", 1)
    translate(run)
    assert json.loads(run["report"].read_text())["resumed_sentences"] >= 3
    assert {path: path.read_text() for path in whole} == whole
    assert not partial(run).exists()


@pytest.mark.slow
def test_several_processes_translate_as_one_does(run: dict[str, Any]) -> None:
    translate(run)
    alone = run["output"].read_text()
    translate(run, "--workers", 3, "--batch-size", 2)
    assert run["output"].read_text() == alone


@pytest.mark.slow
def test_what_another_program_translated_is_not_taken_over(run: dict[str, Any]) -> None:
    kill_halfway(partial(run), "jobs.translate", *words(run), "--batch-size", 1)
    header, *lines = partial(run).read_text().splitlines(keepends=True)
    other = json.loads(header) | {"code": "0" * 16}
    partial(run).write_text(json.dumps(other, sort_keys=True) + "\n" + "".join(lines))
    translate(run)
    assert json.loads(run["report"].read_text())["resumed_sentences"] == 0


def test_a_model_that_does_not_fit_the_vocabulary_is_refused(run: dict[str, Any]) -> None:
    (run["dataset"] / "vocab.de").write_text("<pad>\n<unk>\n</s>\nw1\n")
    write_manifest(run["dataset"])
    with pytest.raises(ValueError, match=r"init\.safetensors: weights do not fit") as refusal:
        translate(run)
    assert "the model has (4, 16)" in str(refusal.value)
    assert not run["output"].exists()


def test_the_log_probability_of_every_reference_is_that_of_its_tokens_one_by_one(
    run: dict[str, Any],
) -> None:
    """In float64, sum_t log softmax(f(x, y_<t))[y_t] with the end symbol, each sentence alone."""
    spec, pair = read_spec(run["spec"]), Dataset(run["dataset"]).pair("test")
    sizes = [len(Vocabulary.load(run["dataset"] / f"vocab.{x}")) for x in ("en", "de")]
    model = plain_model(spec, sizes, run["model"], "cpu").double().eval()
    translate(run)
    lines = (run["report"].parent / "logprobs.test.csv").read_text().splitlines()
    report = json.loads(run["report"].read_text())
    found = LogProbabilities.of(lines, report["perplexities"]["test"])
    assert found.tokens.tolist() == (pair.target.lengths + 1).tolist()
    for row, log in enumerate(found.sums):
        source, target = ([*side[row].tolist(), EOS] for side in (pair.source, pair.target))
        logits = model.output(model(torch.tensor([source]), torch.tensor([target])))[0]
        expected = sum(logits.log_softmax(-1)[t, y].item() for t, y in enumerate(target))
        assert log == pytest.approx(expected, abs=2e-5)
    perplexity = math.exp(-found.sums.sum() / found.tokens.sum())
    assert report["perplexities"]["test"] == pytest.approx(perplexity, rel=1e-6)
    assert report["reference_tokens"]["test"] == found.tokens.sum()


@pytest.mark.parametrize(("split", "measured"), [("test", ["dev", "test"]), ("dev", ["dev"])])
def test_the_perplexity_of_dev_is_not_measured_with_every_split(
    run: dict[str, Any], split: str, measured: list[str]
) -> None:
    translate(run | {"split": split})
    assert sorted(json.loads(run["report"].read_text())["perplexities"]) == measured
