"""Hours, memory and disk of what is left."""

import json
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
import shelf
from made_up_hardware import project

from deepmt.config.settings import Plan, load_plan
from deepmt.estimate.outlook import Outlook, look
from deepmt.estimate.plan_memory import parts, states_mb
from deepmt.estimate.sections import sections
from deepmt.estimate.sharing import saved, shares
from deepmt.estimate.written import as_json, write

CPU = {"device": "cpu", "name": "Invented CPU @ 2 GHz", "threads": 1, "workers": 1}
OTHER = CPU | {"name": "Another CPU"}
ROWS = "unified.t1.shallow-post,unified.t1.deep-pre,zhang2019.t3.r12,liu2020.table4"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return project(tmp_path)


@cache
def planned(**config: object) -> Plan:
    """Reading the papers takes a second; what lies in `root` is no part of it."""
    asked = {"papers": "unified,zhang2019,liu2020", "rows": ROWS, "hardware": "laptopx4"}
    return load_plan(shelf.ROOT, {**asked, "seeds": "1,2", **config})


def outlook(root: Path, **config: object) -> Outlook:
    return look(planned(**config), root)


def recorded(root: Path, found: Outlook, run: str, seed: int, **changes: object) -> None:
    """Put a seed's record where the workflow would."""
    spec = found.plan.every_run[run]
    record = shelf.made_up(spec, seed, ()) | {"updates": spec.training.updates, "hardware": CPU}
    path = root / found.plan.config.results / "runs" / run / f"seed{seed}" / "record.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(record | changes))


def test_hours_of_the_papers_are_the_total_and_what_sharing_saves(root: Path) -> None:
    found = outlook(root)
    parts_of = shares(found.runs, [paper.key for paper in found.plan.papers])
    assert sum(share.hours for share in parts_of) == pytest.approx(found.hours + saved(found.runs))
    assert saved(found.runs) > 0


def test_rows_are_counted_for_their_own_paper_alone(root: Path) -> None:
    run = next(iter(outlook(root).runs.values()))
    papers = ["zhang2019", "zhang2019b"]
    rows = ("zhang2019.t1.r1", "zhang2019b.t1.r1", "zhang2019b/base")
    both = replace(run, use=replace(run.use, rows=rows, papers=tuple(papers)))
    assert [share.rows for share in shares({"both": both}, papers)] == [1, 2]


def test_hours_are_seconds_times_threads(root: Path) -> None:
    run = next(iter(outlook(root, scale="multi30k", rows="unified.t1.deep-pre").runs.values()))
    cost, sets, decoded = run.cost, 3, 1000 + 1000 + 461
    seconds = cost.train_seconds + cost.other_seconds + sets * 5.0
    seconds += decoded / 1000 * cost.decode_seconds_per_1000
    assert run.hours == pytest.approx(2 * seconds * 2 / 3600)  # two seeds, two threads


def test_what_is_recorded_costs_nothing_more(root: Path) -> None:
    before = outlook(root)
    run = next(name for name, one in before.runs.items() if not one.use.feeds)
    for seed in (1, 2):
        recorded(root, before, run, seed)
    after = outlook(root)
    assert after.runs[run].left == {}
    assert after.hours == pytest.approx(before.hours - before.runs[run].hours)
    assert after.rules["train"] == (before.rules["train"][0], before.rules["train"][1] - 2)


def test_what_is_trained_has_still_to_be_translated(root: Path) -> None:
    before = outlook(root)
    run = next(name for name, one in before.runs.items() if not one.use.feeds)
    path = root / "results/toy/runs" / run / "seed1/outcome.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"hardware": {"device": "cuda", "name": "x"}, "updates": 1,
                                "train_seconds": 1.0}))  # fmt: skip
    found = outlook(root).runs[run]
    assert found.training(1) == 0 < found.decoding(1)
    assert found.training(2) > 0


