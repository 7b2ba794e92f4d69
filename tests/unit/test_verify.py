"""verify: what became of files that were fetched and extracted."""

import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from deepmt.config.corpora import Archive, Corpora, Corpus, Part
from deepmt.config.synthetic import Monolingual
from deepmt.data.sums import trust_on_first_use
from deepmt.data.verification import Finding, verify

ROOT = Path(__file__).parents[2]
SUMMED = Archive(name="s", sha256=sha256(b"text\n").hexdigest())
UNSUMMED = Archive(name="u")
PARTS = (Part(archive="summed"), Part(archive="unsummed"))
CORPUS = Corpus(
    source="de", target="en", title="", licence="", citation="", note="", sets={"train": PARTS}
)
TEXT = Monolingual(language="de", title="", licence="", citation="", archives=("summed",))
CORPORA = Corpora(
    archives={"summed": SUMMED, "unsummed": UNSUMMED},
    corpora={"some.de-en": CORPUS},
    monolingual={"some.de": TEXT},
)
FILES = (
    "archives/summed", "archives/unsummed", "raw/some.de-en/train.de", "monolingual/some.de/text.de"
)  # fmt: skip


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder in which everything is right."""
    for file in FILES:
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_bytes(b"text\n")
    trust_on_first_use(UNSUMMED, tmp_path / "archives" / "unsummed")
    for file in map(Path, FILES[2:]):
        sums = {"sha256": {file.name: sha256(b"text\n").hexdigest()}}
        (tmp_path / file.with_name("counts.json")).write_text(json.dumps(sums))
    return tmp_path


def found(data: Path) -> dict[str, Finding]:
    return {str(finding.file.relative_to(data)): finding for finding in verify(CORPORA, data)}


def statuses(data: Path) -> dict[str, str]:
    return {file: finding.status for file, finding in found(data).items()}


def test_what_is_right_is_ok(data: Path) -> None:
    assert statuses(data) == dict.fromkeys(FILES, "ok")


@pytest.mark.parametrize("archive", ["summed", "unsummed"])
def test_a_damaged_archive_is_to_be_fetched_again(data: Path, archive: str) -> None:
    file = data / "archives" / archive
    file.write_bytes(b"test\n")
    finding = found(data)[f"archives/{archive}"]
    assert finding.status == "damaged"
    assert finding.mend == f"snakemake --cores 1 --force {file}"


@pytest.mark.parametrize("file", FILES[2:])
def test_damaged_text_is_to_be_made_again(data: Path, file: str) -> None:
    (data / file).write_bytes(b"test\n")
    finding = found(data)[file]
    assert finding.status == "damaged"
    marker = (data / file).with_name("counts.json")
    assert finding.mend == f"snakemake --cores 1 --force {marker}"


def test_missing_text_must_be_mended_but_a_missing_archive_need_not(data: Path) -> None:
    (data / "raw/some.de-en/train.de").unlink()
    (data / "archives/summed").unlink()
    findings = found(data)
    assert findings["raw/some.de-en/train.de"].status == "missing"
    assert findings["raw/some.de-en/train.de"].mend
    assert findings["archives/summed"].status == "missing"
    assert not findings["archives/summed"].mend


@pytest.mark.parametrize(
    "file", ["archives/other", "archives/summed.part", "raw/some.de-en/other.de"]
)
def test_files_that_nothing_is_known_of_are_unknown(data: Path, file: str) -> None:
    (data / file).write_bytes(b"?")
    assert statuses(data)[file] == "unknown"


def test_an_archive_without_any_sum_is_unknown(data: Path) -> None:
    (data / "archives/unsummed.sum.json").unlink()
    assert statuses(data)["archives/unsummed"] == "unknown"


def test_text_that_was_extracted_without_sums_is_unknown(data: Path) -> None:
    (data / "raw/some.de-en/counts.json").write_text('{"pairs": {"train": 1}}')
    assert statuses(data)["raw/some.de-en/train.de"] == "unknown"


@pytest.mark.parametrize(("text", "status"), [(b"text\n", 0), (b"test\n", 1)])
def test_the_script_ends_with_status_1_if_anything_is_damaged(
    data: Path, text: bytes, status: int
) -> None:
    (data / "archives/summed").write_bytes(text)
    settings = f"archives: {{summed: {{name: s, sha256: {SUMMED.sha256}, mirror_paths: [s]}}}}"
    (data / "corpora.yaml").write_text(f"{settings}\ncorpora: {{}}\n")
    flags = ["--folder", str(data), "--corpora-file", str(data / "corpora.yaml")]
    command = [sys.executable, str(ROOT / "workflow_scripts" / "verify.py"), *flags]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    assert ("to mend it: snakemake" in done.stdout) == bool(status)
