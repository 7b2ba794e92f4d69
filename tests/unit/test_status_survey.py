"""How long it will be, and what a terminal, a page and the script show of it."""

import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_up_status import NOW, UPDATES, moment, position, start, wanted, write_log
from rich.console import Console

from deepmt.config.settings import read_overrides
from deepmt.estimate.estimate import Cost
from deepmt.status.forecast import forecast
from deepmt.status.pace import Pace
from deepmt.status.page import page
from deepmt.status.seed import Seed
from deepmt.status.survey import Survey
from deepmt.status.tasks import ORDER
from deepmt.status.terminal import draw
from deepmt.status.view import clock, duration

ROOT = Path(__file__).parents[2]
TRAIN, DECODE = 1000.0, 10.0
TODO = ("train", "average", "translate", "score", "translate", "score", "record")
SAYS = "<script>alert('no')</script>"


def cost_of(_: Any) -> Cost:
    """The same of every run."""
    ones = dict.fromkeys((field.name for field in fields(Cost)), 1)
    told = {"train_seconds": TRAIN - 60, "other_seconds": 60, "decode_seconds_per_1000": DECODE}
    return Cost(**ones | told)  # type: ignore[arg-type]


def running(number: int = 1, *, update: int = 50, pace: float = 4.0) -> Seed:
    return Seed(
        wanted=wanted(number), state="running", stage="train", todo=TODO, update=update,
        pace=Pace(pace, 1234.5), host="node-17", since=NOW - 60, silent=3.0, loss=3.25,
    )  # fmt: skip


def waiting(number: int = 2) -> Seed:
    return Seed(wanted=wanted(number), state="waiting", stage="train", todo=TODO)


def trained(number: int = 3, *, took: float = 2 * TRAIN, update: int = UPDATES) -> Seed:
    return Seed(
        wanted=wanted(number), state="waiting", stage="average", todo=TODO[1:], update=update,
        took=took,
    )  # fmt: skip


def done(number: int = 4, *, took: float = 2 * TRAIN) -> Seed:
    return Seed(wanted=wanted(number), state="done", update=UPDATES, took=took)


def failed(number: int = 5, *, saved: int = 0) -> Seed:
    return Seed(
        wanted=wanted(number), state="failed", stage="train", todo=TODO, update=40, saved=saved,
        note=SAYS, host="node-3", silent=9000.0,
    )  # fmt: skip


def left(*seeds: Seed) -> float:
    return forecast(seeds, cost_of).seconds


def test_what_runs_goes_on_at_its_own_speed() -> None:
    assert forecast([running(update=50, pace=4.0)], cost_of).training == {
        wanted().folder: pytest.approx(50 * 4.0)
    }


def test_what_has_not_begun_takes_as_much_longer_than_estimated_as_others_did() -> None:
    assert left(waiting()) == TRAIN + 2 * DECODE
    assert left(waiting(), done(took=3 * TRAIN)) == 3 * (TRAIN + 2 * DECODE)
    several = [done(n, took=n * TRAIN) for n in (11, 3, 2)]
    assert forecast([waiting(), *several], cost_of).correction == 3
    assert forecast([waiting(), *several], cost_of).compared == 3


def test_every_job_takes_a_moment_to_start() -> None:
    plain, started = (forecast([waiting(), trained()], cost_of, s).seconds for s in (0.0, 3.0))
    jobs = len(TODO[1:]) + len(TODO[1:])
    assert started - plain == pytest.approx(2 * 3.0 * jobs)  # as trained() took twice as long


