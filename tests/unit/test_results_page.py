"""The tables of docs/*.md are those that docs/tables.py makes of the records."""

import importlib.util
import re
from pathlib import Path

from deepmt.report.answer import best

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
    for path in tables.pages():
        page = path.read_text()
        assert page == tables.filled(page), f"run docs/tables.py: {path.name}"
    assert len(re.findall("<!-- table ", PAGE)) >= 8


def test_the_readme_s_figure_is_the_one_that_the_records_make() -> None:
    assert tables.PICTURE.read_text() == tables.picture(tables.PICTURE.stem)
    assert f"(docs/{tables.PICTURE.name})" in (ROOT / "README.md").read_text()


def test_the_readme_says_how_much_processors_differ() -> None:
    _, _, *toy = lines("processors")
    bleu = {(label, layers): cells for label, layers, *cells in toy}
    readme = (ROOT / "README.md").read_text()
    for words, label in (
        ("of DS-Init has", "DS-Init (released code, l^-1/4)"),
        ("one of DLCL", "DLCL pre-norm"),
    ):
        assert f"{words} {' or '.join(sorted(bleu[label, '12+12']))}" in readme


def test_the_recipe_is_the_deep_run_that_dev_prefers() -> None:
    deep = best(one for one in tables.compared("multi30k-budget").systems.values() if one.deep)
    spec = tables.plan("little-text").specs[deep.row.id]
    assert spec.run == deep.seeds[0].run
    readme = " ".join((ROOT / "README.md").read_text().split())
    assert (
        f"{spec.encoder.layers}+{spec.decoder.layers} layers with {deep.row.label}, Adam, a rate of"
        f" {spec.training.lr * 1e3:g}e-3 after a warm-up of {spec.training.warmup} updates, dropout"
        f" {spec.training.dropout}, {spec.training.updates:,} updates of"
        f" {spec.training.batch_tokens:,} tokens"
    ) in readme
