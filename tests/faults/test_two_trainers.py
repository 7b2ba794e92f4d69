"""Of several processes that reach for one folder, one trains and touches files."""

import json
import signal
import socket
from dataclasses import asdict
from typing import Any

import pytest
from runs import PATIENCE, SPEC, Run, assert_same_end, ended, halted, kill_at

from deepmt.base.files import write_text
from tiny import tiny_spec

pytestmark = pytest.mark.slow
AT_THE_LOCK = {"signal": "SIGSTOP", "event": "open", "match": r"/lock$"}


def start_two(run: Run, moments: tuple[dict[str, Any] | None, ...] = (None, None)) -> list[Any]:
    """Start two workers as torchrun does, with a moment for each."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        meeting = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free.getsockname()[1])}
    meeting |= {"WORLD_SIZE": "2", "OMP_NUM_THREADS": "1"}
    return [
        run.train(moment=moment, environment=meeting | {"RANK": str(rank), "LOCAL_RANK": str(rank)})
        for rank, moment in enumerate(moments)
    ]


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


def test_only_the_first_worker_removes_checkpoints_of_other_settings(run: Run) -> None:
    assert ended(run.train())[0] == 0
    other = tiny_spec(training__updates=10, training__checkpoint_every=5)
    write_text(run.folder / "spec.json", json.dumps(asdict(other)))
    second = start_two(run, (None, kill_at("os.remove", "/resume/")))[1]
    said = second.communicate(timeout=PATIENCE)[1]
    assert second.returncode == 0, said
    assert "missed" in said


def test_a_refused_group_leaves_alone_what_the_holder_is_writing(run: Run) -> None:
    halt = {"signal": "SIGSTOP", "event": "os.rename", "match": r"state.*\.tmp$"}
    holder = halted(run.train(moment=halt))
    before = {path: path.stat().st_mtime_ns for path in run.folder.rglob("*")}
    for refused in start_two(run):
        assert ended(refused)[0] not in (0, 75)
    assert {path: path.stat().st_mtime_ns for path in run.folder.rglob("*")} == before
    holder.send_signal(signal.SIGCONT)
    status, said = ended(holder)
    assert status == 0, said
    assert run.outcome["updates"] == SPEC.training.updates
