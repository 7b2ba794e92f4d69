"""What is said of a seed, from the files that it left, whatever happened to it."""

import os
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import made_up_status as made_up
import pytest
from made_up_status import (
    HERE,
    NOW,
    UPDATES,
    event,
    make,
    position,
    see,
    start,
    wanted,
    write_log,
    write_stage_log,
)  # fmt: skip

from deepmt.status.tasks import STAGES, missing, tasks

HOUR = 3600.0
SEED = wanted()
UNDER_WAY = [start(), position(10), position(40)]


def state_of(root: Path, *lines: Any, age: float, **how: Any) -> str:
    """Of a seed with such a log."""
    make(root, SEED, "initialise")
    write_log(root, SEED, *lines, age=age)
    return see(root, SEED, **how).state


def test_what_writes_is_running_and_says_where_it_is(tmp_path: Path) -> None:
    make(tmp_path, SEED, "initialise")
    write_log(tmp_path, SEED, *UNDER_WAY, age=7)
    found = see(tmp_path, SEED)
    assert (found.state, found.stage, found.update, found.loss) == ("running", "train", 40, 4.6)
    assert (found.host, found.since, found.silent, found.attempt) == ("there", NOW, 7, 1)
    assert found.pace is not None
    assert (found.pace.seconds, found.pace.tokens) == (2.0, 25.0)


def test_a_killed_run_is_taken_for_a_running_one_until_it_has_been_silent(tmp_path: Path) -> None:
    assert state_of(tmp_path, *UNDER_WAY, age=300) == "running"
    assert state_of(tmp_path, *UNDER_WAY, age=HOUR) == "failed"


def test_on_this_host_a_lock_that_nobody_holds_tells_sooner(tmp_path: Path) -> None:
    log = [start(host=HERE), *UNDER_WAY[1:]]
    assert state_of(tmp_path, *log, age=30) == "running"
    assert state_of(tmp_path, *log, age=90) == "failed"
    assert state_of(tmp_path, *log, age=90, locked=None) == "running"


def test_who_holds_the_lock_is_at_work_however_silent(tmp_path: Path) -> None:
    lock = tmp_path / SEED.folder / "lock"
    lock.parent.mkdir(parents=True)
    lock.touch()
    held = frozenset({lock.stat().st_ino})
    assert state_of(tmp_path, *UNDER_WAY, age=9 * HOUR, locked=held) == "running"
    assert state_of(tmp_path, *UNDER_WAY, age=9 * HOUR) == "failed"


def test_updates_of_a_minute_each_are_waited_for(tmp_path: Path) -> None:
    slow = [start(), position(1, seconds=60), position(2, seconds=60)]
    assert state_of(tmp_path, *slow, age=1500) == "running"
    assert state_of(tmp_path, *UNDER_WAY, age=1500) == "failed"


def test_whoever_was_asked_to_stop_did_not_fail(tmp_path: Path) -> None:
    stopped = event("stopped", update=40, signal=["SIGTERM"])
    for age in (1, 9 * HOUR):
        assert state_of(tmp_path, *UNDER_WAY, stopped, age=age) == "stopped"
    assert state_of(tmp_path, *UNDER_WAY, stopped, start(2), age=1) == "running"


def test_a_job_that_has_emptied_its_log_is_about_to_go_on(tmp_path: Path) -> None:
    stopped = event("stopped", update=40, signal=["SIGTERM"])
    write_stage_log(tmp_path, SEED, "train", "", age=5)
    assert state_of(tmp_path, *UNDER_WAY, stopped, age=HOUR) == "running"
    assert state_of(tmp_path, *UNDER_WAY, stopped, age=1) == "stopped"
    write_stage_log(tmp_path, SEED, "train", "asked to stop\n", age=5)
    assert state_of(tmp_path, *UNDER_WAY, stopped, age=HOUR) == "stopped"
    write_stage_log(tmp_path, SEED, "train", "", age=HOUR)
    assert state_of(tmp_path, *UNDER_WAY, stopped, age=2 * HOUR) == "stopped"


def test_it_is_known_when_somebody_was_at_work(tmp_path: Path) -> None:
    write_log(tmp_path, SEED, *UNDER_WAY, age=7)
    assert see(tmp_path, SEED).busy == (87, 0)
    write_log(tmp_path, SEED, *UNDER_WAY, age=HOUR)
    assert see(tmp_path, SEED).busy == (HOUR + 80, HOUR)
    make(tmp_path, SEED, "train")
    assert see(tmp_path, SEED).busy == (3599 + 250, 3599)


def test_an_outcome_that_was_removed_is_to_be_made_again(tmp_path: Path) -> None:
    end = event("end", outcome="finished", update=UPDATES)
    assert state_of(tmp_path, *UNDER_WAY, end, age=HOUR) == "waiting"


@pytest.mark.parametrize(
    "log",
    [
        (),
        (b'{"event"',),
        (b"\x00" * 100,),
        (event("aurora"),),
        (b'{"event": "start", "attempt": 1}\n',),
    ],
)
def test_a_log_without_anything_known_is_judged_by_its_age(tmp_path: Path, log: Any) -> None:
    assert state_of(tmp_path, *log, age=9) == "running"
    assert state_of(tmp_path, *log, age=HOUR) == "failed"


