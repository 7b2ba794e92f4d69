"""What a record says of the training, and where several checkpoints were scored."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from deepmt.measured.measured_splits import mean

from deepmt.base.files import commit, read_json, write_hashed_json
from jobs import record
from tiny import tiny_spec

OUTCOME: dict[str, Any] = dict.fromkeys(record.FROM_OUTCOME) | {
    "target_tokens_per_s": 1.0,
    "train_seconds": 1.0,
    "micro_tokens": 60,
    "padding": 0.1,
    "software": {},
    "code": "1234",
}


def recorded(folder: Path, outcome: dict[str, Any], **given: Any) -> dict[str, Any]:
    """The record of a training that ended so."""
    files = {
        "spec": tiny_spec().sections,
        "outcome": outcome,
        "manifest": {"note": "invented", "sha256": {}},
    }
    for name, value in files.items():
        write_hashed_json(folder / f"{name}.json", value)
    paths = {name: folder / f"{name}.json" for name in (*files, "output")}
    record.main(**paths, **{"scores": (), **given}, scale="toy", seed=1)
    return json.loads(paths["output"].read_text())


def test_the_commit_of_a_record_is_that_of_its_training(tmp_path: Path) -> None:
    assert recorded(tmp_path, OUTCOME | {"commit": "a b+"})["commit"] == "a b+"


def test_a_failure_is_kept(tmp_path: Path) -> None:
    found = recorded(tmp_path, OUTCOME)
    assert found["failure"] is None
    failure = {"update": 90, "reason": "loss is nan", "rows": []}
    found = recorded(tmp_path, OUTCOME | {"outcome": "diverged", "failure": failure})
    assert found["failure"] == failure


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
    scores = [{"bleu": {"value": value, "signature": "BLEU|13a"}} for value in (10.0, 11.0, 15.0)]
    assert mean(scores) == {"bleu": {"value": 12.0, "signature": "BLEU|13a|mean of 3 checkpoints"}}


def test_details_of_bleu_are_averaged_with_it() -> None:
    scores = [
        {"bleu": {"value": v, "signature": "s", "precisions": [v, v / 2], "length_ratio": v / 10}}
        for v in (10.0, 12.0)
    ]
    found = mean(scores)["bleu"]
    assert (found["precisions"], found["length_ratio"]) == ([11.0, 5.5], pytest.approx(1.1))


MILESTONE = {"update": 20, "averaged_updates": [16, 20], "file": "milestone-20.safetensors"}


def test_a_milestone_without_translations_has_the_dev_perplexity_of_its_weights(
    tmp_path: Path,
) -> None:
    """Training chose the mean of checkpoints or the last one by it."""
    on_dev = {"mean": 7.5, "last": 7.25}
    outcome = OUTCOME | {"milestones": [MILESTONE | {"dev_perplexities": on_dev}]}
    [found] = recorded(tmp_path, outcome)["milestones"]
    assert (found["perplexities"], found["scores"]) == ({"dev": 7.25}, {})


def test_a_milestone_has_what_was_measured_on_its_own_translations(tmp_path: Path) -> None:
    """By split; the end's translations lie in the folder of the seed."""
    milestone = MILESTONE | {"dev_perplexities": {}}
    scores = []
    for update, split, bleu in ((20, "dev", 11.0), (20, "test", 12.0), (40, "dev", 13.0)):
        folder = tmp_path / f"update{update}"
        found = {"bleu": {"value": bleu, "signature": "s", "length_ratio": bleu / 10}}
        scores.append(folder / f"scores.{split}.json")
        perplexities = {split: 2 * bleu}
        write_hashed_json(
            scores[-1], {"split": split, "scores": found, "perplexities": perplexities}
        )
    outcome = OUTCOME | {"milestones": [milestone]}
    found = recorded(tmp_path, outcome, scores=tuple(scores))
    assert (found["scores"], found["perplexities"]) == ({}, {})
    assert found["milestones"] == [
        {
            "update": 20,
            "averaged_updates": [16, 20],
            "dev_perplexities": {},
            "perplexities": {"dev": 22.0, "test": 24.0},
            "scores": {"dev": {"bleu": 11.0}, "test": {"bleu": 12.0}},
            "length_ratios": {"dev": 1.1, "test": 1.2},
        }
    ]


def test_a_killed_translation_s_sentences_are_not_among_those_that_were_timed() -> None:
    assert record.timed({"sentences": 500, "resumed_sentences": 0}) == 500
    assert record.timed({"sentences": 500, "resumed_sentences": 120}) == 380


def scored(folder: Path, *splits: str, value: float = 20.0) -> list[Path]:
    """Score splits of one checkpoint; the scores are no older than the weights."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.safetensors").touch()
    for split in splits:
        report: dict[str, Any] = {
            "scores": {m: {"value": value, "signature": "s"} for m in ("bleu", "chrf")}
        }
        report |= {"split": split, "seconds": 1.0, "sentences": 5, "resumed_sentences": 0}
        report |= {"engine": "ours"}
        report |= {"perplexities": {split: value}, "code": "1", "reference_tokens": {split: 40}}
        report |= {"sha256": {f"hyp.{split}.txt": "0", f"logprobs.{split}.csv": "1"}}
        write_hashed_json(folder / f"scores.{split}.json", report)
    return [folder / f"scores.{split}.json" for split in splits]


def test_a_record_holds_what_its_command_asked_for_whatever_lies_beside_it(tmp_path: Path) -> None:
    report = {"split": "dev", "scores": {"bleu": {"value": 20.0}}, "perplexities": {"dev": 7.5}}
    write_hashed_json(tmp_path / "scores.dev.json", report)
    found = recorded(tmp_path, OUTCOME)
    assert (found["scores"], found["perplexities"]) == ({}, {})


@pytest.mark.parametrize(("points", "kept"), [(["."], {"test": "1"}), ([".", "checkpoint2"], {})])
def test_log_probabilities_are_those_of_the_weights_that_give_the_perplexity(
    tmp_path: Path, points: list[str], kept: dict[str, str]
) -> None:
    """None gives a mean of perplexities over checkpoints."""
    paths = [path for point in points for path in scored(tmp_path / point, "test")]
    found = recorded(tmp_path, OUTCOME, scores=tuple(paths))
    assert (found["log_probabilities"], found["reference_tokens"]) == (kept, {"test": 40})


def test_translations_of_an_earlier_version_have_no_log_probabilities(tmp_path: Path) -> None:
    [path] = scored(tmp_path, "test")
    report = read_json(path)
    write_hashed_json(path, {**report, "sha256": {"hyp.test.txt": "0"}, "reference_tokens": {}})
    found = recorded(tmp_path, OUTCOME, scores=(path,))
    assert (found["log_probabilities"], found["reference_tokens"]) == ({}, {})