def test_a_diverged_run_is_compared_by_what_all_its_updates_would_have_taken() -> None:
    half = trained(took=TRAIN, update=UPDATES // 2)
    assert forecast([half], cost_of).correction == 2


def test_what_broke_off_makes_the_updates_since_its_checkpoint_again() -> None:
    assert left(failed(saved=30)) == pytest.approx(0.7 * TRAIN + 2 * DECODE)


def test_work_is_shared_by_as_many_as_run_now_but_a_run_is_not_divided() -> None:
    two = [running(1, pace=10.0), running(2, pace=10.0)]
    each = 500 + 2 * DECODE
    assert left(*two) == pytest.approx(each)
    assert left(*two, *(waiting(n) for n in range(3, 7))) == pytest.approx(
        (2 * each + 4 * (TRAIN + 2 * DECODE)) / 2
    )
    assert left(running(0, pace=1000.0), *two) == pytest.approx(50 * 1000.0 + 2 * DECODE)


def test_a_lane_between_two_trainings_still_counts() -> None:
    four = [waiting(n) for n in range(4)]
    ended = [replace(done(n), busy=(500.0 + n, 5.0 + n)) for n in (11, 12)]
    for busy, lanes in ((four, 1), (ended + four, 2 * 495 / 600), (ended[:1] + four, 1)):
        assert forecast(busy, cost_of).lanes == pytest.approx(lanes)
    many = [running(n) for n in range(7)]
    assert forecast(ended + many, cost_of).lanes == 7
    long_ago = [replace(done(n), busy=(9000.0, 700.0)) for n in range(5)]
    assert forecast(long_ago, cost_of).lanes == 1


def test_nothing_is_left_of_what_is_recorded() -> None:
    found = forecast([done(1), done(2)], cost_of)
    assert (found.seconds, found.share, found.training) == (0.0, 1.0, {})
    assert forecast([], cost_of).share == 1.0


SOME = st.lists(st.sampled_from([running, waiting, trained, done, failed]), max_size=9)


@settings(deadline=None)
@given(SOME)
def test_the_share_that_is_done_lies_between_none_and_all(kinds: list[Any]) -> None:
    found = forecast([kind(number) for number, kind in enumerate(kinds)], cost_of)
    assert 0 <= found.share <= 1
    assert found.seconds >= max([0.0, *found.training.values()])


@settings(deadline=None)
@given(st.integers(0, UPDATES), st.integers(0, UPDATES), SOME)
def test_every_update_brings_the_end_nearer(one: int, other: int, rest: list[Any]) -> None:
    seeds = [kind(number) for number, kind in enumerate(rest, 2)]
    before, after = (
        forecast([running(1, update=n), *seeds], cost_of) for n in sorted((one, other))
    )
    assert after.seconds <= before.seconds
    assert after.share >= before.share


def survey(*seeds: Seed, **changes: Any) -> Survey:
    told: dict[str, Any] = {
        "title": "Toy scale",
        "moment": moment(),
        "seeds": tuple(sorted(seeds, key=lambda seed: ORDER.index(seed.state))),
        "forecast": forecast(seeds, cost_of),
        "hardware": "a made-up machine",
        "problems": (),
    }
    return Survey(**told | changes)


def everything() -> Survey:
    diverged = Seed(
        wanted=wanted(7), state="done", update=60, took=9.0, diverged="at update 60: loss is nan"
    )
    stopped = Seed(
        wanted=wanted(6), state="stopped", stage="train", todo=TODO, update=70, saved=70, host="h"
    )
    return survey(running(), waiting(), trained(), done(), failed(), stopped, diverged)


def shown(found: Survey, width: int) -> str:
    console = Console(width=width, record=True, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(draw(found, width))
    return console.export_text()


@pytest.mark.parametrize("width", [50, 60, 80, 100, 160])
def test_a_terminal_of_any_width_shows_every_run_and_state_without_colour(width: int) -> None:
    text = shown(everything(), width)
    assert all(len(line) <= width for line in text.splitlines())
    states = "running failed stopped waiting done Running Failed Stopped".split()
    for word in [*states, "50/100", "40/100", "70/100", "Diverged", "3.3 min", "at update 60:"]:
        assert word in text
    # A name may take several lines, and loses nothing.
    assert (
        "".join(line.split()[0] for line in text.splitlines() if line.strip()).count(wanted().run)
        >= 4
    )


def test_a_hundred_characters_are_enough_for_all_that_is_known_of_a_running_seed() -> None:
    line = next(x for x in shown(everything(), 100).splitlines() if "50/100" in x)
    since = clock(NOW - 60, NOW)
    for word in ("train 50/100", "3.250", "1,234", "3.3 min", since, "node-17", "3 s"):
        assert word in line


def test_a_page_asks_nothing_of_the_network_needs_no_script_and_loads_itself_anew() -> None:
    html = page(everything(), 10)
    assert '<meta http-equiv="refresh" content="10">' in html
    assert "<script" not in html
    assert not re.search(r"(src|href)=\"(?!data:)", html)
    assert "prefers-color-scheme: dark" in html
    assert "&lt;script&gt;alert" in html


def test_page_and_terminal_tell_the_same() -> None:
    text = " ".join(shown(everything(), 160).split())
    html = page(everything(), 10)
    for word in ("node-17", "1,234", "at update 60: loss is nan", "1 to average"):
        assert word in text
        assert word in html


def test_warnings_are_shown(tmp_path: Path) -> None:
    told = survey(problems=("spec.json: is broken",))
    assert "spec.json: is broken" in shown(told, 100)
    assert "spec.json: is broken" in page(told, 10)


def test_what_is_over_has_no_time_left() -> None:
    assert "100% of the work is done; all recorded" in shown(survey(done(1), done(2)), 100)


@settings(deadline=None)
@given(st.floats(0, 1e9), st.floats(0, 1e9))
def test_durations_keep_their_order_and_are_short(one: float, other: float) -> None:
    short, long = (value(duration(seconds)) for seconds in sorted((one, other)))
    assert short <= long
    assert len(duration(one)) <= 9


def value(text: str) -> float:
    number, unit = text.split()
    return float(number) * {"s": 1, "min": 60, "h": 3600, "d": 86400}[unit]


@settings(deadline=None)
@given(st.floats(1, 1e8))
def test_durations_are_right_to_a_tenth(seconds: float) -> None:
    assert value(duration(seconds)) == pytest.approx(seconds, rel=0.1, abs=0.5)


def test_a_time_far_off_has_its_day() -> None:
    assert re.fullmatch(r"\d\d:\d\d", clock(NOW + 60, NOW))
    assert re.fullmatch(r"\w{3} \d\d:\d\d", clock(NOW + 3 * 86400, NOW))
    assert re.fullmatch(r"\d\d \w{3} \d\d:\d\d", clock(NOW + 30 * 86400, NOW))


def test_settings_are_read_as_snakemake_reads_them() -> None:
    found = read_overrides(["scale=toy", "seeds=1,2", "budget=12.5", "mirror="])
    assert found == {"scale": "toy", "seeds": "1,2", "budget": 12.5, "mirror": None}
    with pytest.raises(ValueError, match="'toy' must be key=value"):
        read_overrides(["toy"])


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The project's settings with results of its own: a run of no plan, and a broken one."""
    for name in ("config.yaml", "corpora.yaml", "hardware.yaml", "papers", "scales"):
        (tmp_path / name).symlink_to(ROOT / name)
    for seed in (1, 2):
        path = write_log(tmp_path, wanted(seed, training__updates=100 + seed), start(), position(9))
        text = wanted(seed, training__updates=100 + seed).spec.canonical
        (path.parents[1] / "spec.json").write_text(text if seed == 1 else text[:99])
    return tmp_path


def script(root: Path, *flags: str) -> "subprocess.CompletedProcess[str]":
    command: Sequence[str] = [
        sys.executable, str(ROOT / "workflow_scripts" / "status.py"), "--root", str(root), *flags
    ]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_script_shows_the_plan_and_whatever_else_lies_there(root: Path) -> None:
    told = script(root, "--page", str(root / "status.html"))
    assert told.returncode == 0, told.stderr
    assert wanted(1, training__updates=101).run in told.stdout
    assert wanted(2, training__updates=102).run in told.stdout  # its spec is broken: named
    assert "to initialise" in told.stdout
    assert (root / "status.html").read_text().startswith("<!DOCTYPE html>")
    asked = script(root, "--config", "scale=toy", "rows=unified.t1.deep-pre", "seeds=7").stdout
    assert wanted(1, training__updates=101).run not in asked
    assert "1 trainings: 1 waiting (1 to initialise)" in asked


def test_bad_settings_are_told_and_not_traced(root: Path) -> None:
    told = script(root, "--config", "scale=tiy")
    assert told.returncode == 1
    assert "did you mean 'toy'" in told.stderr
    assert "Traceback" not in told.stderr


def test_looking_needs_no_torch() -> None:
    code = "import sys, status; sys.exit('torch' in sys.modules)"
    folder = ROOT / "workflow_scripts"
    assert subprocess.run([sys.executable, "-c", code], cwd=folder, check=False).returncode == 0
