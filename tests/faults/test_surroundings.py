"""What surrounds a checkout changes none of its results: other repositories, caches and modules."""

import marshal
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import small_toy

from deepmt.base.files import commit
from deepmt.data import tokeniser
from deepmt.train.event_log import EventLog
from deepmt.train.run import known_commit
from projects import ROOT

GIT = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]


def repository(folder: Path) -> Path:
    """A repository with one commit."""
    folder.mkdir(parents=True)
    for command in (["init"], ["commit", "--allow-empty", "-m", "a"]):
        subprocess.run([*GIT, *command], cwd=folder, check=True, capture_output=True)
    return folder


def test_the_commit_of_another_repository_is_not_that_of_an_archive_in_it(tmp_path: Path) -> None:
    archive = repository(tmp_path / "thesis \udce9") / "deepmt"
    archive.mkdir()
    assert commit(archive) == f"unknown ({archive} lies in the repository {archive.parent})"


def test_a_hook_of_another_repository_directs_git_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, other = (repository(tmp_path / name) for name in ("own", "other"))
    (other / "file").write_text("x")
    subprocess.run(["git", "add", "file"], cwd=other, check=True)
    before = commit(own)
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    assert commit(own) == before
    assert not before.endswith("+")


def test_a_commit_that_is_unknown_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("deepmt.train.run.SCRIPTS", tmp_path)
    assert known_commit(EventLog(tmp_path / "log.jsonl")).startswith("unknown (fatal: not a git")
    said = capsys.readouterr().err
    assert f"{tmp_path}: the commit is unknown (fatal: not a git" in said
    assert "no record of this run leads to its code" in said


def test_git_leaves_line_ends_as_they_are(tmp_path: Path) -> None:
    source, clone = tmp_path / "source", tmp_path / "clone"
    repository(source)
    shutil.copy(ROOT / ".gitattributes", source)
    (source / "params.csv").write_bytes(b"a,b\n1,2\n")
    subprocess.run(["git", "add", "."], cwd=source, check=True)
    subprocess.run([*GIT, "commit", "-m", "b"], cwd=source, check=True, capture_output=True)
    crlf = ["git", "-c", "core.autocrlf=true", "clone", "-q", source, clone]
    subprocess.run(crlf, check=True)
    assert (clone / "params.csv").read_bytes() == b"a,b\n1,2\n"


def test_make_uses_no_modules_of_another_python(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    python = tmp_path / ".venv/bin/python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\necho "${PYTHONPATH-none} ${PYTHONHOME-none}" > said\n')
    python.chmod(0o755)
    for name in ("PYTHONPATH", "PYTHONHOME"):
        monkeypatch.setenv(name, "/opt/other")
    subprocess.run(["make", "-o", ".venv/.ready", "test"], cwd=tmp_path, check=True)
    assert (tmp_path / "said").read_text() == "none none\n"


def test_the_workflow_and_its_jobs_import_no_package_of_another_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, other = small_toy.make(tmp_path), tmp_path / "other"
    for name in ("deepmt", "wings"):
        (other / name).mkdir(parents=True)
        (other / name / "__init__.py").write_text("raise ImportError")
    monkeypatch.setenv("PYTHONPATH", str(other))
    small_toy.done(root, "--cores", "1", "data/raw/toy.en-de/counts.json")
    assert (root / "data/raw/toy.en-de/counts.json").exists()


def poison(cache: Path) -> None:
    """The file holds other frequencies, in which one character is a word."""
    cache.write_bytes(marshal.dumps(({"机": 10, "器": 10, "翻": 10, "译": 10, "机器": 0}, 40)))


@pytest.mark.parametrize("spoil", [poison, lambda cache: cache.write_bytes(b"code")])
def test_chinese_words_do_not_come_from_a_cache_that_others_write(
    spoil: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    spoil(tmp_path / "jieba.cache")
    before = (tmp_path / "jieba.cache").read_bytes()
    tokeniser.segmenter.cache_clear()
    assert tokeniser.chinese_words("机器翻译很有意思") == ["机器翻译", "很", "有意思"]
    assert (tmp_path / "jieba.cache").read_bytes() == before
