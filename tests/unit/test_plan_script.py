"""plan.py by hand."""

from pathlib import Path

import pytest
from made_up_hardware import project

import plan
from deepmt.config.settings import read_overrides


def test_the_plan_fits_into_100_columns_of_plain_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = project(tmp_path)
    asked = ("rows=headline", "papers=unified", "hardware=laptopx2", "budget=0.1")
    plan.main(plan.Args(root=root, config=asked))
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 100
    assert not any("\x1b" in line for line in lines)
    for heading in ("Jobs", "Disk", "Papers", "Wall time", "Budget", "Predicted against real"):
        assert any(line.startswith(heading) for line in lines), heading
    assert {path.suffix for path in (root / "results/toy").glob("plan.*")} == {
        ".md", ".json", ".csv",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("scale=paper", "paper"),
        ("budget=2000", 2000),
        ("budget=1e3", 1000.0),
        ("papers=zhang2019,liu2020", "zhang2019,liu2020"),
        ("seeds=[1, 2]", [1, 2]),
        ('rows="all"', "all"),
        ("mirror=a=b", "a=b"),
    ],
)
def test_settings_are_given_as_for_snakemake(text: str, value: object) -> None:
    assert read_overrides([text]) == {text.partition("=")[0]: value}


def test_bad_settings_end_in_a_message(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="did you mean 'toy'"):
        plan.main(plan.Args(root=project(tmp_path), config=("scale=tyo",)))


def test_a_value_that_is_no_yaml_is_named(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"--config: rows=\[a: not valid YAML: did not find"):
        plan.main(plan.Args(root=project(tmp_path), config=("rows=[a",)))
