"""Every command that README, index and commands.md print works as it stands there, unactivated."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

import projects
from deepmt.measured.hypotheses import read_hypotheses
from deepmt.study.plan import load_plan
from recorded import RECORDED

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "docs/index.md", ROOT / "docs/commands.md"]
LINES = [line for page in PAGES for line in page.read_text().splitlines()]
ENDLESS = " --watch 10"


def commands() -> list[str]:
    """Lines of code, and code within lines, that start with ./deepmt or talk to it."""
    fenced = [line for line in LINES if line.startswith("./deepmt ")]
    inline = [code for line in LINES for code in re.findall(r"`([^`]+)`", line)]
    return sorted({*fenced, *(code for code in inline if "./deepmt " in code)})


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh checkout with the environment of this one."""
    root = projects.copy(tmp_path_factory.mktemp("clone"), *projects.PARTS, "deepmt", "profiles")
    return projects.link(root, "records", "docs", ".venv")


def dry(command: str) -> list[str]:
    """The words of a command, which trains nothing and ends."""
    words = shlex.split(command.replace(ENDLESS, ""))
    return [*words, "-n"] if words[1] == "run" else words


@pytest.mark.slow
@pytest.mark.parametrize("command", [one for one in commands() if one.startswith("./deepmt")])
def test_it_runs_as_printed(project: Path, command: str) -> None:
    words = dry(command)
    if words[-1] in ("./deepmt", "run", "-n", "score", "translate") and len(words) < 3:
        pytest.skip("names a command without telling it what to do")
    bare = {"PATH": os.defpath, "HOME": os.environ["HOME"]}
    done = subprocess.run(words, cwd=project, env=bare, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_pages_print_commands_of_this_checkout_alone() -> None:
    assert len(commands()) > 15
    others = [*(ROOT / "docs").glob("*.md"), ROOT / "CONTRIBUTING.md", ROOT / "config/README.md"]
    lines = [*LINES, *(line for page in others for line in page.read_text().splitlines())]
    foreign = re.compile(
        r"(^|`)(snakemake [^`]*(-n|--config|--cores|--report|--rulegraph)"
        r"|(\w+=\S+ )?python (docs/|-m (bench|wings)))|/activate"
    )
    assert [line for line in lines if foreign.search(line)] == []


def test_the_scale_of_one_setting_is_read(project: Path) -> None:
    scale = (ROOT / "docs/commands.md").read_text().partition("```\n")[2].partition("```")[0]
    (project / "scales/mine.yaml").write_text(scale)
    specs = load_plan(project, {"scale": "mine", "rows": ["all"]}).specs
    assert specs["unified.t1.deep-pre"].training.dropout == 0.3


def test_the_readme_s_sentences_are_those_of_the_records() -> None:
    text = (ROOT / "README.md").read_text()
    [numbers] = re.findall(r"Sentences (\d+), (\d+) and (\d+)", text)
    shown = [line.split(" | ") for line in text.splitlines() if line.startswith("| A ")]
    ranking = RECORDED["multi30k-budget"].ranking
    for column, name in ((2, "3+3 T-Fixup"), (3, "12+12 T-Fixup, dropout 0.2")):
        [one] = (one.system for one in ranking.systems if one.system.name == name)
        digest = one.seeds[5].hypotheses["test"]
        lines = read_hypotheses(ROOT / "records", one.run, 5, {"test": digest})["test"]
        assert [lines[int(n) - 1] for n in numbers] == [row[column].strip(" |") for row in shown]
