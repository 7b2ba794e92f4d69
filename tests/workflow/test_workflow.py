"""What every rule states, and that every script explains itself."""

import re
import runpy
import sys
from pathlib import Path

import pytest
import yaml
from run_snakemake import run_snakemake

from deepmt.settings.strict_yaml import load
from projects import ROOT

TEXT = "".join(path.read_text() for path in sorted((ROOT / "rules").glob("*.smk")))
COMMANDS = re.findall(r"^    shell:\n((?:        .*\n)+)", TEXT, re.MULTILINE)


def test_unlock_needs_no_cores(tmp_path: Path) -> None:
    found = run_snakemake(tmp_path, "--unlock", "--snakefile", str(ROOT / "Snakefile"))
    assert "Unlocked working directory." in found.stderr, found.stderr


def test_the_linter_of_snakemake_has_nothing_to_say() -> None:
    found = run_snakemake(ROOT, "--lint")
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_catalogue_of_workflows_has_what_standardised_usage_takes() -> None:
    """As its generator decides (docs/release.md); it prints config/README.md on its page."""
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert usage["report"]
    page = (ROOT / "config/README.md").read_text()
    settings = load(ROOT / "config.yaml")
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == list(settings)
    assert "do not deploy" in page


@pytest.mark.parametrize(
    "script", sorted((ROOT / "workflow_scripts").glob("*/[a-z]*.py")), ids=lambda p: p.stem
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
    # Only wildcards that are constrained to digits or plain names may be unquoted.
    bare = r"\{(?:input|output|params|log)[^}:]*\}"
    assert [found for each in COMMANDS for found in re.findall(bare, each)] == []
    assert len(COMMANDS) > 20


def test_every_shell_command_keeps_its_messages_in_a_log_that_is_shown_if_it_fails() -> None:
    for command in COMMANDS:
        assert re.search(
            r" 2> (\{log:q\}|>\(tee -i \{log:q\} >&2\))\"\n$|2> \{log:q\}'\n$", command
        ), command
    for profile in ("default", "slurm"):
        assert "show-failed-logs: true" in (ROOT / f"profiles/{profile}/config.yaml").read_text()
