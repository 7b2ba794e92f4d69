"""The state of every seed, read from its log, whatever happened to it."""

import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from deepmt.machines.seed_status import RECENT, SeedStatus, _read, pace, read_seed, survey
from deepmt.machines.seeds_ahead import SeedAhead, SeedsAhead, path_in
from deepmt.machines.status_table import draw, row
from deepmt.measured.attempts import Event
from deepmt.settings.seed_folder import SeedFolder

ROOT = Path(__file__).parents[2]
NOW = 2_000_000_000.0
UPDATES = 100
HOUR = 3600.0
SEED = Path("results/toy/runs/pre-12-12-d64-toy.en-de-9633001d/seed1")


def event(kind: str, attempt: int = 1, **fields: Any) -> Event:
    return {"event": kind, "attempt": attempt, "time": NOW, **fields}


def start(attempt: int = 1, host: str = "there") -> Event:
    return event("start", attempt, host=host, device="cpu", pid=1, updates=UPDATES)


def position(update: int, attempt: int = 1, *, seconds: float = 2.0, **fields: Any) -> Event:
    """Return a line of a training with `seconds` and 50 tokens per update."""
    clocks = {"seconds": seconds * update, "time": NOW + seconds * update}
    counts = {"update": update, "target_tokens": 50 * update, "loss": 5.0 - update / 100}
    return event("progress", attempt, **(clocks | counts | fields))


UNDER_WAY = [start(), position(10), position(40)]
STOPPED = event("stopped", update=40, signal=["SIGTERM"])
FINISHED = event("end", outcome="finished", update=UPDATES)
DIVERGED = event("end", outcome="diverged", update=59, reason="loss is nan")


def write_log(root: Path, *lines: Any, age: float = 5.0, seed: Path = SEED) -> Path:
    """Write a log of some age; bytes are written as they are."""
    log = root / seed / "log.jsonl"
    log.parent.mkdir(parents=True, exist_ok=True)
    whole = [x if isinstance(x, bytes) else json.dumps(x).encode() + b"\n" for x in lines]
    log.write_bytes(b"".join(whole))
    os.utime(log, (NOW - age, NOW - age))
    return log


def see(root: Path, *lines: Any, age: float = 5.0) -> SeedStatus:
    """Write a log and read the seed."""
    write_log(root, *lines, age=age)
    return read_seed(SeedFolder(root / SEED), NOW)


def test_a_running_seed_has_update_loss_speed_and_time_left(tmp_path: Path) -> None:
    found = see(tmp_path, *UNDER_WAY, age=7)
    assert (found.state, found.scale, found.seed, found.age) == ("running", "toy", 1, 7)
    assert (found.update, found.updates, found.loss, found.host) == (40, UPDATES, 4.6, "there")
    assert (found.tokens_per_second, row(found)["left"]) == (25.0, "0:02:00")


def test_a_killed_run_counts_as_running_until_it_has_been_silent(tmp_path: Path) -> None:
    assert see(tmp_path, *UNDER_WAY, age=300).state == "running"
    assert see(tmp_path, *UNDER_WAY, age=HOUR).state == "silent"


def test_a_run_that_was_asked_to_stop_did_not_fail(tmp_path: Path) -> None:
    for age in (1, 9 * HOUR):
        assert see(tmp_path, *UNDER_WAY, STOPPED, age=age).state == "stopped"
    assert see(tmp_path, *UNDER_WAY, STOPPED, start(2), age=1).state == "running"


@pytest.mark.parametrize("damage", [b'{"event"', b"\x00" * 100, b"17\n[]\n{}\nnull\n", b"\n"])
def test_a_torn_log_is_judged_by_its_age_and_its_whole_lines(tmp_path: Path, damage: bytes) -> None:
    for age, state in ((9, "running"), (HOUR, "silent")):
        found = see(tmp_path, *UNDER_WAY, damage, age=age)
        assert (found.state, found.update) == (state, 40)
        assert see(tmp_path, damage, age=age).state == state
    assert see(tmp_path).state == "running"


@pytest.mark.parametrize(
    "damaged",
    [
        event("end", outcome="exploded"),
        position(50) | {"update": "many"},
        position(50) | {"update": 10**400},
        position(50) | {"update": -1},
        position(50, time=None),
        position(50, time="noon"),
        position(50, loss=[1.0]),
        position(50, target_tokens={}),
        event("dev", update=50, ppl="low"),
        event("dev", update=50, ppl=None),
        event("dev", ppl=9.5),
        event("dev", update=50),
        event("resumed", 2),
        {"event": []},
        event("training", update=50, loss=None),
        event("gradients", update=50, encoder=["x"], decoder=[]),
        event("gradients", update=50, encoder=[1.0]),
        event("output_gradients", update=50, encoder=[]),
        event("output_gradients", update=50, encoder=3.0),
        event("layer_weights", update=50, encoder=[1.0]),
        event("start", updates="all", host=7),
    ],
)
def test_a_damaged_event_is_skipped(tmp_path: Path, damaged: Event) -> None:
    found = see(tmp_path, *UNDER_WAY, damaged)
    assert (found.state, found.update, found.updates) == ("running", 40, UPDATES)
    assert (found.tokens_per_second, found.host) == (25.0, "there")


