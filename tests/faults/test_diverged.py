"""A run that diverged says where, on what, and says so again after any interruption."""

import signal

import pytest
from runs import Run, ended, kill_at

from deepmt.data.vocabulary import Vocabulary
from deepmt.model.weights import read_weights, write_weights

RARE = "w16"


@pytest.fixture
def poisoned(run: Run) -> Run:
    """A run whose first weights hold NaN for a source word that a single sentence has."""
    weights = read_weights(run.init)
    number = Vocabulary.load(run.dataset / "vocab.en").encode([RARE])[0]
    weights["source.table.weight"][number] = float("nan")
    write_weights(run.init, weights)
    return run


@pytest.mark.slow
def test_a_diverged_run_killed_before_its_outcome_diverges_again_the_same(poisoned: Run) -> None:
    moment = kill_at("os.rename", r"outcome\.json$")
    assert ended(poisoned.train(moment=moment))[0] == -signal.SIGKILL
    assert ended(poisoned.train())[0] == 0
    assert not list(poisoned.folder.rglob("*.tmp"))
    first, second = (event["update"] for event in poisoned.events("end"))
    assert first == second == poisoned.outcome["updates"]
