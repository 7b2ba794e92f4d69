"""The workflow as Snakemake sees it: jobs, rules, and what it says of bad settings."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest
from run_snakemake import run_snakemake

ROOT = Path(__file__).parents[2]


def snakemake(*flags: str) -> subprocess.CompletedProcess[str]:
    return run_snakemake(ROOT, "--cores", "2", "--nolock", *flags)


def test_bad_settings_stop_before_any_job() -> None:
    found = snakemake("--config", "scale=tyo", "papers=zhang2091")
    assert found.returncode != 0
    assert "Configuration errors:" in found.stderr
    assert "did you mean 'toy'" in found.stderr
    assert "did you mean 'zhang2019'" in found.stderr
    assert "Traceback" not in found.stderr


def test_unlock_needs_no_cores(tmp_path: Path) -> None:
    found = run_snakemake(tmp_path, "--unlock", "--snakefile", str(ROOT / "Snakefile"))
    assert "Unlocked working directory." in found.stderr, found.stderr


@pytest.mark.parametrize(
    "script", sorted((ROOT / "workflow_scripts").glob("*.py")), ids=lambda p: p.stem
)
def test_every_script_explains_its_flags(
    script: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [script.name, "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(script), run_name="__main__")
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("usage: ")


def test_every_shell_command_quotes_what_comes_from_settings() -> None:
    text = "".join(path.read_text() for path in sorted((ROOT / "rules").glob("*.smk")))
    # Only wildcards that are constrained to digits or plain names may be unquoted.
    bare = re.findall(r"\{(?:input|output|params|log)[^}:]*\}", text)
    assert bare == []


def test_every_shell_command_keeps_its_messages_in_a_log_that_is_shown_if_it_fails() -> None:
    text = "".join(path.read_text() for path in sorted((ROOT / "rules").glob("*.smk")))
    ends = re.findall(r"^    shell:\n((?:        .*\n)+)", text, re.MULTILINE)
    assert ends
    for command in ends:
        assert re.search(
            r" 2> (\{log:q\}|>\(tee -i \{log:q\} >&2\))\"\n$|2> \{log:q\}'\n$", command
        ), command
    for profile in ("default", "slurm"):
        assert "show-failed-logs: true" in (ROOT / f"profiles/{profile}/config.yaml").read_text()


def test_comparisons_need_a_row_that_is_compared() -> None:
    found = snakemake("-n", "comparisons", "--config", "rows=zhang2019.t3.r01")
    assert found.returncode != 0
    assert "nothing to compare: request several rows of a table" in found.stdout + found.stderr
    assert "liu2020.table1" in found.stdout + found.stderr
