"""The section on the first printed score has the limits that verdicts use."""

import re
from pathlib import Path

from full_sizes import PAPERS

from deepmt.judge.standard_error import TOLERANCES

PAGE = Path(__file__).parents[2] / "papers/zhang2019.md"


def test_limits_are_the_printed_values_and_the_tolerance() -> None:
    rows = {row.id: row for table in PAPERS["zhang2019"].tables for row in table.rows}
    lines = re.findall(r"\| `(\S+)` \| .* \| ([\d.]+) \| ([\d.]+) to ([\d.]+) \|", PAGE.read_text())
    assert len(lines) == 2
    for name, *numbers in lines:
        printed, low, high = map(float, numbers)
        assert printed == rows[name].values["bleu"]
        tolerance = TOLERANCES["BLEU"].of(printed)
        assert (low, high) == (round(printed - tolerance, 2), round(printed + tolerance, 2))
