"""Log probabilities and token counts of references are read from new records and old ones."""

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from invented import record, results, write_result

import job_files
from commands.archive import main
from deepmt.base.files import sha256
from deepmt.measured.log_probabilities import LogProbabilities, file_of
from deepmt.measured.records import read_records
from deepmt.measured.table import with_sentences
from deepmt.measured.teacher_forced import (
    TOKENS,
    ReferenceTokens,
    read_log_probabilities,
    reference_tokens,
    tokens_by_dataset,
)
from deepmt.settings.csv_lines import read_lines, write_lines
from projects import ROOT, plan

LOGS = {
    "dev": LogProbabilities(np.array([-3.5, -20.25, -0.00012]), np.array([2, 9, 1])),
    "test": LogProbabilities(np.array([-7.125]), np.array([3])),
}


PERPLEXITIES = {
    split: float(np.exp(-logs.sums.sum() / logs.tokens.sum())) for split, logs in LOGS.items()
}


def put(folder: Path, seed: int = 1, **changed: str) -> Path:
    """Write a record beside the files of its log probabilities; return its path."""
    texts = {split: "".join(f"{x}\n" for x in logs.lines) for split, logs in LOGS.items()}
    texts |= changed
    digests = {split: hashlib.sha256(text.encode()).hexdigest() for split, text in texts.items()}
    counts = {split: int(logs.tokens.sum()) for split, logs in LOGS.items()}
    known = {"log_probabilities": digests, "reference_tokens": counts}
    path = write_result(folder, record("p.r1", seed, perplexities=PERPLEXITIES, **known))
    for split, text in texts.items():
        path.with_name(file_of(split)).write_text(text)
    return path


def as_lists(found: dict[str, LogProbabilities] | None) -> dict[str, Any]:
    assert found is not None
    return {split: (one.sums.tolist(), one.tokens.tolist()) for split, one in found.items()}


def test_a_seed_trained_here_has_those_beside_its_record(tmp_path: Path) -> None:
    put(tmp_path)
    [found] = results(tmp_path).records
    assert as_lists(read_log_probabilities(found, tmp_path / "records")) == as_lists(LOGS)
    assert reference_tokens(found, tmp_path / "records") == {"dev": 12, "test": 3}


def test_an_archived_seed_has_those_of_the_archive(tmp_path: Path) -> None:
    path = put(tmp_path)
    main(records=(path,), output=tmp_path / "records")
    [found] = results(tmp_path).records
    archived = replace(found, archived=True)
    path.with_name(file_of("dev")).unlink()
    assert as_lists(read_log_probabilities(archived, tmp_path / "records")) == as_lists(LOGS)


def test_changed_log_probabilities_are_found(tmp_path: Path) -> None:
    path = put(tmp_path)
    text = path.with_name(file_of("dev")).read_text()
    path.with_name(file_of("dev")).write_text(text.replace("-3.5", "-3.4"))
    [found] = results(tmp_path).records
    with pytest.raises(ValueError, match=r"logprobs\.dev\.csv is damaged"):
        read_log_probabilities(found, tmp_path / "records")
    with pytest.raises(ValueError, match=r"logprobs\.dev\.csv is damaged"):
        main(records=(path,), output=tmp_path / "records")


WRONG = {
    "not a number": ("-3.50000", "nan", "should be less than or equal to 0"),
    "a probability above one": ("-3.5", "3.5", "should be less than or equal to 0"),
    "infinite": ("-3.50000", "-inf", "should be greater than or equal to"),
    "no tokens": (",2", ",0", "should be greater than or equal to 1"),
    "tokens beyond all text": (",2", f",{10**30}", "should be less than or equal to"),
    "text": ("-3.5", "low", "should be a valid number"),
    "a column more": (",2", ",2,2", "should have at most 2 items"),
    "another sum": ("-3.50000", "-3.40000", "its perplexity is 0.00833 off"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_record_whose_log_probabilities_cannot_be_is_refused_and_others_are_read(
    tmp_path: Path, kind: str
) -> None:
    """Their hash is right: the file was written so."""
    old, new, said = WRONG[kind]
    text = "".join(f"{line}\n" for line in LOGS["dev"].lines)
    put(tmp_path)
    put(tmp_path, 2, dev=text.replace(old, new, 1))
    put(tmp_path, 3, dev=text.partition("\n")[0] + "\n")
    kept, _, refusals = with_sentences(results(tmp_path).records, tmp_path / "records")
    assert [one.seed for one in kept] == [1]
    second, third = [one.message for one in refusals]
    assert said in second
    assert all("logprobs.dev.csv is damaged (" in one for one in (second, third))


def test_a_record_of_other_sentences_is_refused_by_name_and_leaves_the_report(
    tmp_path: Path,
) -> None:
    text = "".join(f"{line}\n" for line in LogProbabilities(LOGS["dev"].sums, [2, 8, 2]).lines)
    path, other = put(tmp_path), put(tmp_path, 2, dev=text)
    kept, _, refusals = with_sentences(results(tmp_path).records, tmp_path / "records")
    assert [one.seed for one in kept] == [1]
    assert [one.message for one in refusals] == [
        f"{other}:1: logprobs.dev.csv has other tokens than that of {path}:1"
    ]


def test_an_older_record_has_none_and_the_tokens_of_its_data(tmp_path: Path) -> None:
    names = {"split": "dev", "dataset": "toy"}
    lines = [ReferenceTokens(**names, tokens=n, offsets_sha256=str(n) * 64) for n in (7, 8)]
    write_lines(ReferenceTokens, lines, tmp_path / "records" / TOKENS)
    job_files.list_hashes(tmp_path / "records")
    sums = {"ids/dev.de.offsets.npy": "8" * 64, "ids/test.de.offsets.npy": "9" * 64}
    write_result(tmp_path, record("p.r1", data={"dataset": "a", "note": "", "sha256": sums}))
    [found] = results(tmp_path).records
    assert read_log_probabilities(found, tmp_path / "records") == {}
    assert reference_tokens(found, tmp_path / "records") == {"dev": 8}
    assert reference_tokens(found, tmp_path) == {}


def test_every_recorded_perplexity_of_the_budget_scale_has_its_tokens() -> None:
    specs = plan(scale="multi30k-budget", papers="unified", rows="all").every_run.values()
    found, _ = read_records(Path("none"), ROOT / "records", specs, "multi30k-budget")
    translated = [one for one in found if one.perplexities]
    assert translated
    for one in translated:
        assert one.perplexities.keys() <= reference_tokens(one, ROOT / "records").keys()


def test_archived_counts_are_those_of_the_encoded_text() -> None:
    """Where it is there; the licences of corpora keep it out of the repository."""
    counted = 0
    for line in read_lines(ReferenceTokens, ROOT / "records" / TOKENS):
        for path in ROOT.glob(f"data/encoded/*/ids/{line.split}.*.offsets.npy"):
            if sha256(path) == line.offsets_sha256:
                offsets = np.load(path)
                assert line.tokens == offsets[-1] + len(offsets) - 1
                counted += 1
    if not counted:
        pytest.skip("no encoded corpus of a record")


def test_a_record_without_translations_hides_no_counts(tmp_path: Path) -> None:
    put(tmp_path)
    write_result(tmp_path, record("p.r1", 2, scores={}, perplexities={"dev": 4.0}))
    found = results(tmp_path).records
    assert [bool(one.reference_tokens) for one in found] == [True, False]
    assert [*tokens_by_dataset(found, tmp_path).values()] == [{"dev": 12, "test": 3}]
