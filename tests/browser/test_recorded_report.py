"""The report of the recorded runs answers on its first screen and prints on a few pages."""

import base64
import re
from pathlib import Path

import pytest
from reading import open_page, texts
from run_snakemake import run_snakemake
from test_records_alone import NEEDED
from test_workflow import ROOT

pytestmark = pytest.mark.slow
ARCHIVE = (ROOT / "records").glob("*.jsonl")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Its address."""
    folder = tmp_path_factory.mktemp("recorded")
    for name in NEEDED:
        (folder / name).symlink_to(ROOT / name)
    settings = ("from=records", "scale=multi30k-narrow")
    found = run_snakemake(folder, "--cores", "2", "report", "--config", *settings)
    assert found.returncode == 0, found.stderr
    path: Path = folder / "results/multi30k-narrow-records/report.html"
    return path.as_uri()


@pytest.mark.parametrize("width", [1440, 390])
def test_the_headline_is_on_the_first_screen(chromium, recorded: str, width: int) -> None:
    page = open_page(chromium, recorded, width=width)
    [headline] = [e for e in page.find_elements("css selector", ".headline") if e.is_displayed()]
    assert headline.rect["y"] + headline.rect["height"] < 800
    assert headline.text.startswith("Of 9 methods with 12+12 layers, 5 train with every seed")


def test_a_switch_shows_every_recorded_scale_with_what_papers_find(chromium, recorded) -> None:
    page = open_page(chromium, recorded)
    labels = page.find_elements("css selector", ".boards > label")
    assert len(labels) == len({path.name.split(".")[0] for path in ARCHIVE})
    with_findings = page.find_elements("css selector", ".panel:has(.findings)")
    rows = texts(page, ".panel .findings th[scope=row]")
    assert rows == ["bapna2018", "liu2020", "wang2019", "zhang2019"] * len(with_findings)
    assert rows
    seen = set()
    for label in labels:
        label.click()
        [panel] = [e for e in page.find_elements("css selector", ".panel") if e.is_displayed()]
        assert panel.find_elements("css selector", ".tile polyline")
        seen.add(panel.text)
    assert len(seen) == len(labels)


def test_it_prints_in_under_ten_pages(chromium, recorded: str) -> None:
    open_page(chromium, recorded)
    pdf = base64.b64decode(chromium.print_page())
    assert 0 < len(re.findall(rb"/Type\s*/Page\b", pdf)) < 10


def test_figures_are_dark_for_dark_readers(chromium, recorded: str) -> None:
    look = "return getComputedStyle(document.querySelector('figure img')).filter"
    light, dark = (
        open_page(chromium, recorded, scheme=scheme).execute_script(look)
        for scheme in ("light", "dark")
    )
    assert light == "none"
    assert dark.startswith("invert")


def test_records_wait_behind_their_number(chromium, recorded: str) -> None:
    page = open_page(chromium, recorded)
    inside = page.find_element("css selector", ".origins .origin")
    assert not inside.is_displayed()
    assert page.execute_script("return document.body.scrollHeight") < 25_000
