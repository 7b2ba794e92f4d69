"""`./deepmt translate` gives a line for a line, whatever is in it, and says what it skipped."""

import gzip
import io
import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import invented
import pytest

from commands import translate as translate_text
from deepmt.base.cli import parse
from deepmt.base.files import with_own_hash, write_hashed_json
from deepmt.machines.hardware import usable_cores
from tiny import tiny_spec
from tiny_runs import SCRIPTS, new_run, write_manifest

SPEC = tiny_spec(data__subword="none", training__max_length=6, decoding__max_length=8)
SEPARATORS = "\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e\x1f\r"
"""Characters at which `str.splitlines` or a text file of Python breaks a line."""

Translate = Callable[..., tuple[list[str], str]]


@pytest.fixture
def root(tmp_path: Path, dataset: Path) -> Path:
    """A model with its first weights, where the workflow has one."""
    for name in ("config.yaml", "scales", "corpora.yaml", "papers", "hardware.yaml", "corpora"):
        (tmp_path / name).symlink_to(SCRIPTS.parent / name)
    run = new_run(tmp_path / "results/toy/runs" / SPEC.run, dataset, SPEC)
    (run.folder / "seed1").mkdir()
    shutil.copy(run.init, run.folder / "seed1/model.safetensors")
    record = invented.record_of(SPEC, 1, perplexities={"dev": 9.0})
    write_hashed_json(run.folder / "seed1/record.json", record)
    folder = tmp_path / "data/encoded" / SPEC.dataset
    shutil.copytree(dataset, folder)
    return tmp_path


@pytest.fixture
def translate(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> Translate:
    """Translate bytes; return the lines that are printed, and what is said."""

    def run(text: bytes, n_best: int = 1) -> tuple[list[str], str]:
        with monkeypatch.context() as patch:
            stream = io.BufferedReader(io.BytesIO(text))
            patch.setattr("sys.stdin", io.TextIOWrapper(stream, encoding="ascii"))
            output = io.FileIO(1, "w", closefd=False)
            patch.setattr("sys.stdout", io.TextIOWrapper(output, encoding="ascii"))
            translate_text.main(root=root, threads=1, n_best=n_best)
        out, said = capfdbinary.readouterr()
        assert out.endswith(b"\n") or not out
        return out.decode().split("\n")[:-1], said.decode()

    return run


@pytest.mark.parametrize("mark", SEPARATORS)
def test_a_line_feed_alone_ends_a_line(translate: Translate, mark: str) -> None:
    lines, _ = translate(f"w1 w2\nw3{mark}w4\nw5\n".encode())
    plain, _ = translate(b"w1 w2\nw3 w4\nw5\n")
    assert lines == plain
    assert len(lines) == 3


@pytest.mark.parametrize(
    ("text", "count"),
    [(b"", 0), (b"\n", 1), (b"w1", 1), (b"\n\nw1\n\n", 4), (b"w1\r\nw2\r\n", 2)],
)
def test_n_lines_give_n_lines(translate: Translate, text: bytes, count: int) -> None:
    assert len(translate(text)[0]) == count


def test_a_long_text_is_written_block_by_block(
    translate: Translate, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = b"".join(b"w1 w%d\n" % (n % 9) for n in range(7))
    whole, _ = translate(text + b"\n" + b"w1 " * 9)
    monkeypatch.setattr("deepmt.decode.line_translation.BLOCK", 3)
    lines, said = translate(text + b"\n" + b"w1 " * 9)
    assert lines == whole
    assert said.count("lines are translated") == 3
    assert "of lines 7 to 9: 1 longer than 6 subwords, and cut (line 9)" in said


def test_what_comes_before_a_bad_line_is_written(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setattr("deepmt.decode.line_translation.BLOCK", 2)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"w1\nw2\nw3\n\xfc\n")))
    output = io.FileIO(1, "w", closefd=False)
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(output, encoding="ascii"))
    with pytest.raises(ValueError, match="standard input, line 4, byte 1: 0xfc is not UTF-8"):
        translate_text.main(root=root, threads=1)
    assert capfdbinary.readouterr().out.count(b"\n") == 3


def test_a_byte_order_mark_is_no_word(translate: Translate) -> None:
    marked, said = translate(b"\xef\xbb\xbfw1 w2\n")
    assert marked == translate(b"w1 w2\n")[0]
    assert "unknown" not in said


