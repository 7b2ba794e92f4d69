"""The report as a reader meets it: in a browser, from a file, with and without scripts."""

import csv

import pages
import pytest
from reading import await_element, await_text, open_page, requests, serious, texts

pytestmark = pytest.mark.slow
ESCAPE = "\ue00c"
RUN = f"run-{pages.RUN}"
OURS = "[id='p.table1'] ~ .box a.ours"
READERS = [("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390)]


def test_it_opens_without_an_error_and_asks_for_nothing_else(page, address: str) -> None:
    assert page.title == "Deep Transformers for translation: Report <1>"
    assert page.get_log("browser") == []
    assert {url for url in requests(page) if not url.startswith("data:")} == {address}


def test_a_table_is_copied_as_csv_and_as_latex(page) -> None:
    allowed = ["clipboardReadWrite", "clipboardSanitizedWrite"]
    page.execute_cdp_cmd("Browser.grantPermissions", {"permissions": allowed})
    found = {}
    for button in page.find_elements("css selector", "[id='p.table2'] ~ .copy button"):
        name = button.text
        button.click()
        await_text(page, button, "copied")
        read = "navigator.clipboard.readText().then(arguments[0])"
        found[name] = page.execute_async_script(read)
    spanners, heads, *lines = csv.reader(found["CSV"].splitlines())
    assert {len(line) for line in (heads, *lines)} == {len(spanners)}
    assert {line[0] for line in lines} == {"low"}
    ours = next(x for x, pair in enumerate(zip(spanners, heads, strict=True)) if pair[1] == "here")
    assert spanners[ours] == spanners[ours - 1]
    assert found["LaTeX"].startswith(r"\begin{tabular}{l")
    assert r"91.13 $\pm$ 1.41 &" in found["LaTeX"]


def test_a_figure_is_drawn_from_within_the_file(page) -> None:
    assert page.execute_script("return document.querySelector('figure img').naturalWidth") > 0


def test_the_systems_of_a_group_share_its_name(page) -> None:
    groups = "section:has([id='p.table2']) tbody tr > th:first-child:has(+ th)"
    assert texts(page, groups) == ["low", "high"]


def test_a_number_opens_its_record(page) -> None:
    link = page.find_element("css selector", OURS)
    link.click()
    dialog = page.find_element("css selector", "dialog[open]")
    lines = dialog.find_elements("css selector", "tr[data-line] th")
    cell = link.get_attribute("data-cell")
    assert pages.RUN in dialog.text
    assert [line.text for line in lines if line.is_displayed()] == [cell]
    assert f"explain {cell}" in dialog.text
    files = {f"seed1/{name}" for name in ("record.json", "hyp.test.txt", "log.jsonl")}
    assert files <= set(texts(page, "dialog a"))


def test_closing_the_record_leads_back_to_the_number(page) -> None:
    link = page.find_element("css selector", OURS)
    link.send_keys("\n")
    page.switch_to.active_element.send_keys(ESCAPE)
    await_element(page, f".origins [id='{RUN}']")
    assert page.find_elements("css selector", "dialog[open]") == []
    assert page.switch_to.active_element == link
    assert texts(page, f".origins [id='{RUN}'] h3") == [pages.RUN]


def test_without_scripts_a_number_leads_to_its_record(chromium, address: str) -> None:
    page = open_page(chromium, address, scripts=False)
    page.find_element("css selector", OURS).click()
    assert page.current_url == f"{address}#{RUN}"
    top = page.find_element("id", RUN).rect["y"] - page.execute_script("return scrollY")
    assert 0 <= top < 900


def test_without_scripts_everything_can_be_read_and_nothing_pretends(
    chromium, address: str
) -> None:
    page = open_page(chromium, address, scripts=False)
    hidden = (
        "return [...document.querySelectorAll('main *')]"
        ".filter((each) => !each.closest('details') && !each.checkVisibility()).length"
    )
    assert page.execute_script(hidden) == 0


@pytest.mark.parametrize(("scheme", "width"), READERS)
def test_the_page_is_never_wider_than_the_screen(chromium, address: str, scheme, width) -> None:
    page = open_page(chromium, address, scheme=scheme, width=width)
    assert page.execute_script("return document.documentElement.scrollWidth") <= width
    page.find_element("css selector", OURS).send_keys("\n")
    box = page.find_element("css selector", "dialog[open]").rect
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width


def test_dark_readers_get_a_dark_page(chromium, address: str) -> None:
    colour = "return getComputedStyle(document.body).backgroundColor"
    light, dark = (
        open_page(chromium, address, scheme=scheme).execute_script(colour)
        for scheme in ("light", "dark")
    )
    assert (light, dark) == ("rgb(251, 251, 249)", "rgb(20, 23, 27)")


@pytest.mark.parametrize(("scheme", "width"), READERS)
def test_axe_finds_nothing_serious(chromium, address: str, axe: str, scheme, width) -> None:
    page = open_page(chromium, address, scheme=scheme, width=width)
    page.execute_script(axe)
    assert serious(page) == []
    page.find_element("css selector", OURS).send_keys("\n")
    assert serious(page) == []
