"""Ten of the generated wrong values through Snakemake: one clear line, no traceback, no run."""

import random
from pathlib import Path

import pytest
from run_snakemake import run_snakemake
from wrong_values import FILES, PLACES, TEXTS, as_yaml, spoilt, wrong_values

from projects import link

LOADED = [name for name in FILES if not name.startswith("scales/")] + ["scales/toy.yaml"]
"""The files that are read at the default scale."""
SLOW = [pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 11)]


@pytest.mark.parametrize("seed", [1, *SLOW])
def test_a_wrong_value_stops_snakemake_with_its_line(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)
    name = LOADED[seed % len(LOADED)]
    place = draw.choice([p for p in PLACES[name] if p.kind not in ("mapping", "list")])
    value = draw.choice(wrong_values(name, place))
    for each, text in TEXTS.items():
        (tmp_path / each).parent.mkdir(exist_ok=True)
        (tmp_path / each).write_text(text, encoding="utf-8")
    (tmp_path / name).write_text(spoilt(name, {place.span: as_yaml(value)}), encoding="utf-8")
    link(tmp_path, "Snakefile", "envs", "records", "report", "rules", "workflow_scripts")
    found = run_snakemake(tmp_path, "--cores", "2")
    said = found.stdout + found.stderr
    assert found.returncode != 0, (name, place.key, value)
    assert "Configuration errors:" in said
    assert f"{name}:{place.line}: " in said, (place.key, value, said)
    assert "Traceback" not in said
    assert len(said.splitlines()) < 10, said
    assert not [folder for folder in ("results", "data", "logs") if (tmp_path / folder).exists()]
