"""The statistics of corpora need corpora, and nobody else's: nothing is trained for them."""

import re

from test_workflow import ROOT, snakemake


def jobs(*flags: str) -> set[str]:
    found = snakemake("-n", *flags)
    assert found.returncode == 0, found.stderr
    return set(re.findall(r"^(\w+) +\d+$", found.stdout, re.MULTILINE)) - {"total"}


def test_the_table_of_statistics_builds_its_corpora_and_trains_nothing() -> None:
    # At this scale no checkout has runs of its own, which tables would show as well.
    config = ("scale=paper", "papers=zhang2019", "rows=zhang2019.table2")
    found = jobs("--forceall", "tables", "--config", *config)
    assert found >= {"extract", "tokenise", "encode", "count_words", "corpora", "cells"}
    assert not found & {"initialise", "train", "translate"}


def test_tables_count_no_corpus_that_no_run_asked_for_needs() -> None:
    config = ("scale=paper", "papers=zhang2019", "rows=zhang2019.t5.r3", "seeds=77")
    found = snakemake("-n", "tables", "--config", *config)
    assert found.returncode == 0, found.stderr
    counted = set(re.findall(r"Count the words of (\S+)", found.stdout))
    built = {path.parent.name for path in (ROOT / "data/encoded").glob("*/manifest.json")}
    assert {name.rpartition(".")[2][:5] for name in counted - built} == {"de-en"}
