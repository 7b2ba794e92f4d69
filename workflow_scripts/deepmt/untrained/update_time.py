"""Time updates of several systems on all cores at once, as runs that share them train."""

import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from statistics import fmean, median

import torch

from deepmt.data.batches import Batch
from deepmt.data.vocabulary import EOS, SPECIALS
from deepmt.settings.spec import Spec
from deepmt.train.execution import ExecutionConfig, keep_memory
from deepmt.untrained.bare_trainer import BareTrainer
from deepmt.untrained.speed import in_turn

UPDATES = 20
"""Updates of all systems together in each process, but at least two of each."""
Shape = tuple[int, int]
"""Sentences and their length."""


def seconds_of_updates(
    specs: Sequence[Spec],
    types: tuple[int, int],
    shapes: Sequence[Shape],
    *,
    threads: int,
    runs: int,
) -> list[float]:
    """Return the core seconds of an update of each system while a number of runs train at once.

    They are processor time, as in records, so that other programs do not count. `shapes` are those
    of source and target of a batch.
    """
    with ProcessPoolExecutor(runs, mp_context=get_context("spawn")) as pool:
        jobs = [pool.submit(_seconds, specs, types, shapes, threads) for _ in range(runs)]
        return [fmean(each) for each in zip(*(job.result() for job in jobs), strict=True)]


def _seconds(
    specs: Sequence[Spec], types: tuple[int, int], shapes: Sequence[Shape], threads: int
) -> list[float]:
    torch.set_num_threads(threads)
    keep_memory()
    sides = [torch.randint(len(SPECIALS), *pair) for pair in zip(types, shapes, strict=True)]
    batch = Batch(*(side.index_fill(1, torch.tensor(side.size(1) - 1), EOS) for side in sides))
    trainers = [BareTrainer(spec, types, batch, ExecutionConfig()) for spec in specs]
    works = {n: [partial(trainer.update, batch)] for n, trainer in enumerate(trainers)}
    found = in_turn(works, max(2, UPDATES // len(specs)), time.process_time)
    return [median(found[number]) for number in works]
