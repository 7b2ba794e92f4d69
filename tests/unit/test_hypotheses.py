"""Hypotheses of recorded seeds are kept, and score as their records say."""

import hashlib
import lzma
from pathlib import Path
from typing import Any

import invented
import pytest
from sacrebleu.metrics import BLEU, CHRF

import projects
from deepmt.measured.hypotheses import (
    hypotheses_of,
    path_of,
    read_hypotheses,
    write_hypotheses,
)
from deepmt.measured.record_archive import scale_of
from deepmt.measured.records import Record, read_records
from deepmt.measured.table import gather
from deepmt.scores.score import Score
from deepmt.scores.scored_texts import Texts
from deepmt.scores.scores import score_texts
from projects import ROOT

LINES = ["Ein Hund läuft\u2028 .", "", "\u00a0Zwei Männer sitzen auf einer Bank ."]
"""A line separator that is no line end, an empty hypothesis, a no-break space at the start."""


def recorded(folder: Path, **texts: list[str]) -> dict[str, Any]:
    """Write translations; return what the record of their seed says of them."""
    digests = {}
    for split, lines in texts.items():
        text = "".join(f"{line}\n" for line in lines).encode()
        (folder / f"hyp.{split}.txt").write_bytes(text)
        digests[split] = hashlib.sha256(text).hexdigest()
    return {"run": "post-2-2-d16-tiny.en-de-12345678", "seed": 3, "hypotheses": digests}


def archive(record: dict[str, Any], folder: Path) -> None:
    lines = hypotheses_of(record, folder)
    write_hypotheses(lines, record["run"], record["seed"], folder / "records")


def read(record: dict[str, Any], archive: Path) -> dict[str, list[str]]:
    return read_hypotheses(archive, record["run"], record["seed"], record["hypotheses"])


def test_hypotheses_are_read_as_they_were(tmp_path: Path) -> None:
    record = recorded(tmp_path, dev=LINES, test=LINES[::-1])
    archive(record, tmp_path)
    assert read(record, tmp_path / "records") == {"dev": LINES, "test": LINES[::-1]}


def test_a_newer_record_without_hypotheses_takes_those_of_the_older_one_away(
    tmp_path: Path,
) -> None:
    record = recorded(tmp_path, dev=LINES)
    archive(record, tmp_path)
    archive(record | {"hypotheses": {}}, tmp_path)
    with pytest.raises(ValueError, match=r"missing or damaged.*restore it from git"):
        read(record, tmp_path / "records")


@pytest.mark.parametrize("place", [0, 40, -1])
def test_one_changed_byte_is_found(tmp_path: Path, place: int) -> None:
    record = recorded(tmp_path, dev=LINES)
    archive(record, tmp_path)
    path = path_of(tmp_path / "records", record["run"], 3)
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"seed3\.json\.xz.* damaged"):
        read(record, tmp_path / "records")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("[1]", "damaged"),
        ("3", "damaged"),
        ('{"dev": 3}', "damaged (dev: "),
        ('{"dev": [3]}', "damaged (dev.0: "),
        ("[" * 50_000, "damaged"),
        ("{}", "damaged (it lacks dev)"),
        (None, "missing or damaged"),
    ],
)
def test_a_file_of_another_form_refuses_its_own_record_alone(
    tmp_path: Path, content: str | None, said: str
) -> None:
    """Even if the hash in the record is that of no line at all."""
    plan = projects.plan(scale="toy")
    projects.link(tmp_path, "scales")
    spec = next(iter(plan.specs.values()))
    nothing = {"dev": hashlib.sha256(b"").hexdigest()}
    records = [invented.record_of(spec, 1), invented.record_of(spec, 2, hypotheses=nothing)]
    location = f"{invented.write_archive(tmp_path, *records)}:2"
    path = path_of(tmp_path / "records", spec.run, 2)
    path.parent.mkdir()
    path.write_bytes(lzma.compress((content or "").encode()))
    if content is None:
        path.unlink()
    found = gather(plan, tmp_path, tmp_path / "results")
    [refusal] = found.refusals
    assert [one.seed for one in found.records] == [1]
    assert refusal.message.startswith(f"{location}: {path} is ")
    assert said in refusal.message
    assert "\n" not in refusal.message


