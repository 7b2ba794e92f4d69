"""Scripts end with a message for users or with a traceback for developers."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from deepmt.base import cli
from deepmt.base.code_sums import SCRIPTS
from deepmt.base.errors import UserError

EXPECTED = {
    "raise UserError('corpora.yaml:3: no such file')": "corpora.yaml:3: no such file",
    "raise cls(\n        'a: ' 'b'\n    ) from KeyError('c')": "a: b",
    "open('/no/such/file')": "/no/such/file: No such file or directory",
    "open('/')": "/: Is a directory",
    "raise OSError(28, 'No space left on device', 'log')": "log: No space left on device",
    "try:\n        raise UserError('one')\n    except ValueError as error:\n        "
    "error.add_note('Raised in train.en.')\n        raise": "one\nRaised in train.en.",
}
UNEXPECTED = {
    "int('x')": ValueError,
    "raise ValueError('a')": ValueError,
    "raise RuntimeError('a')": RuntimeError,
    "[].index(1)": ValueError,
    "raise KeyError('a')": KeyError,
    "raise UserError(f'{[][0]}')": IndexError,
    "__import__('no_such_module')": ImportError,
    "import json; json.loads('{')": ValueError,
    "import numpy; numpy.zeros(2) + numpy.zeros(3)": ValueError,
    "assert False": AssertionError,
}


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return what runs a script that does one thing."""
    monkeypatch.setattr("sys.argv", ["script.py"])

    def run(does: str) -> None:
        names: dict[str, Any] = {"UserError": UserError}
        exec(f"def main():\n    cls = UserError\n    {does}\n", names)
        cli.run(names["main"])

    return run


def test_expected_failures_show_their_message_alone(failing: Callable[[str], None]) -> None:
    for does, message in EXPECTED.items():
        with pytest.raises(SystemExit) as ended:
            failing(does)
        assert ended.value.code == message


def test_a_message_sends_no_escape_bytes(failing: Callable[[str], None]) -> None:
    with pytest.raises(SystemExit) as ended:
        failing(r"raise UserError('no run \x1b[31m')")
    assert ended.value.code == r"no run \x1b[31m"


def test_an_unknown_flag_sends_no_escape_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        cli.parse(lambda: None, ["--a\x1b[31m"])
    assert r"unrecognized arguments: --a\x1b[31m" in capsys.readouterr().err


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_text_is_printed_in_any_locale(encoding: str) -> None:
    code = "from deepmt.base.cli import run\ndef main():\n    print('\\u732b')\nrun(main)"
    env = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONPATH": str(SCRIPTS)}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=False)
    shown = "\u732b" if encoding == "utf-8" else r"\u732b"
    assert done.stdout.decode() == f"{shown}\n"


@pytest.mark.parametrize(
    ("does", "status", "said"),
    [
        ("raise UserError('no name')", 1, "no name\n"),
        ("signal.raise_signal(signal.SIGINT)", -signal.SIGINT, ""),
        ("[][0]", 1, "Traceback (most recent call last):\n"),
    ],
)
def test_imports_of_a_script_end_as_its_main_does(does: str, status: int, said: str) -> None:
    code = "import signal; import deepmt.base.cli; from deepmt.base.errors import UserError"
    script = [sys.executable, "-c", f"{code}; {does}"]
    done = subprocess.run(script, cwd=SCRIPTS, capture_output=True, text=True, check=False)
    assert done.returncode == status
    assert done.stderr.startswith(said)
    assert ("Traceback" in done.stderr) == ("Traceback" in said)


def test_ctrl_c_ends_quietly(failing: Callable[[str], None]) -> None:
    with pytest.raises(SystemExit) as ended:
        failing("raise KeyboardInterrupt")
    assert ended.value.code == 130


def test_unexpected_errors_keep_their_traceback(failing: Callable[[str], None]) -> None:
    for does, error in UNEXPECTED.items():
        with pytest.raises(error):
            failing(does)


@pytest.mark.parametrize("status", [None, 0, 75])
def test_the_status_is_that_of_main(failing: Callable[[str], None], status: int | None) -> None:
    with pytest.raises(SystemExit) as ended:
        failing(f"return {status}")
    assert ended.value.code == status


def test_garbage_is_sought_in_what_main_makes_alone() -> None:
    code = "import gc; from deepmt.base.cli import run; run(lambda: len(gc.get_objects()) > 1000)"
    subprocess.run([sys.executable, "-c", code], cwd=SCRIPTS, check=True)


def test_what_only_reads_results_or_estimates_loads_no_torch() -> None:
    modules = "commands.status, deepmt.scores.scores, deepmt.machines.plan_page"
    code = f"import sys, {modules}; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=SCRIPTS, check=True)
