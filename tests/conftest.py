"""Shared by all tests: one thread, and a tiny encoded corpus."""

import json
import os
from dataclasses import asdict
from pathlib import Path

import pytest
import torch

from deepmt.data.encode_text import write_encoded
from deepmt.data.vocabulary import Vocabulary
from deepmt.files import write_hashed_json, write_text
from tiny import tiny_spec

os.environ["OMP_NUM_THREADS"] = "1"
"""Threads of the programs that tests start: two tests run at a time."""


@pytest.fixture(autouse=True)
def one_thread() -> None:
    """Bit-identical sums need a fixed number of threads."""
    torch.set_num_threads(1)


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    """An encoded corpus of made-up words: w3 w4 w5, and in German w5 w4 w3."""
    folder = tmp_path / "dataset"
    draw = torch.Generator().manual_seed(3)
    words = [f"w{i}" for i in range(20)]
    vocabulary = Vocabulary.from_counts(dict.fromkeys(words, 1))
    for name, count in (("train", 60), ("dev", 8), ("test", 8)):
        starts, lengths = (
            torch.randint(low, high, (count,), generator=draw).tolist()
            for low, high in ((0, 12), (1, 9))
        )
        lines = [words[i : i + n] for i, n in zip(starts, lengths, strict=True)]
        for language, step in (("en", 1), ("de", -1)):
            text = folder / f"{name}.{language}"
            write_text(text, "".join(" ".join(line[::step]) + "\n" for line in lines))
            write_encoded(text, vocabulary, folder / "ids", f"{name}.{language}")
    for language in ("en", "de"):
        vocabulary.save(folder / f"vocab.{language}")
    write_text(folder / "data.json", json.dumps(asdict(tiny_spec(data__subword="none").data)))
    write_hashed_json(folder / "manifest.json", {"note": "invented"})
    return folder
