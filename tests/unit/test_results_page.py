"""The tables of docs/*.md are those that docs/tables.py makes of the records."""

import importlib.util
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/results.md").read_text()
SPEC = importlib.util.spec_from_file_location("tables", ROOT / "docs/tables.py")
assert SPEC is not None
assert SPEC.loader is not None
tables = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(tables)


def lines(table: str) -> list[list[str]]:
    """The cells of the lines of a table of docs/results.md."""
    text = PAGE.partition(f"<!-- table {table} -->\n")[2].partition("<!-- end -->")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines()]


def test_the_tables_are_those_that_the_records_make() -> None:
    for path in (ROOT / "docs").glob("*.md"):
        page = path.read_text()
        assert page == tables.filled(page), f"run docs/tables.py: {path.name}"
    assert len(re.findall("<!-- table ", PAGE)) >= 8


def test_one_recipe_and_more_updates_beat_a_rate_of_ones_own_as_often_as_the_page_says() -> None:
    bleus = [
        (line[2].split()[0].strip(";"), line[3].split()[0].strip(";"))
        for line in lines("budgets")[2:]
    ]
    higher = sum(float(recipe) > float(own) for recipe, own in bleus)
    assert f"{higher} of {len(bleus)} systems have a higher BLEU in the first column" in PAGE


def test_the_readme_says_how_much_processors_differ() -> None:
    _, _, *toy = lines("processors")
    bleu = {(label, layers): cells for label, layers, *cells in toy}
    readme = (ROOT / "README.md").read_text()
    for words, label in (
        ("of DS-Init has", "DS-Init (released code, l^-1/4)"),
        ("one of DLCL", "DLCL pre-norm"),
    ):
        assert f"{words} {' or '.join(sorted(bleu[label, '12+12']))}" in readme


def test_admin_catches_up_with_pre_norm_as_the_page_says() -> None:
    found = tables.compared("multi30k-budget")
    curves = []
    for name in ("deep-admin", "deep-pre"):
        [seed, *_] = found[name].seeds
        before = [one.perplexities["dev"] for one in seed.milestones]
        curves.append([*before, seed.perplexities["dev"]])
    *first, last = [f"{one / other:.2f}" for one, other in zip(*curves, strict=True)]
    assert f"was {', '.join(first)} and {last} times that of pre-norm" in " ".join(PAGE.split())
