"""Dry runs: each request has the stages planned that it needs, and no others."""

import re

import pytest
from run_snakemake import jobs_of
from test_workflow import ROOT, snakemake

from deepmt.config.corpora import load_corpora
from deepmt.config.plan import load_plan

SYNTHETIC = ("papers=unified", "rows=unified.t2.synthetic", "seeds=77")


def planned(*flags: str) -> str:
    """What Snakemake says that it would do."""
    found = snakemake("-n", *flags)
    assert found.returncode == 0, found.stderr
    return found.stdout


def test_every_stage_of_a_fresh_run_is_planned() -> None:
    jobs = jobs_of(planned("--forceall", "--config", "papers=unified", "rows=headline"))
    stages = {"extract", "encode", "train", "average", "translate", "score", "record"}
    assert stages <= jobs.keys()


def test_real_text_is_fetched_and_extracted() -> None:
    config = ("scale=multi30k", "papers=unified", "rows=unified.t1.shallow-post")
    jobs = jobs_of(planned("--forceall", "--config", *config))
    assert jobs["fetch_archive"] > 0
    assert jobs["extract"] == 1


@pytest.mark.slow
def test_every_stage_of_the_full_reproduction_is_planned(tmp_path) -> None:
    """Without a network, and without its data."""
    papers = "papers=zhang2019,wang2019,bapna2018,liu2020"
    config = ("scale=paper", papers, "rows=all", "seeds=77", f"mirror={tmp_path}")
    said = planned("--forceall", "--config", *config)
    jobs = jobs_of(said)
    for rule in ("fetch_archive", "extract", "encode", "train", "translate", "score", "record"):
        assert jobs[rule] >= 10, rule
    assert jobs["train"] > 120
    assert "nist12/train.zh: The Chinese side of the LDC corpora" in said


def test_real_text_is_translated_back_before_anyone_trains_on_it() -> None:
    jobs = jobs_of(planned("--forceall", "--config", "scale=multi30k", *SYNTHETIC))
    assert jobs["back_translate"] == 4
    assert jobs["monolingual"] == jobs["join_synthetic"] == jobs["reverse_corpus"] == 1
    assert jobs["train"] == 2
    assert jobs["score"] == 3, "the reverse run is trained, but its sets are not scored"


def test_shards_wait_for_the_reverse_run_and_the_corpus_for_all_shards() -> None:
    order = planned("--forceall", "--config", *SYNTHETIC)
    shards = [order.index(f"Translate shard {k} of the text for toy-bt.en-de") for k in range(4)]
    assert order.index("Train post-6-6-d96-toy.de-en-") < min(shards)
    assert max(shards) < order.index("Join bitext and synthetic pairs: toy-bt.en-de")
    assert order.index("Join bitext") < order.index("Train post-2-2-d64-toy-bt.en-de-")


def test_one_side_of_another_corpus_serves_a_scale_of_its_own_only() -> None:
    found = snakemake("-n", "data/raw/toy-bt.en-de/counts.json", "--config", "scale=multi30k")
    assert found.returncode != 0
    assert "toy-bt.en-de belongs to the toy scale" in found.stderr + found.stdout


def archives(*config: str) -> set[str]:
    """The archives that `snakemake fetch` plans; it plans nothing else."""
    said = planned("--forceall", "fetch", "--config", *config)
    assert jobs_of(said).keys() <= {"fetch", "fetch_archive"}
    return set(re.findall(r"Fetch (\S+)$", said, re.MULTILINE))


def test_the_toy_scale_needs_no_network() -> None:
    assert archives("scale=toy", "rows=all") == set()


@pytest.mark.parametrize("paper", ["zhang2019", "liu2020"])
def test_a_paper_s_archives_are_planned_and_no_others(paper: str) -> None:
    config = {"scale": "paper", "papers": paper, "rows": "all"}
    corpora = load_corpora(ROOT / "corpora.yaml")
    runs = load_plan(ROOT, config).runs.values()
    needed = {key for spec in runs for key in corpora.corpus(spec.data.corpus).archives}
    texts = {key for text in corpora.monolingual.values() for key in text.archives}
    assert needed
    assert archives(*(f"{key}={value}" for key, value in config.items())) - texts == needed


@pytest.mark.parametrize(("mode", "status"), [("default", 1), ("subprocess", 0)])
def test_only_where_archives_are_fetched_must_their_folder_be_there(mode, status) -> None:
    found = snakemake("-n", "fetch", "--mode", mode, "--config", "mirror=/no/such")
    assert found.returncode == status
    assert ("no such folder: /no/such" in found.stdout + found.stderr) == bool(status)


def test_a_report_from_records_alone_trains_nothing() -> None:
    jobs = jobs_of(planned("--forceall", "--config", "from=records"))
    assert jobs.keys() == {"render", "all"}


def test_a_figure_that_is_asked_for_has_its_systems_trained_and_broken_down() -> None:
    config = ("papers=liu2020", "rows=liu2020.fig3", "scale=toy")
    jobs = jobs_of(planned("--forceall", "--config", *config))
    assert {"train", "record", "breakdown", "render"} <= jobs.keys()
    assert not {"probe", "speed"} & jobs.keys()


@pytest.mark.parametrize(
    ("row", "splits"),
    [("zhang2019.t4.r01", {"test", "train", "dev"}), ("zhang2019.t3.r01", {"test"})],
)
def test_rows_of_zhang_s_table_4_alone_pay_for_its_columns(row, splits) -> None:
    said = planned("--config", "papers=zhang2019", f"rows={row}", "seeds=77")
    for job in ("Translate", "Score"):
        assert set(re.findall(rf"{job} (\w+) (?:with|of) .*, seed 77", said)) == splits


def test_the_table_of_statistics_builds_its_corpora_and_trains_nothing() -> None:
    # At this scale no checkout has runs of its own, which tables would show as well.
    config = ("scale=paper", "papers=zhang2019", "rows=zhang2019.table2")
    jobs = jobs_of(planned("--forceall", "tables", "--config", *config))
    assert jobs.keys() >= {"extract", "tokenise", "encode", "render"}
    assert not jobs.keys() & {"initialise", "train", "translate"}


def test_tables_count_no_corpus_that_no_run_asked_for_needs() -> None:
    config = ("scale=paper", "papers=zhang2019", "rows=zhang2019.t5.r3", "seeds=77")
    said = planned("tables", "--config", *config)
    encoded = set(re.findall(r"Learn subwords of (\S+) and encode it", said))
    built = {path.parent.name for path in (ROOT / "data/encoded").glob("*/words.json")}
    assert {name.rpartition(".")[2][:5] for name in encoded - built} == {"de-en"}
