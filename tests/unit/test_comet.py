"""COMET is run as its authors say."""

import hashlib
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from texts import texts_of

from deepmt.scores.comet import comet_score
from deepmt.study.plan import load_plan
from projects import ROOT

BUILD = Path(__file__).with_name("build_comet.py")
TEXTS = texts_of(["Das „Haus“", ""], ["Haus", "ein Hund"])


@pytest.fixture
def checkpoint(tmp_path: Path) -> Path:
    """A checkpoint as Hugging Face's cache holds it: a link to a file of another name."""
    blob, path = tmp_path / "blobs/0123", tmp_path / "wmt22-comet-da/checkpoints/model.ckpt"
    for file in (blob, path):
        file.parent.mkdir(parents=True)
    blob.write_bytes(b"weights")
    path.symlink_to(blob)
    return path


@pytest.fixture
def says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """What a linked comet-score of another environment does, after it has noted its flags."""
    folder, linked = tmp_path / "comet/bin", tmp_path / "linked"
    folder.mkdir(parents=True)
    linked.mkdir()
    says = folder / "says"
    noted = f"echo \"$@\" > '{folder}/flags'\ncp source hypotheses reference '{folder}'\n"
    noted += f"echo $HF_HUB_OFFLINE > '{folder}/offline'\n. '{says}'\n"
    made = {"comet-score": noted, "python": f"cat '{folder}/versions'\n"}
    for name, code in made.items():
        (folder / name).write_text(f"#!/bin/sh\n{code}")
        (folder / name).chmod(0o755)
    (folder / "versions").write_text("3.11.7 2.2.7\n")
    (linked / "comet-score").symlink_to(folder / "comet-score")
    monkeypatch.setenv("PATH", str(linked), prepend=os.pathsep)
    return says


def printing(score: str) -> str:
    return f"printf 'hypotheses\\tscore: {score}\\n'\n"


def test_raw_text_is_scored_offline_by_the_checkpoint_that_is_named(says, checkpoint) -> None:
    says.write_text(printing("0.8213"))
    score = comet_score(checkpoint, ["The “house”", "a dog"], TEXTS)
    assert score.value == pytest.approx(82.13)
    digest = hashlib.sha256(b"weights").hexdigest()[:12]
    assert score.signature == f"Python3.11.7|Comet2.2.7|fp16|wmt22-comet-da@{digest}|r1"
    assert (says.parent / "source").read_text() == "The “house”\na dog\n"
    assert (says.parent / "hypotheses").read_text() == "Das „Haus“\n\n"
    assert (says.parent / "offline").read_text() == "1\n"
    assert f"--model {checkpoint} --gpus 0" in (says.parent / "flags").read_text()


@pytest.mark.parametrize(("version", "precision"), [("2.2.4", "fp32"), ("2.2.10", "fp16")])
def test_the_signature_says_how_many_bits_a_version_computes_with(
    says, checkpoint, version: str, precision: str
) -> None:
    says.write_text(printing("-0.5"))
    (says.parent / "versions").write_text(f"3.12.1 {version}\n")
    score = comet_score(checkpoint, ["", ""], TEXTS)
    assert (score.value, score.signature.split("|")[2]) == (-50.0, precision)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("echo 'hparams.yaml is missing' >&2; exit 3", "exit status 3: hparams.yaml is missing;"),
        ("echo 'usage: ...'", "printed no score: usage"),
        (printing("nan"), "printed no score: hypotheses"),
    ],
)
def test_a_program_that_gives_no_score_is_quoted(says, checkpoint, code, message) -> None:
    says.write_text(code)
    with pytest.raises(ValueError, match=message):
        comet_score(checkpoint, ["", ""], TEXTS)


def test_a_machine_without_comet_says_so(checkpoint, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ValueError, match="needs comet-score on PATH; link it there, or omit"):
        comet_score(checkpoint, ["", ""], TEXTS)


def test_a_program_without_its_python_is_named(says, checkpoint) -> None:
    says.write_text(printing("0.8"))
    (says.parent / "python").unlink()
    with pytest.raises(ValueError, match=r"comet/bin/python does not exist; link comet-score"):
        comet_score(checkpoint, ["", ""], TEXTS)


@pytest.mark.parametrize("name", ["missing.ckpt", "Unbabel/wmt22-comet-da"])
def test_a_setting_that_names_no_checkpoint_is_refused_before_any_job(tmp_path, name) -> None:
    (tmp_path / "Unbabel").mkdir()
    (tmp_path / "Unbabel/wmt22-comet-da").touch()  # comet-score would download it
    with pytest.raises(ValueError, match="comet: is no checkpoint of COMET; give the path of one"):
        load_plan(ROOT, {"papers": ["unified"], "comet": str(tmp_path / name)})


@pytest.mark.slow
def test_a_small_random_model_is_scored_by_the_real_program(tmp_path: Path) -> None:
    program = shutil.which("comet-score")
    if program is None:
        pytest.skip("comet-score is not on PATH: docs/scores.md says how to install it")
    python = Path(program).resolve().parent / "python"
    subprocess.run([python, BUILD, tmp_path / "tiny"], check=True, capture_output=True)
    built = tmp_path / "tiny/checkpoints/model.ckpt"
    alike, other = texts_of(["Haus", ""], ["Haus", ""]), texts_of(["Hund", "er"], ["Haus", ""])
    scores = [comet_score(built, ["house", ""], texts) for texts in (alike, other, alike)]
    assert scores[0] == scores[2]
    assert scores[0].value != scores[1].value
    assert "|tiny@" in scores[0].signature