def test_what_is_not_read_is_said_with_its_lines(translate: Translate) -> None:
    _, said = translate(("w1 w2\n" + "w1 " * 9 + "\nw2 katze hund\nw1 Hund\n").encode())
    assert "of lines 1 to 4: 1 longer than 6 subwords, and cut (line 2); 2 with 3 unknown" in said
    assert "subwords (line 3, 4)\n" in said
    assert "of lines" not in translate(b"w1\n")[1]


def test_an_empty_line_keeps_its_number_among_the_best(translate: Translate) -> None:
    lines, _ = translate(b"w1\n\nw2\n", n_best=2)
    assert [line.split(" ||| ")[0] for line in lines] == ["0", "0", "1", "2", "2"]
    assert lines[2] == "1 |||  ||| 0.0000"


def test_composed_and_decomposed_letters_are_the_same(root: Path, translate: Translate) -> None:
    vocabulary = root / "data/encoded" / SPEC.dataset / "vocab.en"
    vocabulary.write_text(vocabulary.read_text().replace("w7", "\u00fc"))
    write_manifest(vocabulary.parent)
    assert translate("u\u0308 w1\n".encode())[0] == translate("\u00fc w1\n".encode())[0]
    assert "unknown" not in translate("u\u0308 w1\n".encode())[1]


@pytest.mark.parametrize(
    ("text", "flags", "message"),
    [
        (b"w1\nw\xfc\n", {}, "standard input, line 2, byte 2: 0xfc is not UTF-8"),
        (b"w1\0\n", {}, "standard input, line 1, byte 3: a NUL byte"),
        (gzip.compress(b"w1\n"), {}, r"standard input: is compressed \(gzip\)"),
    ],
)
def test_bad_input_is_refused(
    translate: Translate, text: bytes, flags: dict[str, int], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        translate(text, **flags)


@pytest.mark.parametrize(
    ("flag", "value"), [("--threads", usable_cores() + 1), ("--n-best", 0), ("--n-best", 101)]
)
def test_more_threads_than_cores_and_no_translations_are_refused(
    capsys: pytest.CaptureFixture[str], flag: str, value: int
) -> None:
    with pytest.raises(SystemExit):
        parse(translate_text.main, [flag, str(value)])
    assert f"argument {flag}: '{value}' should be" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("scale", "said"),
    [("toi", "--scale: unknown scale 'toi'; did you mean 'toy'"), ("multi30k", "no run has been")],
)
def test_a_scale_without_a_model_is_told_from_none(root: Path, scale: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        translate_text.main(root=root, scale=scale)


@pytest.mark.parametrize(
    ("damage", "why"),
    [({}, "it holds no hash"), (with_own_hash({}), ".*perplexities: is required and not set")],
)
def test_a_damaged_record_is_named(
    root: Path, translate: Translate, damage: dict[str, str], why: str
) -> None:
    [record] = root.glob("results/toy/runs/*/seed1/record.json")
    record.write_text(json.dumps(damage))
    with pytest.raises(ValueError, match=rf"record\.json is damaged \({why}"):
        translate(b"w1\n")


def test_a_damaged_vocabulary_is_named(root: Path, translate: Translate) -> None:
    with (root / "data/encoded" / SPEC.dataset / "vocab.de").open("a") as file:
        file.write("w99\n")
    with pytest.raises(ValueError, match=r"vocab\.de is damaged: .* delete .* and run again"):
        translate(b"w1\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ending", "status"),
    [
        ("| head -1", r"status \d+ \d+ 1 0$"),
        ("<&-", r"(?s)standard input is closed.*status 1$"),
        (">&-", r"(?s)standard output is closed.*status \d+ \d+ 1$"),
        ("> /dev/full", r"(?s)standard output: No space left on device.*status \d+ \d+ 1$"),
    ],
)
def test_closed_pipes_end_without_a_traceback(root: Path, ending: str, status: str) -> None:
    script = [sys.executable, str(SCRIPTS / "commands/translate.py")]
    command = shlex.join([*script, "--threads", "1", "--root", str(root)])
    given = "" if "<" in ending else "yes w1 | head -20000 | "
    shell = f"set -o pipefail; {given}{command} {ending}; echo status ${{PIPESTATUS[*]}} >&2"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr
    assert re.search(status, done.stderr), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["at once", "translating"])
def test_ctrl_c_ends_quietly(root: Path, stage: str) -> None:
    command = [
        sys.executable,
        f"{SCRIPTS}/commands/translate.py",
        "--threads",
        "1",
        "--root",
        str(root),
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stderr
        said = process.stderr.readline() if stage == "translating" else b""
        if not said:
            time.sleep(1.5)
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
    assert process.returncode == 130
    assert b"Traceback" not in rest
