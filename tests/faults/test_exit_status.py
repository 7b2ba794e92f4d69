"""0 = an outcome is recorded; 75 = saved, run again to resume; else = nothing is recorded."""

import signal
from functools import partial

import pytest
from runs import Run, assert_files_whole, came, ended

STOPPED = 75
slow = partial(pytest.param, marks=pytest.mark.slow)


@pytest.mark.parametrize("name", ["SIGTERM", slow("SIGINT")])
def test_a_signal_while_a_checkpoint_is_written_stops_after_it(run: Run, name: str) -> None:
    moment = {"signal": name, "event": "os.rename", "match": "state-00000005"}
    status, said = ended(run.train(moment=moment))
    assert status == STOPPED, said
    assert "run again to resume" in said
    assert_files_whole(run)
    assert name in run.events("stopped")[0]["signal"]
    assert not run.done


@pytest.mark.parametrize(
    ("name", "event", "match"),
    [
        slow("SIGTERM", "open", r"/vocab\.en$"),
        slow("SIGINT", "os.rename", "weights-00000100"),
        slow("SIGTERM", "os.rename", r"outcome\.json$"),
    ],
    ids=["while it loads", "in the last checkpoint", "as the outcome is written"],
)
def test_a_signal_outside_the_loop_stops_training_in_good_order(
    run: Run, name: str, event: str, match: str
) -> None:
    status, said = ended(run.train(moment={"signal": name, "event": event, "match": match}))
    assert status == (0 if run.done else STOPPED), said


@pytest.mark.slow
def test_a_trainer_that_nobody_listens_to_still_says_75(run: Run) -> None:
    process = run.train()
    if not came(run, process, "checkpoint"):
        raise RuntimeError(ended(process)[1])
    process.stderr.close()
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == STOPPED
