"""Dry runs: a request plans the stages that it needs, with what they take, and no others."""

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from full_sizes import CORPORA
from run_snakemake import planned, run_snakemake, snakemake

import projects
from commands import plan
from deepmt.settings.text_steps import SAMPLE
from projects import ROOT

TOY = ("papers=unified", "rows=headline", "seeds=71,72")
SYNTHETIC = ("scale=multi30k", "papers=unified", "rows=unified.t2.synthetic", "seeds=77")
DEEP, SHALLOW = "liu2020.t1.60l-12l-admin.fr", "liu2020.t1.6l-6l-admin.fr"
ASKED = ("mem_mb", "runtime", "disk_mb")
GROWS = {"train": ("runtime", "disk_mb"), "average": ("mem_mb",), "initialise": ("mem_mb",)}
"""What is more for a deeper model."""


def rules(*flags: str) -> Counter[str]:
    """How many jobs of each rule are planned."""
    return Counter(job["rule"] for job in planned(*flags))


def of_run(found: list[dict[str, Any]], rule: str, size: str = "") -> dict[str, Any]:
    """The job of a rule for the run with these depths."""
    return next(job for job in found if job["rule"] == rule and size in job["run"])


def assert_each_asks(jobs: list[dict[str, Any]]) -> None:
    """Every job asks for whole numbers above zero."""
    for job in jobs:
        asked = [job.get(name) for name in ASKED] if job["shell"] else []
        assert all(isinstance(each, int) and each > 0 for each in asked), job


def test_every_stage_of_a_fresh_run_is_planned_and_needs_no_network() -> None:
    stages = {"extract", "encode", "train", "average", "translate", "score", "record", "render"}
    found = rules("--config", *TOY)
    assert stages <= found.keys()
    assert "fetch_archive" not in found


def test_the_plan_has_the_trainings_of_a_dry_run(tmp_path: Path) -> None:
    plan.main(config=(*TOY, "hardware=xeonx2"), root=ROOT, output=tmp_path / "plan.csv")
    left = pd.read_csv(tmp_path / "plan.csv")["seeds_left"]
    assert left.sum() == rules("--config", *TOY)["train"]


@pytest.mark.parametrize(
    "flags",
    [
        ("--config", *TOY),
        ("--config", *SYNTHETIC),
        ("probes", "speed", "plan", "--config", *TOY),
    ],
    ids=["toy", "synthetic", "other targets"],
)
def test_every_job_asks_for_whole_numbers_above_zero(flags: tuple[str, ...]) -> None:
    assert_each_asks(planned(*flags))


WAYS = (
    ("all", "params", "probes", "speed", "export", "translator", "crate", "plan", "--config", *TOY),
    ("--config", *SYNTHETIC),
    ("tune", "fetch", "--config", "scale=multi30k-fair", "papers=unified", "rows=headline"),
)
"""Every rule is one of some way's."""


def test_every_rule_is_planned_in_some_way() -> None:
    text = "".join(path.read_text() for path in (ROOT / "rules").glob("*.smk"))
    known = set(re.findall(r"^(?:rule|checkpoint) (\w+):", text, re.MULTILINE))
    assert known - {"report", "tables"} <= {job["rule"] for way in WAYS for job in planned(*way)}


@pytest.mark.parametrize("way", WAYS, ids=["toy", "synthetic", "tune"])
def test_what_snakemake_compares_is_the_same_in_a_moved_checkout(way: tuple[str, ...]) -> None:
    for job in planned(*way):
        assert [name for name in job["input"] if name.startswith("/")] == [], job["rule"]
        assert str(ROOT) not in f"{job['shell']} {job['params']}", job["rule"]


@pytest.mark.parametrize("way", WAYS, ids=["toy", "synthetic", "tune"])
def test_no_two_parameters_of_a_rule_are_numbers(way: tuple[str, ...]) -> None:
    """Snakemake 9.27 compares the set of their values: it sees no exchange, and no second 80."""
    for job in planned(*way):
        numbers = [one for one in job["params"] if isinstance(one, int | float)]
        assert len(numbers) < 2, job["rule"]


def test_real_text_is_translated_back_before_anyone_trains_on_it() -> None:
    """By shards that wait for the reverse run; its own sets are not scored."""
    jobs, found = planned("--config", *SYNTHETIC), rules("--config", *SYNTHETIC)
    assert found["fetch_archive"] > 0
    assert found["extract"] == found["monolingual"] == found["reverse_corpus"] == 1
    assert found["score"] == 3
    places = {
        rule: [place for place, job in enumerate(jobs) if job["rule"] == rule]
        for rule in ("train", "back_translate", "join_synthetic")
    }
    [reverse, forward], [joined] = places["train"], places["join_synthetic"]
    assert len(places["back_translate"]) == 4
    assert reverse < min(places["back_translate"])
    assert max(places["back_translate"]) < joined < forward


@pytest.mark.slow
def test_every_stage_of_the_full_reproduction_is_planned(tmp_path: Path) -> None:
    """Without a network, and without its data."""
    papers = "papers=zhang2019,wang2019,bapna2018,liu2020"
    config = ("scale=paper", papers, "rows=all", "seeds=77", f"mirror={tmp_path}")
    found = rules("--config", *config)
    for rule in ("fetch_archive", "extract", "encode", "train", "translate", "score", "record"):
        assert found[rule] >= 10, rule
    assert found["train"] > 120


