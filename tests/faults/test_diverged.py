"""A run that diverged says where, on what, and says so again after any interruption."""

import signal

import pytest
from runs import Run, ended, kill_at

from deepmt.data.vocabulary import Vocabulary
from deepmt.model.weight_files import read_weights, write_weights

RARE = "w16"


@pytest.fixture
def poisoned(run: Run) -> Run:
    """A run whose first weights hold NaN for a source word that a single sentence has."""
    weights = read_weights(run.init)
    number = Vocabulary.load(run.dataset / "vocab.en").encode([RARE])[0]
    weights["source.table.weight"][number] = float("nan")
    write_weights(run.init, weights)
    return run


def row_of_rare(run: Run) -> int:
    """The number of that sentence."""
    lines = (run.dataset / "train.en").read_text().splitlines()
    (row,) = (number for number, line in enumerate(lines) if RARE in line.split())
    return row


@pytest.mark.slow
def test_a_loss_that_is_not_finite_ends_the_run_and_names_its_rows(poisoned: Run) -> None:
    status, said = ended(poisoned.train())
    assert status == 0, said
    assert poisoned.outcome["outcome"] == "diverged"
    assert poisoned.outcome["failure"]["reason"].startswith("loss is nan")
    assert poisoned.outcome["failure"]["update"] == poisoned.outcome["updates"] + 1
    rows = poisoned.outcome["failure"]["rows"]
    assert row_of_rare(poisoned) in rows
    assert len(rows) < 60


@pytest.mark.slow
def test_a_diverged_run_killed_before_its_outcome_diverges_again_the_same(poisoned: Run) -> None:
    moment = kill_at("os.rename", r"outcome\.json$")
    assert ended(poisoned.train(moment=moment))[0] == -signal.SIGKILL
    assert ended(poisoned.train())[0] == 0
    assert not list(poisoned.folder.rglob("*.tmp"))
    first, second = (event["update"] for event in poisoned.events("end"))
    assert first == second == poisoned.outcome["updates"]
