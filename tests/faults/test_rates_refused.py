"""A ranking of trials that was edited, emptied or damaged is refused with its line."""

import re
from pathlib import Path

import pytest

import projects
from deepmt.study.plan import load_plan

NAME = "scales/multi30k-budget.rates.csv"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A copy of the project's settings that a test may spoil."""
    return projects.copy(tmp_path, "config.yaml", "corpora.yaml", "papers", "scales")


EDITS: dict[str, tuple[str, str, str]] = {
    "rate": (
        "shallow-pre,3,0.004", "shallow-pre,3,0.005",
        r":5: run: this is not the run of shallow-pre with lr=0\.005, warmup=400 and 1 of the up",
    ),
    "warm-up": ("shallow-pre,3,0.004,400", "shallow-pre,3,0.004,300", r":5: run: this is not"),
    "chosen moved": (
        "2a91e7b052ef,yes\ndeep-dlcl-pre,1,0.008", "2a91e7b052ef,\ndeep-dlcl-pre,1,0.008",
        r":11: chosen: this is the best trial, not chosen of deep-dlcl-pre",
    ),
    "two chosen": (
        "5e957da5,AMD EPYC,2a91e7b052ef,yes\ndeep-dlcl-pre,1,0.002,400,0.2,finished,"
        "11.652648700328681,pre-dlcl-12-12-d128-multi30k.en-de-3f037978,Intel(R) Xeon(R) Processor,"
        "2a91e7b052ef,",
        "5e957da5,AMD EPYC,2a91e7b052ef,yes\ndeep-dlcl-pre,1,0.002,400,0.2,finished,"
        "11.652648700328681,pre-dlcl-12-12-d128-multi30k.en-de-3f037978,Intel(R) Xeon(R) Processor,"
        "2a91e7b052ef,yes",
        r":10: chosen: this is not the best trial of deep-dlcl-pre",
    ),
    "perplexity": ("finished,13.17135", "finished,3.17135", r":12: chosen: this is the best trial"),
    "YES": ("2a91e7b052ef,yes\ndeep-dlcl", "2a91e7b052ef,YES\ndeep-dlcl", r":9: chosen: .*'YES'"),
    "no number": ("shallow-pre,3,0.004", "shallow-pre,3,fast", r":5: lr: 'fast' should"),
    "a trial twice": ("shallow-pre,1,0.002", "shallow-pre,1,0.004", r":2: shallow-pre has this"),
    "unknown system": ("\nshallow-pre,", "\nshalow-pre,", r":2: unknown system 'shalow-pre'; did"),
    "a field too many": ("yes\nshallow-tr", "yes,\nshallow-tr", r":5: 12 columns, not 11"),
    "a column renamed": ("chosen\n", "selected\n", r":1: the columns must be system, stage, "),
}  # fmt: skip


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_is_refused_with_its_line(edit: str, root: Path) -> None:
    old, new, said = EDITS[edit]
    path = root / NAME
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(ValueError, match=re.escape(str(path)) + said) as caught:
        load_plan(root, {"scale": "multi30k-budget", "papers": "unified"})
    assert "`snakemake tune` would not write this: restore it from git" in str(caught.value)


FILES = {
    "empty": (lambda path: path.write_text(""), ":1: the columns must be system, stage"),
    "bytes": (lambda path: path.write_bytes(b"\xff\xfe"), " is not a CSV file in UTF-8"),
    "folder": (lambda path: (path.unlink(), path.mkdir()), ": Is a directory"),
}


@pytest.mark.parametrize("fault", FILES)
def test_what_is_no_ranking_is_named(fault: str, root: Path) -> None:
    spoil, said = FILES[fault]
    spoil(root / NAME)
    with pytest.raises(ValueError, match=re.escape(f"{root / NAME}{said}")):
        load_plan(root, {"scale": "multi30k-budget", "papers": "unified"})


def test_rates_that_were_chosen_under_other_settings_still_count(root: Path) -> None:
    """Then no run of the file has the name that the settings of today give."""
    scale = root / "scales/multi30k-budget.yaml"
    scale.write_text(scale.read_text().replace("training.updates: 6000", "training.updates: 6600"))
    chosen = load_plan(root, {"scale": "multi30k-budget", "papers": "unified"}).scale.chosen
    assert chosen["unified/shallow-pre"]["training.lr"] == 0.004