def test_the_archives_of_papers_are_fetched_and_no_others() -> None:
    config = {"scale": "paper", "papers": "zhang2019,liu2020", "rows": "all"}
    jobs = planned("fetch", "--config", *(f"{key}={value}" for key, value in config.items()))
    assert {job["rule"] for job in jobs} == {"fetch", "fetch_archive"}
    runs = projects.plan(**config).runs.values()
    needed = {key for spec in runs for key in CORPORA.corpus(spec.data.corpus).archives}
    texts = {key for text in CORPORA.monolingual.values() for key in text.archives}
    assert {job["archive"] for job in jobs if job["shell"]} - texts == needed != set()


@pytest.mark.parametrize(("mode", "status"), [("default", 1), ("subprocess", 0)])
def test_only_where_archives_are_fetched_must_their_folder_be_there(mode, status) -> None:
    found = snakemake("-n", "fetch", "--mode", mode, "--config", "mirror=/no/such")
    assert found.returncode == status
    assert ("no such folder: /no/such" in found.stdout + found.stderr) == bool(status)


def test_a_figure_that_is_asked_for_has_its_systems_trained() -> None:
    found = rules("--config", "papers=liu2020", "rows=liu2020.fig3", "scale=toy")
    assert {"train", "record", "render"} <= found.keys()
    assert not {"probe", "speed"} & found.keys()


def test_rows_of_zhang_s_table_4_pay_for_its_columns() -> None:
    jobs = planned("--config", "papers=zhang2019", "rows=zhang2019.t4.r01", "seeds=77")
    for rule in ("translate", "score"):
        assert {job["split"] for job in jobs if job["rule"] == rule} == {"test", SAMPLE, "dev"}


def test_the_table_of_statistics_builds_its_corpora_and_trains_nothing() -> None:
    # At this scale no checkout has runs of its own, which tables would show as well.
    config = ("scale=paper", "papers=zhang2019", "rows=zhang2019.table2")
    found = rules("tables", "--config", *config)
    assert found.keys() >= {"extract", "encode", "render"}
    assert not found.keys() & {"initialise", "train", "translate"}


def test_requests_grow_with_the_spec_and_other_corpora_are_left_alone() -> None:
    config = ("scale=paper", "papers=liu2020", f"rows={DEEP},{SHALLOW}", "seeds=1")
    found = planned("--config", *config)
    deep, shallow = ({r: of_run(found, r, s) for r in GROWS} for s in ("-60-12-", "-6-6-"))
    for rule, resources in GROWS.items():
        for name in resources:
            assert deep[rule][name] > shallow[rule][name], (rule, name)
    assert len({job["dataset"] for job in found if job["rule"] == "encode"}) == 1


@pytest.mark.slow
def test_more_gpus_a_training_mean_less_time_and_more_processes() -> None:
    config = ("--config", "scale=paper", "papers=liu2020", f"rows={DEEP}", "seeds=1")
    one, four = (
        of_run(planned(f"--set-resources=train:gpu={count}", *config), "train") for count in (1, 4)
    )
    assert ("--gpus 1" in one["shell"], "--gpus 4" in four["shell"]) == (True, True)
    assert four["runtime"] < one["runtime"]
    assert four["mem_mb"] > one["mem_mb"]


def test_a_machine_without_gpus_may_compute_on_its_cpu() -> None:
    config = ("--config", "scale=iwslt14", "rows=unified.t1.shallow-post", "seeds=1")
    found = planned("--resources=gpu=0", *config)
    for rule in ("train", "translate"):
        assert "--gpus 0" in of_run(found, rule)["shell"]


def test_the_first_trials_of_the_named_rows_are_planned_and_none_is_translated(
    tmp_path: Path,
) -> None:
    fresh = projects.checkout(tmp_path)
    rows = "rows=unified.t6.keel,unified.t1.shallow-post"
    config = ("--config", "scale=multi30k-budget", rows)
    found = Counter(job["rule"] for job in planned("tune", *config, root=fresh))
    assert found["train"] == 2 * 3
    assert not found.keys() & {"average", "translate", "score"}


REFUSED = {
    "bad settings": ("--config scale=tyo papers=zhang2091", "did you mean 'zhang2019'"),
    "hardware": ("--config hardware=h2000", "unknown hardware 'h2000'"),
    "no trials": ("tune --config scale=multi30k", "errors:\nscales/multi30k.yaml has no `tuning`"),
    "synthetic text of another scale": (
        "data/raw/toy-bt.en-de/counts.json --config scale=multi30k",
        "toy-bt.en-de belongs to the toy scale",
    ),
    "an older setting": ("--config from=records", "`./deepmt report SCALE` renders records/"),
}
"""What is asked for, and what is said of it before any job."""


@pytest.mark.parametrize("asked", REFUSED)
def test_what_cannot_be_planned_is_refused(asked: str) -> None:
    flags, message = REFUSED[asked]
    found = snakemake("-n", *flags.split())
    said = found.stdout + found.stderr
    assert found.returncode
    assert message in said
    assert "MissingInput" not in said
    assert "Traceback (most recent" not in said


def test_no_cores_are_enough_to_list_jobs() -> None:
    found = run_snakemake(ROOT, "-n", "--cores", "0", "--nolock")
    assert found.returncode == 0, found.stderr
