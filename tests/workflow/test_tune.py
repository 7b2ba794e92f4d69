"""`snakemake tune` runs the trials of every system in stages and writes the rates it chose."""

from pathlib import Path

import pytest
from run_snakemake import jobs_of, run_snakemake
from small_toy import done, make

from deepmt.study.plan import load_plan
from tiny_runs import run_here

TUNING = """
tuning:
  systems: {shallow-post: {warmups: [2]}, shallow-pre: {warmups: [2, 4]}}
  rates: [5e-3, 7e-3]
  share: 0.75
  finalists: 1
  longer_warmup: 8
"""


@pytest.mark.slow
def test_rates_are_chosen_from_trials_and_again_from_records_alone(tmp_path: Path) -> None:
    root = make(tmp_path)
    with (root / "scales/toy.yaml").open("a") as file:
        file.write(TUNING)
    toy = root / "scales/toy.yaml"
    text = toy.read_text().replace("training.average: weights", "training.average: better")
    text = text.replace("training.epsilon: 1.0", "training.epsilon: 1e-8")
    toy.write_text(text.replace("training.updates: 12", "training.updates: 96"))
    done(root, "--cores", "2", "tune")
    rates = (root / "scales/toy.rates.csv").read_bytes()
    lines = rates.decode().splitlines()
    assert sum(line.endswith(",yes") for line in lines) == 2
    chosen = load_plan(root, {"papers": "unified"}).scale.chosen
    assert chosen.keys() == {"unified/shallow-post", "unified/shallow-pre"}
    records = [str(path) for path in (root / "results").glob("toy/runs/*/seed1/record.json")]
    run_here("commands.archive", "--records", *records, "--output", root / "records")
    (root / "scales/toy.rates.csv").unlink()
    (root / "results").rename(root / "results.elsewhere")
    elsewhere = run_snakemake(root, "-n", "tune")
    assert elsewhere.returncode == 0, elsewhere.stderr
    assert "train" not in jobs_of(elsewhere.stdout), "archived, not trained again"
    again = root / "again.csv"
    run_here("jobs.tune", "--root", root, "--scale", "toy", "--output", again)
    assert again.read_bytes() == rates
