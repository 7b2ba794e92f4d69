from dataclasses import replace

import pandas as pd
import pytest
from full_sizes import PAPERS, ROOT, SCALE

from deepmt.untrained.parameters import count, sizes
from deepmt.untrained.untrained_specs import full_size

COUNTS = {
    "zhang2019.t3.r01": 72_310_784,
    "zhang2019.t3.r04": 66_000_896,
    "zhang2019.t3.r06": 72_304_640,
    "zhang2019.t3.r07": 72_298_496,
    "zhang2019.t3.r11": 116_449_280,
    "zhang2019.t3.r13": 103_829_504,
    "zhang2019.t3.r16": 154_267_648,
    "zhang2019.t6.r6": 232_701_952,
    "wang2019.t1.r09": 61_566_976,
    "wang2019.t1.r10": 211_214_336,
    "wang2019.t1.r12": 61_579_362,
    "wang2019.t1.r13": 121_494_741,
    "wang2019.t1.r14": 61_569_024,
    "wang2019.t1.r17": 61_581_410,
    "bapna2018.t1.transparent.base-6l": 93_323_690,
    "bapna2018.t1.transparent.base-20l": 137_458_046,
    "bapna2018.t1.baseline.big-6l": 375_406_976,
    "bapna2018.t3.baseline.512-6l": 127_550_336,
    "bapna2018.t3.baseline.512-20l": 215_745_408,
    "liu2020.t1.6l-6l-default.fr": 66_928_640,
    "liu2020.t1.60l-12l-admin.fr": 262_461_440,
    "liu2020.t1.60l-12l-default.de": 256_368_640,
}
"""Derived by hand from the formulas of each architecture."""
UNRECONCILED = {
    "zhang2019.table3": [72.2],
    "wang2019.table4": [161.5, 177.2],
    "bapna2018.table1": [94, 120, 137, 154],
    "bapna2018.table2": [94, 120, 137, 154],
}


@pytest.fixture(scope="module")
def lines():
    return pd.DataFrame(line for paper in PAPERS.values() for line in sizes(paper, SCALE))


def test_counts_are_those_derived_by_hand(lines):
    ours = lines.set_index("row").ours
    assert {row: ours[row] for row in COUNTS} == COUNTS


def test_every_printed_size_is_ours_but_for_a_known_list(lines):
    run = lines[lines.ours.notna() & lines.published_m.notna()]
    missed = run[run.note != ""].groupby("table").published_m.unique()
    assert {table: sorted(values) for table, values in missed.items()} == UNRECONCILED
    assert sum(run.note == "") == 77


def test_every_line_without_our_size_says_why(lines):
    assert (lines[lines.ours.isna()].note != "").all()


def test_the_archive_holds_the_same_sizes(lines):
    """Or else run workflow_scripts/jobs/params.py --output params.csv, and
    ./deepmt archive --measured params.csv, which adds its hash."""
    archived = pd.read_csv(ROOT / "records/params.csv").set_index("row")
    ours = lines.set_index("row")
    assert archived.ours.dropna().to_dict() == ours.ours.dropna().to_dict()
    assert archived.note.fillna("").to_dict() == ours.note.to_dict()


def test_a_size_that_differs_for_no_known_reason_is_an_error():
    paper = PAPERS["zhang2019"]
    wrong = replace(paper, vocabulary=dict.fromkeys(paper.vocabulary, (9, 9)))
    with pytest.raises(ValueError, match=r"zhang2019\.t3\.r01: .* for no known reason"):
        sizes(wrong, SCALE)


def test_weights_that_are_fixed_do_not_count():
    paper = PAPERS["wang2019"]
    learned, fixed = (
        count(full_size(paper, f"ende-base-20l-pre-dlcl{suffix}", SCALE), 99, 99)
        for suffix in ("", "-fix1")
    )
    assert learned - fixed == 21**2 + 7**2


def test_every_system_of_the_papers_is_legal_at_full_size():
    for paper in PAPERS.values():
        for name in paper.systems:
            assert full_size(paper, name, SCALE).encoder.layers > 0
