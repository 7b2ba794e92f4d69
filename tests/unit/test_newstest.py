"""WMT's evaluation sets go through extraction unharmed, and have the sizes that are known."""

import hashlib
import re
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
from texts import SHARED, needs_shared

from deepmt.config.corpora import Corpora, Corpus, load_corpora
from deepmt.data.extraction import extract
from deepmt.data.lines import read_lines
from deepmt.data.members import open_member
from deepmt.placeholders import filled

ROOT = Path(__file__).parents[2]
NEWSTEST = SHARED / "newstest"

PRESETS = [
    "wmt14.en-de", "wmt14-stanford.en-de", "wmt14.en-fr", "wmt15.cs-en",
    "wmt18-preprocessed.en-fi", "wmt18-preprocessed.zh-en",
]  # fmt: skip
MD5 = {  # of newstest2013's plain files in WMT's dev.tgz (mlcommons/training, issue 59)
    "en": "23be23d7b9bd5ad1f2ebd076484332c9",
    "de": "872891e01855b43f2a87155e0c1d2076",
    "fr": "77db6a3d2259d00b4d5f45009a3ed375",
    "cs": "6a7e7af5a91b49bffcd7749312c029b4",
}
LENGTHS = {  # 13a tokens of test references
    "wmt14.en-de": 62688,
    "wmt14-stanford.en-de": 57579,
    "wmt14.en-fr": 77306,
    "wmt15.cs-en": 53569,
    "wmt18-preprocessed.en-fi": 44836,
    "wmt18-preprocessed.zh-en": 109936,
}


@pytest.fixture(scope="module")
def corpora() -> Corpora:
    return load_corpora(ROOT / "corpora.yaml")


def plain(member: str, archive: str, corpus: Corpus, language: str) -> bytes:
    """The published plain text that a member of an archive of SGML holds."""
    [year] = re.findall(r"newstest(\d{4})", member)
    pair = f"{corpus.source}-{corpus.target}"
    folder = NEWSTEST / year if int(year) < 2014 else NEWSTEST / year / pair
    if "filtered" in archive:
        folder = folder.with_name(f"{pair}-filtered2737")
    with open_member(folder / f"newstest{year}.{language}.gz") as stream:
        return stream.read()


def evaluation_sets(corpora: Corpora, key: str, folder: Path) -> tuple[Corpus, dict[str, Path]]:
    """A preset without its training text, and its archives made of the plain text."""
    corpus = corpora.corpus(key)
    splits = {name: parts for name, parts in (corpus.splits or {}).items() if name != "train"}
    corpus = replace(corpus, splits=splits, tokens=(), held_out=None)
    archives = {name: folder / name for name in corpus.archives}
    for part in {part.member: part for parts in splits.values() for part in parts}.values():
        for language in corpus.languages:
            assert part.member is not None
            member = filled(part.member, language, corpus.languages, part.codes)
            lines = plain(member, part.archive, corpus, language).decode().split("\n")
            marked = [f'<seg id="{i}"> {line}  </seg>' for i, line in enumerate(lines[:-1], 1)]
            with zipfile.ZipFile(archives[part.archive], "a") as bundle:
                bundle.writestr(member, "\n".join(["<refset>", *marked, "</refset>"]))
    return corpus, archives


@needs_shared
@pytest.mark.parametrize("key", PRESETS)
def test_every_evaluation_set_of_a_preset_has_its_lines(corpora, tmp_path: Path, key: str) -> None:
    corpus, archives = evaluation_sets(corpora, key, tmp_path)
    counts = extract(corpus, archives, tmp_path / "raw")  # refuses any other line count
    assert all(part.lines for parts in (corpus.splits or {}).values() for part in parts)
    tokenizer = Tokenizer13a()
    reference = read_lines(tmp_path / "raw" / f"test.{corpus.target}")
    assert sum(len(tokenizer(line.rstrip()).split()) for line in reference) == LENGTHS[key]
    assert set(counts) == set(corpus.split_names)


@needs_shared
@pytest.mark.parametrize("pair", ["en-de", "en-fr", "cs-en"])
def test_newstest2013_comes_out_byte_for_byte(corpora, tmp_path: Path, pair: str) -> None:
    key = {"en-de": "wmt14-stanford.en-de", "cs-en": "wmt15.cs-en"}.get(pair, "wmt14.en-fr")
    corpus, archives = evaluation_sets(corpora, key, tmp_path)
    dev = {"dev": (corpus.splits or {})["dev"][-1:]}
    extract(replace(corpus, splits=dev), archives, tmp_path / "raw")
    for language in corpus.languages:
        content = (tmp_path / "raw" / f"dev.{language}").read_bytes()
        assert hashlib.md5(content).hexdigest() == MD5[language]


@needs_shared
def test_what_python_takes_for_line_ends_in_newstest2009_ends_no_line(corpora, tmp_path) -> None:
    [part] = [part for part in corpora.parts if "newstest2009" in str(part.member)]
    corpus = replace(corpora.corpus("wmt14.en-de"), splits={"dev": (part,)})
    corpus, archives = evaluation_sets(replace(corpora, corpora={"x": corpus}), "x", tmp_path)
    assert extract(corpus, archives, tmp_path / "raw") == {"dev": 2525}
    assert len((tmp_path / "raw" / "dev.de").read_text(encoding="utf-8").splitlines()) == 2533


def test_zhang_s_7584_dev_pairs_are_a_cut_before_cleaning(corpora) -> None:
    corpus = corpora.corpus("iwslt14-uncleaned-cut.de-en")
    [part] = (corpus.splits or {})["train"]
    assert corpus.held_out is not None
    assert corpus.held_out.cleaning is None
    assert part.lines // corpus.held_out.every == 7584
