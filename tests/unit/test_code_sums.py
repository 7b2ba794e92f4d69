"""Sums of our code change with what it does and with nothing else."""

from pathlib import Path

import pytest

from deepmt.base.code_sums import SCRIPTS, closure, parse

SOURCE = b'''"""Say what it is."""
import deepmt.base.files
from deepmt.model import norm


def double(x: float) -> float:
    """Return twice `x`."""
    return 2 * x  # exact
'''


def test_comments_docstrings_and_layout_do_not_count() -> None:
    other = (
        SOURCE.replace(b"twice", b"two times")
        .replace(b"  # exact", b"")
        .replace(b"2 * x", b"(2*x)")
    )
    assert parse(other) == parse(SOURCE)


@pytest.mark.parametrize("edit", [(b"2 * x", b"x * 2"), (b"2 *", b"2. *"), (b"double", b"twice")])
def test_code_counts(edit: tuple[bytes, bytes]) -> None:
    assert parse(SOURCE.replace(*edit))[0] != parse(SOURCE)[0]


def test_imports_are_found() -> None:
    assert parse(SOURCE)[1] == ["deepmt.base.files", "deepmt.model", "deepmt.model.norm"]


def names(script: str) -> set[str]:
    """Name what a script runs, as seen from the library."""
    files = closure([SCRIPTS / "jobs" / script])
    return {str(file.relative_to(SCRIPTS).with_suffix("")) for file in files}


def test_training_does_not_depend_on_the_search_nor_on_reading_settings() -> None:
    assert "deepmt/model/build" in names("train.py")
    assert not {
        name
        for name in names("train.py")
        if "decode" in name or "settings" in name or "study" in name
    }
    assert "deepmt/decode/beam" in names("translate.py")


def test_a_stage_depends_on_the_logic_that_it_shares_with_settings() -> None:
    assert "deepmt/base/placeholders" in names("extract.py")
    assert "deepmt/base/languages" in names("score.py")
    assert "deepmt/data/dataset" in names("encode.py")


def test_data_beside_a_module_counts() -> None:
    assert any("templates" in name for name in names("render.py"))


def test_a_file_that_is_gone_is_no_import(tmp_path: Path) -> None:
    module = tmp_path / "alone.py"
    module.write_text("import deepmt.no_such_module\n")
    assert closure([module]) == [module]
