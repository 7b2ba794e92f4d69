"""What a record says of the training, and where several checkpoints were scored."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

import job_files
from deepmt.base.errors import UserError
from deepmt.base.files import commit, write_json
from deepmt.measured.recording import mean
from deepmt.scores.score import Score
from deepmt.train.outcome import Milestone, Outcome, RecordedFailure
from jobs import record
from tiny import tiny_spec


def recorded(folder: Path, outcome: Outcome, **given: Any) -> dict[str, Any]:
    """The record of a training that ended so."""
    write_json(folder / "spec.json", tiny_spec().sections)
    outcome.write(folder / "outcome.json")
    job_files.manifest().write(folder / "manifest.json")
    files = ("spec", "outcome", "manifest", "output")
    paths = {name: folder / f"{name}.json" for name in files}
    record.main(**paths, **{"scores": (), **given}, scale="toy", seed=1)
    return json.loads(paths["output"].read_text())


def test_the_commit_of_a_record_is_that_of_its_training(tmp_path: Path) -> None:
    assert recorded(tmp_path, job_files.outcome(commit="a b+"))["commit"] == "a b+"


def test_a_record_of_another_seed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="--seed 1: the outcome is of seed 5"):
        recorded(tmp_path, job_files.outcome(seed=5))


def test_a_failure_is_kept(tmp_path: Path) -> None:
    assert recorded(tmp_path, job_files.outcome())["failure"] is None
    failure = RecordedFailure(update=90, reason="loss is nan")
    found = recorded(tmp_path, job_files.outcome(outcome="diverged", failure=failure))
    assert found["failure"] == {"update": 90, "reason": "loss is nan", "rows": []}


def test_a_record_says_why_no_commit_is_known(tmp_path: Path, monkeypatch) -> None:
    assert commit(tmp_path).startswith("unknown (fatal: not a git repository")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert commit(Path()) == "unknown (git: No such file or directory)"


def test_a_commit_is_named_by_its_hash_whatever_tags_there_are(tmp_path: Path) -> None:
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(tmp_path)]
    for command in (["init"], ["commit", "--allow-empty", "-m", "a"], ["tag", "-am", "t", "v1"]):
        subprocess.run([*git, *command], check=True, capture_output=True)
    assert re.fullmatch(r"[0-9a-f]{12}", commit(tmp_path))


def test_a_score_is_the_mean_over_checkpoints_and_says_so() -> None:
    scores = [Score(value, "BLEU|13a") for value in (10.0, 11.0, 15.0)]
    assert mean(scores) == Score(12.0, "BLEU|13a|mean of 3 checkpoints")


def test_details_of_bleu_are_averaged_with_it() -> None:
    found = mean([Score(v, "s", (v, v / 2), length_ratio=v / 10) for v in (10.0, 12.0)])
    assert (found.precisions, found.length_ratio) == ((11.0, 5.5), pytest.approx(1.1))


def milestone(**on_dev: float) -> Milestone:
    return Milestone(
        update=20,
        target_tokens=2000,
        train_seconds=1.0,
        core_seconds=1.0,
        averaged_updates=(16, 20),
        dev_perplexities=on_dev,
        file="milestone-20.safetensors",
    )


def test_a_milestone_without_translations_has_the_dev_perplexity_of_its_weights(
    tmp_path: Path,
) -> None:
    """Training chose the mean of checkpoints or the last one by it."""
    outcome = job_files.outcome(milestones=(milestone(mean=7.5, last=7.25),))
    [found] = recorded(tmp_path, outcome)["milestones"]
    assert (found["perplexities"], found["scores"]) == ({"dev": 7.25}, {})


def test_a_milestone_has_what_was_measured_on_its_own_translations(tmp_path: Path) -> None:
    """By split; the end's translations lie in the folder of the seed."""
    scores = []
    for update, split, bleu in ((20, "dev", 11.0), (20, "test", 12.0), (40, "dev", 13.0)):
        scores.append(tmp_path / f"update{update}/scores.{split}.json")
        job_files.scored(split, bleu, perplexities={split: 2 * bleu}).write(scores[-1])
    outcome = job_files.outcome(milestones=(milestone(),))
    found = recorded(tmp_path, outcome, scores=tuple(scores))
    assert (found["scores"], found["perplexities"]) == ({}, {})
    assert found["milestones"] == [
        {
            "update": 20,
            "target_tokens": 2000,
            "train_seconds": 1.0,
            "core_seconds": 1.0,
            "averaged_updates": [16, 20],
            "dev_perplexities": {},
            "perplexities": {"dev": 22.0, "test": 24.0},
            "scores": {"dev": {"bleu": 11.0, "chrf": 11.0}, "test": {"bleu": 12.0, "chrf": 12.0}},
            "length_ratios": {"dev": 1.1, "test": 1.2},
        }
    ]


def test_a_killed_translation_s_sentences_are_not_among_those_that_were_timed(
    tmp_path: Path,
) -> None:
    path = tmp_path / "scores.test.json"
    job_files.scored("test", sentences=500, resumed_sentences=120, seconds=2.0).write(path)
    found = recorded(tmp_path, job_files.outcome(), scores=(path,))["decoding"]
    assert (found["seconds"], found["sentences_per_s"]) == ({"test": 2.0}, {"test": 190.0})


def test_a_record_holds_what_its_command_asked_for_whatever_lies_beside_it(tmp_path: Path) -> None:
    job_files.scored("dev").write(tmp_path / "scores.dev.json")
    found = recorded(tmp_path, job_files.outcome())
    assert (found["scores"], found["perplexities"]) == ({}, {})


@pytest.mark.parametrize(("points", "kept"), [(["."], {"test": "1"}), ([".", "checkpoint2"], {})])
def test_log_probabilities_are_those_of_the_weights_that_give_the_perplexity(
    tmp_path: Path, points: list[str], kept: dict[str, str]
) -> None:
    """None gives a mean of perplexities over checkpoints."""
    paths = [tmp_path / point / "scores.test.json" for point in points]
    for path in paths:
        job_files.scored("test").write(path)
    found = recorded(tmp_path, job_files.outcome(), scores=tuple(paths))
    assert (found["log_probabilities"], found["reference_tokens"]) == (kept, {"test": 40})


def test_translations_of_an_earlier_version_have_no_log_probabilities(tmp_path: Path) -> None:
    path = tmp_path / "scores.test.json"
    older = {"sha256": {"hyp.test.txt": "0"}, "reference_tokens": {}}
    job_files.scored("test", **older).write(path)
    found = recorded(tmp_path, job_files.outcome(), scores=(path,))
    assert (found["log_probabilities"], found["reference_tokens"]) == ({}, {})