KINDS = st.sampled_from(
    "start anew resumed progress training dev gradients output_gradients layer_weights checkpoint"
    " stopped end".split()
)
KEYS = st.sampled_from(
    "event attempt time host updates update target_tokens loss ppl encoder decoder encoder_output"
    " outcome reason".split()
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-1, 60),
    st.sampled_from([10**20, 10**400]),
    st.floats(),
    st.text(max_size=3),
    st.sampled_from(["finished", "stalled", "exploded"]),
)
VALUES = st.recursive(SCALARS, lambda one: st.lists(one, max_size=3), max_leaves=4)
WHOLE = st.one_of(
    st.builds(position, st.integers(1, 60)),
    st.builds(lambda at, norms: event("gradients", update=at, encoder=norms, decoder=[0.0, 1.0]),
              st.integers(1, 60), st.lists(st.none() | st.floats(), min_size=1, max_size=3)),
    st.builds(lambda at, ppl: event("dev", update=at, ppl=ppl), st.integers(1, 60), st.floats()),
)  # fmt: skip
SPOILT = st.tuples(
    st.builds(event, KINDS) | WHOLE,
    st.dictionaries(KEYS, VALUES, max_size=4),
    st.sets(KEYS, max_size=2),
)


@settings(deadline=None)
@given(st.lists(SPOILT, max_size=8), st.booleans())
def test_no_log_stops_the_table(spoilt: list[tuple[Event, Event, set[str]]], ended: bool) -> None:
    log = [
        {key: value for key, value in (whole | changes).items() if key not in lost}
        for whole, changes, lost in spoilt
    ]
    with TemporaryDirectory() as folder:
        found = see(Path(folder), *log, *([FINISHED] if ended else []))
        assert str(found.seed) in shown([found], 160, every=True)
    _read.cache_clear()


def test_a_log_without_times_or_with_one_update_twice_has_no_pace(tmp_path: Path) -> None:
    untimed = [{k: v for k, v in position(n).items() if k != "time"} for n in (10, 20)]
    assert see(tmp_path, start(), *untimed).update_seconds is None
    assert pace([position(10), position(10, time=NOW + 50)]) == (None, None)


def test_a_resumed_run_is_where_it_went_back_to(tmp_path: Path) -> None:
    resumed = position(20, 2) | {"event": "resumed"}
    found = see(tmp_path, *UNDER_WAY, start(2, "other"), resumed, position(25, 2))
    assert (found.update, found.host) == (25, "other")


def test_a_run_that_begins_anew_forgets_where_it_was(tmp_path: Path) -> None:
    found = see(tmp_path, *UNDER_WAY, start(2), event("anew", 2, differs=["spec"]))
    assert (found.update, found.loss) == (0, None)


def test_a_seed_ends_finished_or_diverged_with_its_reason(tmp_path: Path) -> None:
    assert see(tmp_path, *UNDER_WAY, FINISHED, age=HOUR).state == "finished"
    found = see(tmp_path, *UNDER_WAY, DIVERGED, age=HOUR)
    assert found.state == "diverged"
    assert row(found)["note"] == "loss is nan"
    assert row(found)["update"] == "59/100"
    assert row(found)["left"] == row(found)["silent"] == ""


def test_pace_is_the_wall_time_of_recent_updates_in_one_attempt() -> None:
    slow = [position(update, seconds=9.0) for update in (1, 2)]
    lines = [position(update) for update in range(3, 3 + RECENT)]
    assert pace([*slow, *lines]) == (2.0, 25.0)
    assert pace([position(10, time=NOW), position(20, time=NOW + 50)])[0] == 5.0
    assert pace([*lines, position(10, 2, time=NOW + 1e5)]) == (None, None)


def several(root: Path) -> list[SeedStatus]:
    """Return a seed in each state."""
    running = see(root, *UNDER_WAY)
    return [
        running,
        replace(running, seed=2, state="silent"),
        replace(running, seed=3, state="waiting"),
        replace(see(root, *UNDER_WAY, DIVERGED), seed=4),
        replace(see(root, *UNDER_WAY, FINISHED), seed=5),
    ]


def shown(seeds: list[SeedStatus], width: int, every: bool = False, bars: bool = False) -> str:
    with open(os.devnull, "w") as nowhere:
        console = Console(width=width, record=True, file=nowhere)
        console.print(draw(seeds, every, bars))
    return console.export_text()


