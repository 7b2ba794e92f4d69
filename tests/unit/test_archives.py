"""Whoever lacks a licensed corpus learns it before any job starts, and how to come by it."""

from pathlib import Path

import pytest

from deepmt.config.corpora import load_corpora
from deepmt.data.archives import missing, warning

CORPORA = load_corpora(Path(__file__).parents[2] / "corpora.yaml")
NIST = CORPORA.corpus("nist12.zh-en").archives


def names(folder: Path, mirror: Path | None = None) -> list[str]:
    return [archive.name for archive in missing(CORPORA, NIST, folder, mirror)]


def test_every_licensed_file_is_named_with_the_way_to_it(tmp_path: Path) -> None:
    lacking = missing(CORPORA, NIST, tmp_path, None)
    assert len(lacking) == len(NIST) == 10
    assert "nist12/mt06.en: The first English reference of LDC2010T17" in warning(lacking)


@pytest.mark.parametrize("place", ["archives/nist12.train.zh", "mirror/nist12/train.zh"])
def test_a_file_of_the_user_s_own_is_found(tmp_path: Path, place: str) -> None:
    (tmp_path / place).parent.mkdir(parents=True)
    (tmp_path / place).write_text("x\n")
    assert "nist12/train.zh" not in names(tmp_path / "archives", tmp_path / "mirror")


def test_what_has_an_address_is_never_named(tmp_path: Path) -> None:
    keys = CORPORA.corpus("wmt18-preprocessed.zh-en").archives
    assert missing(CORPORA, keys, tmp_path, None) == []
