"""The report of the recorded runs answers on its first screen and prints on a few pages."""

import base64
import re
from pathlib import Path

import pytest
from reading import open_page
from run_snakemake import run_snakemake
from test_records_alone import NEEDED

from projects import ROOT

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
    assert "predicts best of" in headline.text


def test_every_recorded_scale_is_ranked_below_with_what_papers_find(chromium, recorded) -> None:
    page = open_page(chromium, recorded)
    scales = page.find_elements("css selector", "details:has(> .box .ranking)")
    assert scales
    for scale in scales:
        assert not scale.find_element("css selector", ".ranking").is_displayed()
        scale.find_element("css selector", "summary").click()
        assert scale.find_elements("css selector", ".ranking circle")


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