def test_measured_seeds_correct_what_is_not_yet_run(root: Path) -> None:
    before = outlook(root)
    first, other = (name for name, run in list(before.runs.items())[:2])
    predicted = before.runs[first].cost.train_seconds
    recorded(root, before, first, 1, throughput={"train_seconds": 3 * predicted})
    after = outlook(root)
    assert [one.ratio for one in after.measured] == [pytest.approx(3)]
    assert after.runs[other].factor == pytest.approx(3)
    more = after.runs[other].training(1) - before.runs[other].training(1)
    assert more == pytest.approx(2 * before.runs[other].cost.train_seconds)


def test_a_run_that_diverged_is_measured_by_its_updates(root: Path) -> None:
    before = outlook(root)
    run, planned = next(iter(before.runs.items()))
    half = planned.spec.training.updates // 2
    recorded(
        root,
        before,
        run,
        1,
        outcome="diverged",
        diverged={"update": half, "reason": "loss is nan"},
        updates=half,
        throughput={"train_seconds": planned.cost.train_seconds / 2},
    )
    assert [one.ratio for one in outlook(root).measured] == [pytest.approx(1)]


@pytest.mark.parametrize("ran", [OTHER, CPU | {"earlier": [OTHER]}], ids=["another", "both"])
def test_other_machines_correct_nothing(root: Path, ran: dict[str, object]) -> None:
    before = outlook(root)
    run = next(iter(before.runs))
    recorded(root, before, run, 1, hardware=ran, throughput={"train_seconds": 1e6})
    assert outlook(root).measured == []


def test_text_is_waited_for(root: Path) -> None:
    found = outlook(root)
    maker = next(run for run in found.runs.values() if run.use.feeds)
    starts = found.schedule.starts
    made = starts[maker.tasks[0].name] + maker.tasks[0].hours
    for fed in maker.use.feeds:
        assert all(starts[f"{fed}/seed{seed}"] >= made for seed in (1, 2))


def test_a_micro_batch_fits_and_one_twice_as_large_does_not(root: Path) -> None:
    found = outlook(root, scale="paper", rows="all", hardware="cardx8")
    room = found.machines.hardware.memory_mb
    counts = set()
    for run in found.runs.values():
        count, fixed, peak = parts(run), states_mb(run), run.cost.train_memory_mb
        counts.add(count)
        if count is not None:
            assert fixed + (peak - fixed) / count <= room
            assert count == 1 or fixed + (peak - fixed) / (count / 2) > room
    assert len(counts) > 1


def test_disk_to_come_shrinks_by_what_is_written(root: Path) -> None:
    before = {stage.name: stage for stage in outlook(root).stages}
    folder = root / "data/raw/toy.en-de"
    folder.mkdir(parents=True)
    (folder / "counts.json").write_text("{}")
    after = {stage.name: stage for stage in outlook(root).stages}
    assert after["raw text"].here == 2
    assert after["raw text"].to_come < before["raw text"].to_come
    assert after["checkpoints"] == before["checkpoints"]


def test_all_of_it_is_written_three_times(root: Path, tmp_path: Path) -> None:
    found = outlook(root, budget=0.5)
    told = list(sections(found))
    write(found, told, tmp_path / "out")
    text = (tmp_path / "out/plan.md").read_text()
    assert all(f"## {section.title}" in text for section in told)
    assert json.loads((tmp_path / "out/plan.json").read_text()) == json.loads(
        json.dumps(as_json(found))
    )
    lines = (tmp_path / "out/plan.csv").read_text().splitlines()
    assert len(lines) == 1 + len(found.runs)


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            {"hardware": "laptop", "scale": "multi30k", "rows": "unified.t1.shallow-post"},
            "takes 2 threads, which is more than 1",
        ),
        ({"hardware": "lapdog"}, "did you mean"),
        ({"from": "records"}, "trains nothing"),
    ],
)
def test_what_cannot_be_planned_is_refused(
    root: Path, config: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        outlook(root, **config)
