"""Run Marian's train program once per batch; the second of its two updates counts.

A run reads one batch as its whole corpus, so it trains on the same sentences as the others.
"""

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

import numpy as np

from bench.worker import System, Task
from bench.workload import EOS, FIRST_WORD, LONGEST, PAD, Ids, Size, TrainingBatch, draw_training

UPDATE = re.compile(r"Sen\. (?P<rows>[\d,]+) : Cost (?P<loss>[\d.]+) : .* (?P<rate>[\d.]+) words/s")


def sentence(row: Ids) -> str:
    """Return a row as text without padding and end symbol, since Marian adds the latter."""
    return " ".join(f"w{i}" for i in row if i not in (PAD, EOS))


def write_vocabulary(path: Path, size: Size) -> None:
    """Write a vocabulary with as many types as the other systems have."""
    words = ["</s>", "<unk>", *(f"w{i}" for i in range(FIRST_WORD, size.vocabulary + 2))]
    path.write_text("".join(f"{word}: {i}\n" for i, word in enumerate(words)))


def options(task: Task) -> dict[str, object]:
    """Return the options of its train program; each thread is a device."""
    size = task.size
    return {
        "model": "model.npz",
        "vocabs": "vocabulary.yml vocabulary.yml",
        "train-sets": "source target",
        "type": "transformer",
        "dim-emb": size.d_model,
        "enc-depth": size.encoder_layers,
        "dec-depth": size.decoder_layers,
        "transformer-heads": size.heads,
        "transformer-dim-ffn": size.feed_forward,
        "transformer-ffn-activation": "relu",
        "transformer-dropout": 0.1,
        "label-smoothing": 0.1,
        "cost-type": "ce-mean-words",
        "optimizer-params": "0.9 0.98 1e-8",
        "clip-norm": 0,
        "cpu-threads": task.threads,
        "max-length": LONGEST + 1,
        "mini-batch": 1000,
        "maxi-batch": 1,
        "maxi-batch-sort": "none",
        "shuffle": "none",
        "disp-freq": "1u",
    }


def run(folder: Path, settings: dict[str, object], updates: int) -> re.Match[str]:
    """Train from new weights, and return the log line of the last update."""
    words = [sys.executable, "-m", "pymarian", "train", "--after", f"{updates}u"]
    words += ["--tied-embeddings", "--sync-sgd", "--no-reload", "--overwrite"]
    for key, value in settings.items():
        words += [f"--{key}", *str(value).split()]
    done = subprocess.run(
        words,
        cwd=folder,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        stderr=subprocess.STDOUT,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    lines = list(UPDATE.finditer(done.stdout))
    if done.returncode or len(lines) != updates:
        raise RuntimeError(f"Marian ended with status {done.returncode}: {done.stdout[-1000:]}")
    return lines[-1]


def num_parameters(model: Path) -> int:
    """Count the numbers of a saved model, which also holds its settings."""
    with np.load(model) as arrays:
        return sum(arrays[name].size for name in arrays.files if not name.startswith("special:"))


class Marian:
    """Hold a temporary folder with vocabulary and settings, and run each batch in it."""

    def __init__(self, task: Task) -> None:
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = Path(self.scratch.name)
        self.settings = options(task)
        write_vocabulary(self.folder / "vocabulary.yml", task.size)

    def update(self, batches: Sequence[TrainingBatch]) -> float:
        """Return the seconds that Marian reports; its target words include end symbols."""
        seconds = 0.0
        for batch in batches:
            for side in ("source", "target"):
                lines = (f"{sentence(row)}\n" for row in getattr(batch, side))
                (self.folder / side).write_text("".join(lines))
            line = run(self.folder, self.settings, updates=2)
            if int(line["rows"].replace(",", "")) != len(batch.target):
                raise RuntimeError(f"Marian did not read all sentences of its batch: {line[0]}")
            seconds += batch.target_tokens / float(line["rate"])
            batch.check(float(line["loss"]))
        return seconds


def train(task: Task) -> System:
    """Train on one batch to check the program and count its parameters."""
    task.only("float32", device="cpu")
    marian = Marian(task)
    marian.update(draw_training(task.size, 1))
    return System(
        name="Marian",
        version=version("pymarian"),
        parameters=num_parameters(marian.folder / "model.npz"),
        run=marian.update,
    )
