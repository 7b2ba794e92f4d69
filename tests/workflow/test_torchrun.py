"""A training that two processes share, from the workflow: torchrun gives the record of one."""

from pathlib import Path

import pytest
from safetensors.torch import load_file
from small_toy import leaves, make, only_seed, read, snakemake

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project, on a toy scale of its own."""
    return make(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def alone(root: Path) -> Path:
    """The seed as one process trains it, put aside."""
    seed = only_seed(root)
    snakemake(root, seed / "record.json")
    return seed.rename(seed.with_name("alone"))


@pytest.fixture(scope="module")
def together(root: Path, alone: Path) -> Path:
    """The same seed as two processes train it."""
    flags = ("--set-threads", "train=2", "--set-resources", "train:workers=2")
    seed = only_seed(root)
    snakemake(root, seed / "record.json", *flags)
    return seed


def test_two_processes_trained_the_one_and_one_the_other(alone: Path, together: Path) -> None:
    workers = [read(each / "outcome.json")["hardware"]["workers"] for each in (alone, together)]
    assert workers == [1, 2]


def test_their_records_are_equal(alone: Path, together: Path) -> None:
    one, two = (dict(leaves(read(each / "record.json"))) for each in (alone, together))
    # Twelve such updates learn nothing; that, too, both say, at the same update.
    assert one.keys() == two.keys()
    hashes = ".log_probabilities."  # of numbers whose last digit is rounding
    for name, value in one.items():
        assert name.startswith(hashes) or two[name] == (
            pytest.approx(value, rel=1e-5) if isinstance(value, float) else value
        ), name


def test_their_weights_are_equal_but_for_rounding(alone: Path, together: Path) -> None:
    one, two = (load_file(each / "model.safetensors") for each in (alone, together))
    assert max(float((one[name] - two[name]).abs().max()) for name in one) < 1e-6


def test_other_requests_rerun_nothing(root: Path, together: Path) -> None:
    flags = ["train:mem_mb=1", "train:runtime=1", "train:workers=1", "translate:gpu=1"]
    said = snakemake(
        root, together / "record.json", "-n", "--set-threads", "train=1", "--set-resources", *flags
    )
    assert "Nothing to be done" in said