@pytest.mark.parametrize("cut", [0, 9])
def test_a_file_that_expands_or_is_cut_is_named(tmp_path: Path, cut: int) -> None:
    record = recorded(tmp_path, dev=LINES)
    archive(record, tmp_path)
    path = path_of(tmp_path / "records", record["run"], 3)
    packed = lzma.compress(b" " * (300 << 20), preset=0)
    path.write_bytes(path.read_bytes()[:-cut] if cut else packed)
    with pytest.raises(ValueError, match=r"xz is missing or damaged \(cut short, or more than"):
        read(record, tmp_path / "records")


@pytest.mark.parametrize("text", [b"Ein\n\xff\n", b"Ein\nHund"])
def test_a_translation_that_is_no_text_is_named_by_its_line(tmp_path: Path, text: bytes) -> None:
    (tmp_path / "hyp.dev.txt").write_bytes(text)
    record = {"run": "r", "seed": 3, "hypotheses": {"dev": hashlib.sha256(text).hexdigest()}}
    with pytest.raises(ValueError, match=r"hyp\.dev\.txt, line 2: "):
        archive(record, tmp_path)


def test_a_translation_that_is_not_the_recorded_one_is_not_archived(tmp_path: Path) -> None:
    record = recorded(tmp_path, dev=LINES)
    (tmp_path / "hyp.dev.txt").write_text("another\n")
    with pytest.raises(ValueError, match=r"hyp\.dev\.txt is damaged"):
        archive(record, tmp_path)


def test_details_of_bleu_are_those_of_sacrebleu() -> None:
    texts = Texts(
        hypotheses=LINES, detokenised=LINES, reference=["Ein Hund läuft .", "Ja .", LINES[2]],
        tokenised_reference=["Ein Hund läuft .", "Ja .", LINES[2]], target_language="de",
    )  # fmt: skip
    expected = BLEU(tokenize="13a").corpus_score(LINES, [texts.reference])
    found = score_texts(texts)["bleu"]
    assert found.value == expected.score
    assert found.precisions == pytest.approx(expected.precisions, abs=1e-4)
    assert found.brevity_penalty == pytest.approx(expected.bp, abs=1e-4)
    assert found.length_ratio == pytest.approx(expected.sys_len / expected.ref_len, abs=1e-4)
    chrf = score_texts(texts)["chrf"]
    assert chrf == Score(chrf.value, chrf.signature)


def archived() -> list[Record]:
    """Return the recorded seeds whose hypotheses are kept and whose references are at hand."""
    found, at_hand = [], {path.parent.name for path in ROOT.glob("data/raw/*/test.*")}
    for scale in sorted({scale_of(path) for path in (ROOT / "records").glob("*.jsonl")}):
        runs = projects.plan(scale=scale).every_run.values()
        specs = [spec for spec in runs if spec.data.corpus in at_hand]
        if not specs:
            continue
        records, _ = read_records(ROOT / "none", ROOT / "records", specs, scale)
        found += [record for record in records if record.hypotheses]
    return found


def test_archived_hypotheses_score_as_recorded() -> None:
    """Where the raw corpus is there; its licence keeps it out of the repository."""
    scored = 0
    for record in archived():
        corpus, target = record.spec["data"]["corpus"], record.spec["data"]["target"]
        texts = read_hypotheses(ROOT / "records", record.run, record.seed, record.hypotheses)
        for split, lines in texts.items():
            reference = ROOT / f"data/raw/{corpus}/{split}.{target}"
            if reference.exists():
                cut = record.spec["data"]["subword"] == "cut"
                text = reference.read_text().replace("@@ " * cut, "")
                gold = [text.split("\n")[:-1]]
                scores = record.scores[split]
                assert BLEU().corpus_score(lines, gold).score == scores["bleu"].value
                assert CHRF().corpus_score(lines, gold).score == scores["chrf"].value
                scored += 1
    if not scored:
        pytest.skip("no hypotheses with their references: `snakemake fetch` gets the corpus")
