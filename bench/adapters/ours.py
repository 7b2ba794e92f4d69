"""Run this project: the trainer's own update, and the search of `translate.py`."""

from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import torch
from torch import nn

from bench.adapters.torch_system import insist_on, num_parameters
from bench.worker import System, Task, each
from bench.workload import (
    BEAM,
    EOS,
    STEPS,
    Sentences,
    Size,
    TrainingBatch,
    draw_training,
)
from deepmt.base.files import commit
from deepmt.data.batches import Batch
from deepmt.decode.precision import prepare
from deepmt.decode.search import beam_search
from deepmt.init.initialise import initialise_
from deepmt.model.build import build
from deepmt.settings.spec import Decoding, Spec, make_spec
from deepmt.train.execution import ExecutionConfig, keep_memory
from deepmt.untrained.bare_trainer import BareTrainer

SEED = 1
"""Seed of the random weights."""
WHOLE_BATCH = 1_000_000
"""Micro-tokens that no batch exceeds, since sources may be longer than targets."""
SEARCH = Decoding(beam=BEAM, min_length=STEPS - 1, max_extra=STEPS, max_length=STEPS)
STANDARD: Mapping[str, str] = {}
MERGED = {"method.decoder_self_attention": "saan", "method.decoder_layer": "merged"}
"""Settings of merged attention over an average (MAtt), whose state does not grow."""
VERSION = commit(Path(__file__).parents[2])

Search = Callable[[Sentences], list[list[int]]]


def spec_of(size: Size, method: Mapping[str, str] = STANDARD) -> Spec:
    """Return the project's defaults, which are post-norm, with the settings of a method."""
    stacks, shared = ("encoder", "decoder"), ("d_model", "feed_forward", "heads")
    settings = {f"{stack}.{key}": getattr(size, key) for stack in stacks for key in shared} | {
        "encoder.layers": size.encoder_layers,
        "decoder.layers": size.decoder_layers,
        "data.corpus": "benchmark",
        "data.source": "source",
        "data.target": "target",
        "training.updates": 1000,
        "training.batch_tokens": size.batch_tokens,
        "training.lr": 1e-4,
        "training.warmup": 1,
        "training.divergence_patience": 1.0,
    }
    return make_spec({**settings, **method})


def tensors(arrays: TrainingBatch) -> Batch:
    """Return a batch in the trainer's form."""
    return Batch(torch.from_numpy(arrays.source), torch.from_numpy(arrays.target))


def train(task: Task, method: Mapping[str, str] = STANDARD) -> System:
    """Train a method in the requested precision, with memory set as by `train.py`."""
    keep_memory()
    execution = ExecutionConfig(
        device=task.device, precision=task.precision, micro_tokens=WHOLE_BATCH
    )
    first = tensors(draw_training(task.size, 1)[0])
    types = (task.size.vocabulary, task.size.vocabulary)
    trainer = BareTrainer(spec_of(task.size, method), types, first, execution)
    insist_on(trainer.updater.working, task.precision)
    return System(
        name="ours",
        version=VERSION,
        parameters=num_parameters(trainer.model),
        run=each(lambda arrays: trainer.update(tensors(arrays))),
    )


def new_model(size: Size, method: Mapping[str, str] = STANDARD) -> nn.Module:
    """Build a method's model with random weights, the same every time."""
    torch.manual_seed(SEED)
    spec = spec_of(size, method)
    model = build(spec, size.vocabulary, size.vocabulary)
    first = tensors(draw_training(size, 1)[0])
    initialise_(model, spec, lambda: (first.source, first.target))
    return model


def searching(task: Task, method: Mapping[str, str] = STANDARD) -> Search:
    """Return the beam search of `translate.py` with a method's model in the task's precision."""
    model = new_model(task.size, method).to(task.device).eval()
    prepared = prepare(model, task.precision)

    def search(sentences: Sentences) -> list[list[int]]:
        source = torch.from_numpy(sentences.source).to(task.device)
        # The search returns finished hypotheses without EOS.
        return [[*found.tokens, EOS] for found in beam_search(prepared, source, SEARCH)]

    return search


def system(name: str, task: Task, search: Search, method: Mapping[str, str] = STANDARD) -> System:
    """Return the system that translates by `search`."""
    parameters = num_parameters(new_model(task.size, method))
    return System(name=name, version=VERSION, parameters=parameters, run=each(search))


def decode(task: Task) -> System:
    """Translate with the standard model."""
    return system("ours", task, searching(task))


def decode_merged(task: Task) -> System:
    """Translate with merged attention over an average."""
    return system("ours, MAtt", task, searching(task, MERGED), MERGED)


def decode_parallel(task: Task) -> System:
    """Translate in one process per thread; they share the sentences of a batch."""
    return system(f"ours, {task.threads} processes", task, parallel_search(task))


def parallel_search(task: Task) -> Search:
    """Return a search by persistent processes with a copy of the model each."""
    count, spawn = task.threads, get_context("spawn")
    pool = ProcessPoolExecutor(count, spawn, begin_share, (replace(task, threads=1),))

    def search(sentences: Sentences) -> list[list[int]]:
        shares = [Sentences(sentences.source[k::count]) for k in range(count)]
        found: list[list[int]] = [[] for _ in sentences.source]
        for k, share in enumerate(pool.map(search_share, shares)):
            found[k::count] = share
        return found

    return search


SHARE: list[Search] = []
"""The search of this process."""


def begin_share(task: Task) -> None:
    """Build the model of this process."""
    torch.set_num_threads(task.threads)
    SHARE.append(searching(task))


def search_share(sentences: Sentences) -> list[list[int]]:
    """Translate one share of a batch."""
    return SHARE[0](sentences)