@pytest.mark.parametrize("width", [80, 100, 160])
def test_a_terminal_shows_what_needs_attention_without_colour(tmp_path: Path, width: int) -> None:
    seeds = several(tmp_path)
    text = shown(seeds, width)
    assert all(len(line) <= width for line in text.splitlines())
    counts = "5 seeds so far: 1 running, 1 silent, 1 waiting, 1 diverged, 1 finished"
    for word in (counts, "running", "40/100", "nan", "0:02:00", "4.600", "there"):
        assert word in text
    assert len(shown(seeds, width, every=True).splitlines()) > len(text.splitlines())


def test_a_long_name_of_a_run_breaks_behind_a_hyphen(tmp_path: Path) -> None:
    run = "none-tfixup-12-12-d128-text-mytext-en-es.en-es-bc7514a9"
    seed = replace(see(tmp_path, *UNDER_WAY), scale="text-mytext", run=run, note="long " * 20)
    names = [line.partition(" ")[0] for line in shown([seed], 160).splitlines()[3:]]
    assert "".join(names) == f"text-mytext/{run}"
    assert all(name.endswith("-") for name in names if name and not run.endswith(name))


def ahead(hours: float, seed: int, updates: int = UPDATES) -> SeedAhead:
    return SeedAhead(run=SEED.parent.name, seed=seed, updates=updates, hours=hours)


def test_a_start_has_one_total_in_hours_of_all_that_it_trains(tmp_path: Path) -> None:
    write_log(tmp_path, *UNDER_WAY)
    write_log(tmp_path, *UNDER_WAY, DIVERGED, seed=SEED.with_name("seed4"))
    for seed in (1, 4):
        os.utime(tmp_path / SEED.with_name(f"seed{seed}") / "log.jsonl")
    wanted = (ahead(1, 1), ahead(2, 2, 400), ahead(0.5, 4))
    SeedsAhead(unit="core hours", seeds=wanted).write(path_in(tmp_path / "results/toy"))
    found = survey(tmp_path)
    waiting = next(seed for seed in found if seed.seed == 2)
    assert (waiting.state, waiting.updates) == ("waiting", 400)
    # Behind it are 0.4 of the first and all of the last; 100 updates of 2 s do one hour in 200 s.
    plain, drawn = shown(found, 160), shown(found, 160, bars=True)
    assert "toy: 26% of 3.5 core hours 0:08:40 left" in plain
    assert "\u2501" not in plain
    assert len(re.findall("\u2501+", drawn)) == 1 + 2
    assert "3 seeds so far" in plain


def test_counts_are_of_the_seeds_so_far(tmp_path: Path) -> None:
    finished = see(tmp_path, *UNDER_WAY, FINISHED)
    assert shown([finished], 80) == "1 seed so far: 1 finished\n"


def test_ctrl_c_ends_a_watch_as_it_ends_every_script(tmp_path: Path) -> None:
    write_log(tmp_path, *UNDER_WAY)
    (tmp_path / "scales").mkdir()
    script = ROOT / "workflow_scripts/commands/status.py"
    command = [sys.executable, str(script), "--root", str(tmp_path), "--watch", "60"]
    unbuffered = {**os.environ, "PYTHONUNBUFFERED": "1"}
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, env=unbuffered, **pipes) as watching:
        assert "1 seed" in watching.stdout.readline()
        watching.send_signal(signal.SIGINT)
        assert watching.communicate(timeout=60)[1] == ""
    assert watching.returncode == 130


def test_the_script_reads_every_scale_and_changes_nothing(tmp_path: Path) -> None:
    os.utime(write_log(tmp_path, *UNDER_WAY, b"torn"))
    write_log(tmp_path, *UNDER_WAY, STOPPED, seed=Path("results/wide/runs/b-00000000/seed3"))
    before = {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*") if p.is_file()}
    script = ROOT / "workflow_scripts/commands/status.py"
    command = [sys.executable, str(script), "--root", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "2 seeds so far: 1 running, 1 stopped" in done.stdout
    assert "wide/b-00000000" in done.stdout
    assert {p: p.stat().st_mtime_ns for p in tmp_path.rglob("*") if p.is_file()} == before
    assert [seed.scale for seed in survey(tmp_path, "wide")] == ["wide"]
    assert shown(survey(tmp_path, "none"), 80).strip() == "0 seeds so far"
    refused = {("--scale", "none"): "--scale: unknown scale 'none'"}
    refused |= {("--watch", "-1"): "argument --watch: '-1' should be greater than or equal to 0"}
    for flags, message in refused.items():
        done = subprocess.run([*command, *flags], capture_output=True, text=True, check=False)
        assert done.returncode
        assert message in done.stderr
