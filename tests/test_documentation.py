"""Links lead somewhere, and what pages say of the project is so."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from run_snakemake import run_snakemake

import projects
from deepmt.base.cli import flags
from deepmt.study.papers import Row, load, rows_of

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)


DIFF = re.compile(r"^```diff\n(.*?)^```", re.MULTILINE | re.DOTALL)
PLANNED = """
from importlib import import_module
from pathlib import Path
from deepmt.study.papers import find_figure, load
from deepmt.study.plan import load_plan

root = Path()
[spec] = load_plan(root, {"rows": "unified.t6.gpas"}).runs.values()
print(import_module(spec.method.residual.module).Gpas(0).gate)
print(len(load_plan(root, {"papers": "invented2021", "rows": "all"}).runs))
narrow = load_plan(root, {"scale": "multi30k-eighth", "papers": "unified"})
print({spec.data.corpus for spec in narrow.runs.values()})
print(find_figure(load(root / "papers/unified.yaml"), "unified.fig8").systems)
"""
"""Prints what each diff of CONTRIBUTING.md has added to the plan."""


def anchor(heading: str) -> str:
    """Return the anchor that a heading gets."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("page", [*PAGES, ROOT / "records/README.md"], ids=str)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    text = CODE.sub("", page.read_text())
    named = dict(re.findall(r"^\[([^\]]+)\]: (\S+)$", text, re.MULTILINE))
    assert {*re.findall(r"^\| \S+ \[([^\]]+)\][ ,]", text, re.MULTILINE)} <= named.keys()
    for target in (*re.findall(r"\]\(([^)\s]+)\)", text), *named.values()):
        if "://" in target:
            continue
        path, _, heading = target.partition("#")
        linked = (page.parent / path) if path else page
        assert linked.exists(), target
        if heading:
            headings = re.findall(r"^#+ (.*)$", linked.read_text(), re.MULTILINE)
            assert heading in map(anchor, headings), target


SINCE_2020 = [
    row for row in rows_of(load(ROOT / "papers/unified.yaml")) if row.group == "since 2020"
]


@pytest.mark.parametrize("row", SINCE_2020, ids=lambda row: row.id)
def test_a_method_since_2020_has_an_equation_a_source_and_a_restatement(row: Row) -> None:
    lines = re.findall(r"^\| (.*) \|$", (ROOT / "docs/methods-since.md").read_text(), re.MULTILINE)
    described = [line.split(" | ") for line in lines if line.split(" | ")[0] in row.label]
    assert any(len(cells) == 4 and all(cells) for cells in described), "docs/methods-since.md"
    restated = (ROOT / "tests/claims/test_methods_since.py").read_text()
    options = projects.plan(papers="unified", rows="all").specs[row.id].method.changes.values()
    assert any(f'"{option.name}"' in restated for option in options), "tests/claims"


def test_every_page_is_in_the_contents() -> None:
    contents = (ROOT / "docs/index.md").read_text()
    missing = [page.name for page in PAGES[2:] if f"({page.name}" not in contents]
    assert missing == ["index.md"]


def test_the_readme_is_read_in_two_minutes() -> None:
    assert len((ROOT / "README.md").read_text().split()) <= 950


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_options_belong_to_scripts_that_a_paragraph_names(page: Path) -> None:
    for paragraph in page.read_text().split("\n\n"):
        scripts = re.findall(r"python workflow_scripts/([\w/]+)\.py", paragraph)
        assert all((ROOT / f"workflow_scripts/{name}.py").exists() for name in scripts), paragraph
        mains = [import_module(name.replace("/", ".")).main for name in scripts]
        names = [each.name for main in mains for each in flags(main)]
        known = {f"--{name}".replace("_", "-") for name in names}
        known |= {f"--no{flag[1:]}" for flag in known} | {
            "--help",
            "--config",
            "--cores",
            "--profile",
        }
        if scripts:
            assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", paragraph)) <= known, paragraph


def test_the_diffs_of_contributing_work_as_printed(tmp_path: Path) -> None:
    settings = ("config.yaml", "corpora.yaml", "hardware.yaml", "papers", "scales")
    projects.copy(tmp_path, *settings, "workflow_scripts")
    diffs = DIFF.findall((ROOT / "CONTRIBUTING.md").read_text())
    assert len(diffs) == 4
    for diff in diffs:
        done = subprocess.run(
            ["git", "apply", "-"],
            input=diff,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
        )
        assert done.returncode == 0, f"move the diff of CONTRIBUTING.md: {done.stderr}"
    path = {"PYTHONPATH": str(tmp_path / "workflow_scripts")}
    command = [sys.executable, "-c", PLANNED]
    said = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=path, check=True
    ).stdout
    assert said.split("\n")[:4] == [
        "0",
        "2",
        "{'multi30k-eighth.en-de'}",
        "('shallow-post', 'shallow-pre')",
    ]


def test_the_pipeline_shows_the_rules_of_the_default_job() -> None:
    rules = re.findall(r'label = "(\w+)"', run_snakemake(ROOT, "--rulegraph").stdout)
    shown = re.findall(r">(\w+)</text>", (ROOT / "docs/pipeline.svg").read_text())
    assert {*shown, "all"} == set(rules)


def test_the_number_of_claims_is_that_of_the_papers() -> None:
    papers = map(load, (ROOT / "papers").glob("*.yaml"))
    claims = sum(len(paper.claims) for paper in papers)
    for page in ("README.md", "docs/results.md"):
        assert f"{claims} claims" in (ROOT / page).read_text()


def test_the_newest_version_is_the_same_everywhere() -> None:
    newest, day = re.findall(r"^## (\S+), (\S+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)[0]
    assert f'version = "{newest}"' in (ROOT / "pyproject.toml").read_text()
    assert f"version: {newest}\ndate-released: {day}\n" in (ROOT / "CITATION.cff").read_text()
