"""What records/ and scales/ hold is sound: it is checked here, where it enters git."""

from pathlib import Path

import pytest

from deepmt.measured.consistency import contradictions
from deepmt.measured.record_archive import scale_of
from deepmt.measured.records import Record
from deepmt.measured.seed_files import read_seeds
from deepmt.measured.table import with_sentences
from deepmt.measured.training_curves import TrainingCurves
from deepmt.settings.spec import from_sections
from projects import ROOT
from tiny_runs import run_here

ARCHIVE = ROOT / "records"
RECORDED = sorted({scale_of(path) for path in ARCHIVE.glob("*.jsonl")})
RANKED = [scale_of(path) for path in (ROOT / "scales").glob("*.rates.csv")]


@pytest.mark.parametrize("scale", RECORDED)
def test_records_contradict_neither_their_settings_nor_each_other(scale: str) -> None:
    records, refused = read_seeds(Record, (), ARCHIVE, None, scale)
    assert records
    assert refused == []
    assert [(one.location, why) for one, why in contradictions(records)] == []
    assert [one.location for one in records if one.run != from_sections(one.spec).run] == []


@pytest.mark.parametrize("scale", RECORDED)
def test_log_probabilities_are_those_of_the_perplexities(scale: str) -> None:
    records, _ = read_seeds(Record, (), ARCHIVE, None, scale)
    assert with_sentences(records, ARCHIVE)[2] == []


@pytest.mark.parametrize("scale", RECORDED)
def test_all_curves_are_read_and_belong_to_a_record(scale: str) -> None:
    curves, refused = read_seeds(TrainingCurves, (), ARCHIVE / "curves", None, scale)
    assert refused == []
    records, _ = read_seeds(Record, (), ARCHIVE, None, scale)
    seeds = {(one.run, one.seed, one.updates) for one in records}
    assert [one.location for one in curves if (one.run, one.seed, one.updates) not in seeds] == []


@pytest.mark.parametrize("scale", RANKED)
def test_rates_are_those_that_the_records_choose(scale: str, tmp_path: Path) -> None:
    run_here("jobs.tune", "--scale", scale, "--root", ROOT, "--output", tmp_path / "rates.csv")
    kept = ROOT / "scales" / f"{scale}.rates.csv"
    assert (tmp_path / "rates.csv").read_bytes() == kept.read_bytes()
