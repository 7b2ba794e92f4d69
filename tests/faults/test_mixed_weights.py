"""Averaged checkpoints come from one run of one setting, each update once."""

import json
import signal
from dataclasses import asdict

import pytest
from runs import Run, ended, kill_at

from deepmt.base.files import write_text
from tiny import tiny_spec

AVERAGED = [90, 95, 100]


@pytest.mark.slow
def test_an_update_whose_weights_were_written_twice_is_averaged_once(run: Run) -> None:
    moment = kill_at("os.rename", "state-00000095")
    assert ended(run.train(moment=moment))[0] == -signal.SIGKILL
    # Another split of the batches rounds differently, as another GPU or thread count does.
    status, said = ended(run.train("--micro-tokens", 20))
    assert status == 0, said
    assert run.outcome["averaged_updates"] == AVERAGED


@pytest.mark.slow
def test_weights_of_other_settings_are_never_averaged(run: Run) -> None:
    assert ended(run.train())[0] == 0
    other = tiny_spec(training__updates=50, training__checkpoint_every=5)
    write_text(run.folder / "spec.json", json.dumps(asdict(other)))
    moment = kill_at("os.remove", "weights-00000100")
    assert ended(run.train(moment=moment))[0] == -signal.SIGKILL
    assert ended(run.train())[0] == 0
    assert run.outcome["averaged_updates"] == [45, 50]
