"""Only the first of several workers touches files, whatever happens to the others."""

import json
import signal
import socket
from dataclasses import asdict
from typing import Any

import pytest
from runs import PATIENCE, SPEC, Run, ended, halted, kill_at

from deepmt.files import write_text
from tiny import tiny_spec


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


@pytest.mark.slow
def test_only_the_first_worker_removes_checkpoints_of_other_settings(run: Run) -> None:
    assert ended(run.train())[0] == 0
    other = tiny_spec(training__updates=10, training__checkpoint_every=5)
    write_text(run.folder / "spec.json", json.dumps(asdict(other)))
    second = start_two(run, (None, kill_at("os.remove", "/resume/")))[1]
    said = second.communicate(timeout=PATIENCE)[1]
    assert second.returncode == 0, said
    assert "missed" in said


@pytest.mark.slow
def test_a_refused_group_leaves_alone_what_the_holder_is_writing(run: Run) -> None:
    halt = {"signal": "SIGSTOP", "event": "os.rename", "match": r"state.*\.tmp$"}
    holder = halted(run.train(moment=halt))
    for refused in start_two(run):
        assert ended(refused)[0] not in (0, 75)
    holder.send_signal(signal.SIGCONT)
    status, said = ended(holder)
    assert status == 0, said
    assert run.outcome["updates"] == SPEC.training.updates
