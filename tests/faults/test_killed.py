"""However often training and averaging are struck, they end with the weights of a quiet run."""

import signal
import time
from collections.abc import Callable
from itertools import islice

import pytest
from runs import (
    Run,
    assert_files_whole,
    assert_log_whole,
    assert_same_end,
    came,
    ended,
    kill_at,
    random_moments,
)

STOPPED = 75
ALL = pytest.mark.fault
FEW_OR_MANY = [1, pytest.param(20, marks=ALL)]
STRIKES = [signal.SIGKILL, signal.SIGTERM, signal.SIGINT]
SIGNALS = [STRIKES[0], *(pytest.param(one, marks=pytest.mark.slow) for one in STRIKES[1:])]


def assert_exit(how: signal.Signals, status: int, said: str) -> None:
    """Saved on request, or dead of the signal itself; what it must be when is tested apart."""
    assert status in (-how, STOPPED) or "KeyboardInterrupt" in said, said
    assert how != signal.SIGKILL or status == -how


@pytest.mark.parametrize("how", SIGNALS, ids=lambda how: how.name)
@pytest.mark.parametrize("strikes", FEW_OR_MANY)
def test_training_struck_at_random_moments_ends_as_if_it_had_not_been(
    fresh: Callable[[str], Run], unbroken: Run, strikes: int, how: signal.Signals
) -> None:
    times = [event["time"] for event in unbroken.events("checkpoint")]
    interval = (times[-1] - times[0]) / len(times)
    landed, runs, moments = 0, [], random_moments()
    while landed < strikes:
        assert len(runs) < strikes + 10, "signals do not land"
        if not runs or runs[-1].done:
            runs.append(fresh(f"run{len(runs)}"))
        process = runs[-1].train()
        if came(runs[-1], process, "checkpoint", 1 + int(5 * next(moments))):
            time.sleep(interval * next(moments))
        process.send_signal(how)
        status, said = ended(process)
        if not runs[-1].done:
            landed += 1
            assert_exit(how, status, said)
        assert_files_whole(runs[-1])
        assert_log_whole(runs[-1])
    for run in runs:
        run.finish()
        assert_same_end(run, unbroken)


@ALL
@pytest.mark.parametrize("how", SIGNALS, ids=lambda how: how.name)
def test_a_strike_while_the_trainer_still_starts_harms_nothing(
    run: Run, unbroken: Run, how: signal.Signals
) -> None:
    for moment in islice(random_moments(), 6):
        process = run.train()
        time.sleep(3 * moment)
        process.send_signal(how)
        ended(process)
    run.finish()
    assert_same_end(run, unbroken)


@pytest.mark.slow
@pytest.mark.parametrize("count", [4, *(pytest.param(n, marks=ALL) for n in (1, 2, 3, 5, 6, 7, 8))])
def test_a_kill_before_any_rename_of_a_file_harms_nothing(
    run: Run, unbroken: Run, count: int
) -> None:
    status, said = ended(run.train(moment=kill_at("os.rename", count=count)))
    assert status == -signal.SIGKILL, said
    assert_files_whole(run)
    run.finish()
    assert_same_end(run, unbroken)


@pytest.mark.slow
@pytest.mark.parametrize("kills", FEW_OR_MANY)
def test_a_kill_in_the_middle_of_writing_a_checkpoint_harms_nothing(
    run: Run, unbroken: Run, kills: int
) -> None:
    assert ended(run.train(moment=kill_at("os.rename", count=30)))[0] == -signal.SIGKILL
    largest = unbroken.states()[-1].stat().st_size
    for moment in islice(random_moments(), kills):
        size = int((0.1 + 0.85 * moment) * largest)
        status, said = ended(run.train(moment={"file_bytes": size}))
        assert status == -signal.SIGXFSZ, said
        assert_files_whole(run)
    assert len(run.events("resumed")) == kills
    run.finish()
    assert_same_end(run, unbroken)


@ALL
def test_a_kill_while_old_checkpoints_are_removed_harms_nothing(run: Run, unbroken: Run) -> None:
    for count in range(1, 7):
        moment = kill_at("os.remove", "resume", count)
        assert ended(run.train(moment=moment))[0] == -signal.SIGKILL
        assert_files_whole(run)
    run.finish()
    assert_same_end(run, unbroken)


@pytest.mark.slow
def test_kills_while_averaging_leave_no_model(unbroken: Run, run: Run) -> None:
    """Before the file gets its name, and while it is written."""
    again = unbroken.copy_to(run.folder / "copy")
    again.model.unlink()
    for moment in (kill_at("os.rename"), {"file_bytes": 9_000}):
        assert ended(again.average(moment=moment))[0] in (-signal.SIGKILL, -signal.SIGXFSZ)
        assert not again.model.exists()
    assert ended(again.average())[0] == 0
    assert again.model.read_bytes() == unbroken.model.read_bytes()
