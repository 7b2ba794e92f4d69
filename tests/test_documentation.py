"""Links lead somewhere, and what pages say of the project is so."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)


def anchor(heading: str) -> str:
    """Return the anchor that a heading gets."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", CODE.sub("", page.read_text())):
        if "://" in target:
            continue
        path, _, heading = target.partition("#")
        linked = (page.parent / path) if path else page
        assert linked.exists(), target
        if heading:
            headings = re.findall(r"^#+ (.*)$", linked.read_text(), re.MULTILINE)
            assert heading in map(anchor, headings), target


def test_every_page_is_in_the_contents() -> None:
    contents = (ROOT / "docs/index.md").read_text()
    missing = [page.name for page in PAGES[2:] if f"({page.name}" not in contents]
    assert missing == ["index.md"]


def test_the_readme_is_read_in_two_minutes() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150


def test_commands_name_scripts_that_exist() -> None:
    for page in PAGES:
        for script in re.findall(r"python (workflow_scripts/\w+\.py)", page.read_text()):
            assert (ROOT / script).exists(), f"{page.name}: {script}"


def test_the_cost_of_all_records_is_what_the_page_says() -> None:
    lines = [line for path in (ROOT / "records").glob("*.jsonl") for line in path.open()]
    runs = [json.loads(line) for line in lines]
    hours = sum(r["throughput"]["train_seconds"] * r["hardware"]["threads"] for r in runs) / 3600
    said = (ROOT / "docs/release.md").read_text()
    assert f"The {len(runs)} trainings" in said
    assert f"took {hours:.1f} thread hours" in said


def test_there_is_one_version_of_torch() -> None:
    files = [ROOT / "requirements.txt", ROOT / "requirements.lock", *(ROOT / "envs").glob("*.yaml")]
    pins = {pin for file in files for pin in re.findall(r"torch==([\w.]+)", file.read_text())}
    assert len(pins) == 1
