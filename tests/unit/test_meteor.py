"""The original METEOR is run as its authors say."""

import os
from pathlib import Path

import pytest
from texts import texts_of

from deepmt.scores.original_meteor import original_meteor
from deepmt.study.plan import load_plan
from projects import ROOT

PRINTED = """Meteor version: 1.5

Eval ID:        meteor-1.5-wo-de-norm-0.95_1.0_0.55_0.55-ex_st_pa-1.0_0.8_0.2

Final score:            0.4836
"""


@pytest.fixture
def java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program called java that shows its flags and says what `says` holds."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program, says = folder / "java", folder / "says"
    code = f"echo \"$@\" > '{folder}/flags'\ncp hypotheses reference '{folder}'\n. '{says}'\n"
    program.write_text(f"#!/bin/sh\n{code}")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    return says


@pytest.fixture
def jar(tmp_path: Path) -> Path:
    path = tmp_path / "meteor-1.5.jar"
    path.write_bytes(b"jar")
    return path


def test_the_original_reads_raw_text_and_has_its_own_signature(java: Path, jar: Path) -> None:
    java.write_text(f"cat <<'END'\n{PRINTED}END\n")
    score = original_meteor(jar, texts_of(["Das „Haus“", ""], ["", ""]))
    assert score.value == pytest.approx(48.36)
    assert score.signature == "METEOR|" + PRINTED.split()[5]
    assert (java.parent / "hypotheses").read_text() == "Das „Haus“\n\n"
    flags = (java.parent / "flags").read_text()
    assert flags == f"-Xmx2G -jar {jar} hypotheses reference -l de -norm\n"
    original_meteor(jar, texts_of(["Haus"], ["Haus"], "deu"))
    assert (java.parent / "flags").read_text() == flags


@pytest.mark.parametrize(
    ("says", "message"),
    [
        ("echo 'Error: no paraphrases' >&2; exit 3", "exit status 3: Error: no paraphrases"),
        ("echo 'Usage: ...'", "printed no score: Usage"),
    ],
)
def test_a_program_that_gives_no_score_is_quoted(java, jar, says, message) -> None:
    java.write_text(says)
    with pytest.raises(ValueError, match=message):
        original_meteor(jar, texts_of(["ein Haus"], ["ein Haus"]))


def test_a_machine_without_java_says_so(jar, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ValueError, match="needs java on PATH; install it, or omit"):
        original_meteor(jar, texts_of(["ein Haus"], ["ein Haus"]))


def test_a_setting_that_names_no_jar_is_refused_before_any_job(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"meteor: does not exist; give the path of"):
        load_plan(ROOT, {"papers": ["unified"], "meteor": str(tmp_path / "meteor.jar")})
