"""Two trainers reach for one folder at the same instant: one trains and one refuses."""

import signal

import pytest
from runs import Run, assert_same_end, ended, halted

AT_THE_LOCK = {"signal": "SIGSTOP", "event": "open", "match": r"/lock$"}


@pytest.mark.slow
def test_of_two_trainers_at_once_one_refuses_and_does_not_disturb_the_other(
    run: Run, unbroken: Run
) -> None:
    trainers = [run.train(moment=AT_THE_LOCK) for _ in range(2)]
    for trainer in [halted(trainer) for trainer in trainers]:
        trainer.send_signal(signal.SIGCONT)
    (_, quiet), (status, said) = sorted(ended(trainer) for trainer in trainers)
    assert status not in (0, 75), quiet
    assert "another process trains here" in said
    assert run.outcome["attempts"] == 1
    assert ended(run.average())[0] == 0
    assert_same_end(run, unbroken)
