"""The report of the recorded runs answers on its first screen and prints on a few pages."""

import base64
import io
import re
from pathlib import Path

import pytest
from matplotlib.image import imread
from reading import open_page, texts

from commands import report
from projects import ROOT

pytestmark = pytest.mark.slow
ARCHIVE = (ROOT / "records").glob("*.jsonl")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Its address."""
    folder: Path = tmp_path_factory.mktemp("recorded") / "multi30k-narrow-records"
    report.main(scale="multi30k-narrow", root=ROOT, output=folder)
    return (folder / "report.html").as_uri()


@pytest.mark.parametrize("width", [1440, 390])
def test_the_headline_is_on_the_first_screen(chromium, recorded: str, width: int) -> None:
    page = open_page(chromium, recorded, width=width)
    [headline] = [e for e in page.find_elements("css selector", ".headline") if e.is_displayed()]
    assert headline.rect["y"] + headline.rect["height"] < 800
    assert "lowest perplexity of" in headline.text


@pytest.mark.parametrize("width", [1440, 800, 390])
def test_every_link_of_the_contents_is_seen(chromium, recorded: str, width: int) -> None:
    page = open_page(chromium, recorded, width=width)
    links = [link.rect for link in page.find_elements("css selector", "nav a")]
    assert max(link["x"] + link["width"] for link in links) <= width


def test_the_board_of_readme_is_ranked_below(chromium, recorded) -> None:
    page = open_page(chromium, recorded)
    [scale] = page.find_elements("css selector", "details:has(> .box .ranking)")
    assert not scale.find_element("css selector", ".ranking").is_displayed()
    scale.find_element("css selector", "summary").click()
    assert scale.find_elements("css selector", ".ranking tbody tr")


def test_the_ranking_is_sorted_by_a_click_and_names_say_what_they_mean(chromium, recorded) -> None:
    page = open_page(chromium, recorded)
    ranking = page.find_element("css selector", ".ranking")
    head = ranking.find_element("css selector", "th:nth-child(2) button")
    seeds = (
        "return [...arguments[0].tBodies[0].rows].filter((row) => row.cells.length > 1)"
        ".map((row) => parseInt(row.cells[1].innerText))"
    )
    for turn in (1, -1):
        head.click()
        found = page.execute_script(seeds, ranking)
        assert found == sorted(found, reverse=turn < 0)
    name = ranking.find_element("css selector", "a.name")
    assert name.get_attribute("title").endswith(".")
    name.click()
    target = page.find_element("css selector", "dt:target")
    assert target.is_displayed()
    assert target.text == name.text


def test_the_axis_of_a_ranking_says_from_where_to_where_it_goes(chromium, recorded: str) -> None:
    page = open_page(chromium, recorded)
    low, high = map(float, texts(page, "#ranking ~ .box .ends span"))
    perplexities = map(
        float, texts(page, "#ranking ~ .box .ranking tbody:first-of-type td:nth-child(3)")
    )
    assert low < min(perplexities) < high <= 1.51 * low


def test_it_prints_in_ten_pages(chromium, recorded: str) -> None:
    open_page(chromium, recorded)
    pdf = base64.b64decode(chromium.print_page())
    assert 0 < len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 10


def test_figures_are_dark_for_dark_readers(chromium, recorded: str) -> None:
    light, dark = (
        brightness(open_page(chromium, recorded, scheme=scheme)) for scheme in ("light", "dark")
    )
    assert light > 0.8
    assert dark < 0.2


def brightness(page) -> float:
    """Return the mean brightness of the first figure, from 0 to 1."""
    picture = page.find_element("css selector", "figure img").screenshot_as_png
    return float(imread(io.BytesIO(picture))[..., :3].mean())


def test_records_wait_behind_their_number(chromium, recorded: str) -> None:
    page = open_page(chromium, recorded)
    inside = page.find_element("css selector", ".origins .origin")
    assert not inside.is_displayed()
    assert page.execute_script("return document.body.scrollHeight") < 25_000
