"""Files between jobs are read as they were written, or refused with file, key, rule and remedy."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import invented
import pytest
from pydantic import TypeAdapter

import job_files
from deepmt.base.files import json_text, read_json, write_hashed_json
from deepmt.data.manifest import Manifest
from deepmt.measured.decoded import Decoded
from deepmt.measured.records import Record
from deepmt.measured.scored import Scored
from deepmt.scores.score import Score
from deepmt.settings.seed_folder import SeedFolder, seeds_in
from deepmt.settings.typed_file import SeedFile, TypedFile
from deepmt.train.outcome import Milestone, Outcome, RecordedFailure
from projects import ROOT

RUN = "post-2-2-d64-toy.en-de-8545e1a8"
OWN = {"run": RUN, "spec_sha256": "8545e1a8" * 8, "seed": 1}
MILESTONE = Milestone(
    update=20,
    target_tokens=2000,
    train_seconds=1.0,
    core_seconds=1.0,
    averaged_updates=(16, 20),
    dev_perplexities={"mean": 7.5},
    file="milestone-20.safetensors",
)
FAILURE = RecordedFailure(update=9, reason="loss is nan", rows=(3, 5))
FILES: dict[str, TypedFile] = {
    "manifest": job_files.manifest(sha256={"vocab.en": "0"}),
    "outcome": job_files.outcome(milestones=(MILESTONE,), **OWN),
    "a failure": job_files.outcome(outcome="stalled", failure=FAILURE, train_loss=None),
    "decoded": job_files.decoded("test", **OWN),
    "scored": job_files.scored("test", scores={"bleu": Score(20.0, "s", (50.0, 25.0), 0.5)}),
}


@pytest.mark.parametrize("file", FILES.values(), ids=FILES)
def test_a_file_is_read_as_it_was_written(file: TypedFile, tmp_path: Path) -> None:
    file.write(tmp_path / "file.json")
    assert type(file).read(tmp_path / "file.json") == file


def test_a_file_lacks_what_it_does_not_say(tmp_path: Path) -> None:
    """Older files name no seed, and chrF has no precisions."""
    assert job_files.outcome().content.keys().isdisjoint(OWN)
    assert job_files.outcome(**OWN).content.items() >= OWN.items()
    assert job_files.scored("test", scores={"chrf": Score(20.0, "s")}).content["scores"] == {
        "chrf": {"value": 20.0, "signature": "s"}
    }


def test_older_files_are_read(tmp_path: Path) -> None:
    """Those of 0.1, which lack what came later."""
    younger = {
        Outcome: {"milestones", "core_seconds", "initial_weights"},
        Scored: {"cut", "reference_tokens", "references"},
    }
    for kind, file in ((Outcome, FILES["outcome"]), (Scored, FILES["scored"])):
        kept = {k: v for k, v in file.content.items() if k not in younger[kind] | OWN.keys()}
        write_hashed_json(tmp_path / "file.json", kept | {"engine": "ours"})
        found = kind.read(tmp_path / "file.json").content
        assert json_text({k: found[k] for k in kept}) == json_text(kept)


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (lambda path: path.write_text("{"), r"is damaged \(Expecting"),
        (lambda path: path.write_text("{}"), r"is damaged \(it holds no hash"),
        (lambda path: path.unlink(), r"cannot be read \(No such file"),
        (
            lambda path: write_hashed_json(path, {**read_json(path), "beam": "four"}),
            r"is damaged \(beam: 'four' should be a valid integer\)",
        ),
        (
            lambda path: write_hashed_json(
                path, {k: v for k, v in read_json(path).items() if k != "split"}
            ),
            r"is damaged \(split: is required and not set\)",
        ),
    ],
)
def test_a_damaged_file_is_named_with_key_rule_and_remedy(
    damage: Callable[[Path], Any], why: str, tmp_path: Path
) -> None:
    path = tmp_path / "decoding.test.json"
    job_files.decoded("test").write(path)
    damage(path)
    with pytest.raises(ValueError, match=rf"{path} {why}.*; delete it and run again"):
        Decoded.read(path)


@pytest.mark.parametrize("name", ["seed1/outcome.json", "seed1/update20/decoding.test.json"])
def test_the_file_of_another_seed_is_refused_with_both_names(name: str, tmp_path: Path) -> None:
    path = tmp_path / "runs" / RUN / name
    kind, make = (
        (Outcome, job_files.outcome)
        if "outcome" in name
        else (Decoded, lambda **own: job_files.decoded("test", **own))
    )
    make(**OWN).write(path)
    assert kind.read(path).seed == 1
    make(**{**OWN, "seed": 2}).write(path)
    with pytest.raises(ValueError, match=rf"is of seed 2 of {RUN}, not of seed 1 of {RUN}; delete"):
        kind.read(path)
    make(**{**OWN, "run": "another"}).write(path)
    with pytest.raises(ValueError, match=rf"is of seed 1 of another, not of seed 1 of {RUN}"):
        kind.read(path)
    make().write(path)  # of an earlier version
    assert kind.read(path).seed is None


def test_a_recorded_line_keeps_its_bytes() -> None:
    """Every record in git that has all keys of today is written as it was."""
    reader, whole = TypeAdapter(Record), 0
    for file in ROOT.glob("records/*.jsonl"):
        for line in file.read_text(encoding="utf-8").splitlines():
            known = json.loads(line)
            del known["own_sha256"]
            content = reader.validate_json(line).content
            if content.keys() == known.keys():
                whole += 1
                assert json_text(content) == json_text(known)
    assert whole


def test_more_target_tokens_than_a_small_integer_are_recorded() -> None:
    """100,000 updates of 25,000 tokens."""
    found = invented.record("p.r1", target_tokens=2_500_000_000)
    assert TypeAdapter(Record).validate_json(json.dumps(found)).target_tokens == 2_500_000_000


def test_states_of_before_lists_of_averaged_updates_became_tuples_are_resumed() -> None:
    older = {**asdict(MILESTONE), "averaged_updates": [16, 20]}
    assert TypeAdapter(Milestone).validate_json(json.dumps(older)) == MILESTONE


def test_a_seed_s_folder_is_found_around_its_files(tmp_path: Path) -> None:
    seed = SeedFolder.of(tmp_path / "toy", RUN, 12)
    for path in (seed.path, seed.record, seed.point("update20").scored("test")):
        assert SeedFolder.around(path) == seed
    assert (seed.run, seed.seed, seed.results) == (RUN, 12, tmp_path / "toy")
    assert SeedFolder.around(tmp_path / "runs" / "seed12" / "outcome.json") is None
    assert seeds_in(tmp_path / "toy") == []
    seed.path.mkdir(parents=True)
    assert seeds_in(tmp_path / "toy") == [seed]


def test_all_that_is_of_a_seed_says_so() -> None:
    assert all(issubclass(kind, SeedFile) for kind in (Outcome, Decoded, Scored))
    assert not issubclass(Manifest, SeedFile)