def test_a_failed_run_says_why_and_from_where_it_goes_on(tmp_path: Path) -> None:
    make(tmp_path, SEED, "initialise")
    write_log(tmp_path, SEED, *UNDER_WAY, age=HOUR)
    write_stage_log(tmp_path, SEED, "train", "Traceback\n  File\nOSError: disk\n\n", HOUR)
    resume = tmp_path / SEED.folder / "resume"
    resume.mkdir()
    for name in ("state-00000008-aa.pt", "state-00000032-bb.pt", ".state.pt.7.tmp"):
        (resume / name).touch()
    found = see(tmp_path, SEED)
    assert (found.note, found.update, found.saved) == ("OSError: disk", 40, 32)


def test_a_resumed_run_stands_where_it_went_back_to(tmp_path: Path) -> None:
    resumed = position(20, 2) | {"event": "resumed"}
    write_log(tmp_path, SEED, *UNDER_WAY, start(2), resumed, position(25, 2))
    assert see(tmp_path, SEED).update == 25


def test_a_run_that_begins_anew_forgets_where_it_was(tmp_path: Path) -> None:
    log = [*UNDER_WAY, start(2), event("anew", 2, differs=["spec"])]
    write_log(tmp_path, SEED, *log)
    assert (see(tmp_path, SEED).update, see(tmp_path, SEED).loss) == (0, None)


def test_a_loss_that_is_no_number_is_not_shown(tmp_path: Path) -> None:
    write_log(tmp_path, SEED, start(), position(10, loss=float("nan")), position(20, loss=None))
    assert see(tmp_path, SEED).loss is None


@pytest.mark.parametrize(("made", "after"), [*pairwise([*STAGES, ""])])
def test_after_each_stage_the_next_one_waits(tmp_path: Path, made: str, after: str) -> None:
    make(tmp_path, SEED, made)
    found = see(tmp_path, SEED)
    assert (found.state, found.stage) == ("waiting" if after else "done", after)


def test_what_was_recorded_is_done_whatever_was_cleared_away(tmp_path: Path) -> None:
    make(tmp_path, SEED, "record")
    for path in (tmp_path / SEED.folder).iterdir():
        if path.name != "record.json":
            path.unlink()
    assert see(tmp_path, SEED).state == "done"


def test_weights_alone_may_be_asked_for(tmp_path: Path) -> None:
    reverse = replace(SEED, sets=())
    make(tmp_path, SEED, "train")
    assert see(tmp_path, reverse).todo == ("average",)
    make(tmp_path, SEED, "average")
    assert see(tmp_path, reverse).state == "done"


def test_where_scores_are_averaged_each_checkpoint_is_translated() -> None:
    many = wanted(training__average="scores", training__average_last=3)
    stages = [task.stage for task in tasks(many)]
    assert [stages.count(stage) for stage in STAGES] == [1, 1, 3, 6, 6, 1]
    logs = [task.log for task in tasks(many)]
    assert len(set(logs)) == len(logs)


def test_the_files_of_a_task_are_those_of_the_rules() -> None:
    rules = "".join(
        (Path(__file__).parents[2] / "rules" / f"{name}.smk").read_text()
        for name in ("train", "evaluate")
    )
    wildcards = {"toy": "{scale}", SEED.run: "{run}", "seed1": "seed{seed}", ".test.": ".{set}."}
    for task in tasks(replace(SEED, sets=("test",))):
        for path in (str(SEED.folder / task.product), str(task.log)):
            for value, name in wildcards.items():
                path = path.replace(value, name)
            assert path in rules.replace("{point}", "")


@pytest.mark.parametrize("stage", ["initialise", "train", "average", "translate", "record"])
def test_a_stage_is_at_work_while_its_log_is_young(tmp_path: Path, stage: str) -> None:
    before = STAGES[STAGES.index(stage) - 1]
    make(tmp_path, SEED, before if stage != "initialise" else "record")
    if stage == "initialise":
        for path in (tmp_path / SEED.folder).iterdir():
            path.unlink()
    for age, state in ((9, "running"), (1800, "failed"), (2 * HOUR, "waiting")):
        write_stage_log(tmp_path, SEED, stage, "so far\n", age)
        found = see(tmp_path, SEED)
        assert (found.stage, found.state) == (stage, state)
        assert found.note == ("" if state == "waiting" else "so far")


def test_a_diverged_run_says_when_and_why_and_is_translated_all_the_same(tmp_path: Path) -> None:
    why = {"update": 60, "reason": "loss is nan", "rows": []}
    make(tmp_path, SEED, "train", diverged=why, outcome="diverged", updates=59, train_loss=None)
    found = see(tmp_path, SEED)
    assert (found.diverged, found.stage) == ("at update 60: loss is nan", "average")


def test_a_damaged_outcome_is_named(tmp_path: Path) -> None:
    make(tmp_path, SEED, "train")
    (tmp_path / SEED.folder / "outcome.json").write_text('{"outcome": "fini')
    found = see(tmp_path, SEED)
    assert (found.state, found.stage) == ("failed", "train")
    assert "outcome.json is damaged" in found.note


def test_nothing_is_missing_of_a_recorded_seed_and_everything_of_a_new_one(tmp_path: Path) -> None:
    assert tuple(missing(tmp_path, SEED)) == tasks(SEED)
    make(tmp_path, SEED, "record")
    assert missing(tmp_path, SEED) == []


def test_looking_changes_nothing(tmp_path: Path) -> None:
    make(tmp_path, SEED, "initialise")
    write_log(tmp_path, SEED, *UNDER_WAY, b"torn")
    before = {p: (p.stat().st_mtime_ns, os.path.getsize(p)) for p in tmp_path.rglob("*")}
    made_up.see(tmp_path, SEED)
    assert {p: (p.stat().st_mtime_ns, os.path.getsize(p)) for p in tmp_path.rglob("*")} == before
