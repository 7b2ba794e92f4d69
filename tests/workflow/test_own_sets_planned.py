"""Dev and a sample of the training set are translated where a table asks for them."""

import re

import pytest
from test_workflow import snakemake


@pytest.mark.parametrize(
    ("row", "splits"),
    [("zhang2019.t4.r01", {"test", "train", "dev"}), ("zhang2019.t3.r01", {"test"})],
)
def test_rows_of_zhang_s_table_4_alone_pay_for_its_columns(row, splits) -> None:
    found = snakemake("-n", "--config", "papers=zhang2019", f"rows={row}", "seeds=77")
    assert found.returncode == 0, found.stderr
    for job in ("Translate", "Score"):
        assert set(re.findall(rf"{job} (\w+) (?:with|of) .*, seed 77", found.stdout)) == splits
