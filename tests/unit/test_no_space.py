"""A full disk and a limit of the size of files name the file, whoever writes it."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from deepmt.base.files import naming, write_text
from deepmt.decode.partial_translation import PartialTranslation
from deepmt.model.weights import write_weights
from deepmt.train.checkpoint import Checkpoints
from deepmt.train.event_log import EventLog

MANY = 20_000
WRITERS: dict[str, Callable[[Path], object]] = {
    "text": lambda folder: write_text(folder / "text", "x" * MANY),
    "weights": lambda folder: write_weights(folder / "weights", {"w": torch.ones(MANY)}),
    "state": lambda folder: Checkpoints(folder, 1, 1).save_state(1, {"w": torch.ones(MANY)}),
    "log.jsonl": lambda folder: EventLog(folder / "log.jsonl").write("x", words="x" * MANY),
    "part": lambda folder: PartialTranslation(folder / "part", {"x": "x" * MANY}),
}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.usefixtures("limited")
def test_a_file_above_the_limit_is_named(tmp_path: Path, name: str) -> None:
    with pytest.raises(OSError, match=name) as found:
        WRITERS[name](tmp_path)
    # Where a write is cut short, the system does not say why.
    assert found.value.errno in (errno.EFBIG, errno.ENOSPC)


def test_a_file_on_a_full_disk_is_named(tmp_path: Path) -> None:
    with (
        pytest.raises(OSError, match=r"No space left on device: '.*here'"),
        naming(tmp_path / "here"),
        Path("/dev/full").open("w") as full,
    ):
        full.write("x")


def test_other_errors_keep_their_words(tmp_path: Path) -> None:
    with pytest.raises(ConnectionResetError) as found, naming(tmp_path):
        raise ConnectionResetError(errno.ECONNRESET, os.strerror(errno.ECONNRESET))
    assert found.value.filename is None
