"""This project: the trainer's own update and the search that `translate.py` runs.

The benchmark knows nothing else of it.
"""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from bench.adapters.torch_system import insist_on, num_parameters, peak_memory_mb, translating
from bench.protocol import System, Task, each, own_peak_memory_mb, serve
from bench.sentences import BEAM, SEED, STEPS, Sentences, decoding_flops
from bench.workload import EOS, MAX_TOKENS, Ids, Size, draw
from bench.workload import Batch as Arrays
from deepmt.config import spec as schema
from deepmt.config.spec import Decoding, Method, Spec
from deepmt.data.batches import Batch
from deepmt.decode.precision import prepare
from deepmt.decode.search import beam_search
from deepmt.files import commit
from deepmt.init.initialise import initialise_
from deepmt.metrics.bare_trainer import bare_trainer, make_update
from deepmt.model.build import build
from deepmt.train.engine import Engine

WHOLE_BATCH = 1_000_000
"""Micro-tokens that no batch exceeds: sources may be longer than targets."""
SEARCH = Decoding(beam=BEAM, min_length=STEPS - 1, max_extra=STEPS, max_length=STEPS)
STANDARD = Method()
MERGED = Method(branch="saan", wiring="merged")

Translate = Callable[[Tensor], list[list[int]]]
"""From source rows [B, S] to the tokens of the best hypotheses."""


def spec_of(size: Size) -> Spec:
    """Return the project's defaults, which are post-norm."""
    settings = {
        "encoder.layers": size.encoder_layers,
        "decoder.layers": size.decoder_layers,
        "data.corpus": "benchmark",
        "data.source": "source",
        "data.target": "target",
        "training.updates": 1000,
        "training.batch_tokens": MAX_TOKENS,
        "training.lr": 1e-4,
        "training.warmup": 1,
        "training.stall_share": 1.0,
    }
    for stack in ("encoder", "decoder"):
        for key in ("d_model", "feed_forward", "heads"):
            settings[f"{stack}.{key}"] = getattr(size, key)
    spec, problems = schema.read(settings)
    if spec is None:
        raise ValueError(f"bench/adapters/ours.py: settings of size {size.name}: {problems}")
    return spec


def version() -> str:
    """Return the commit of the code."""
    return commit(Path(__file__).parents[2])


def tensors(arrays: Arrays) -> Batch:
    """Return a batch as the trainer takes it."""
    return Batch(torch.from_numpy(arrays.source), torch.from_numpy(arrays.target))


def train(size: Size, task: Task) -> System:
    """Train in the precision that is asked for, never in the engine's own choice."""
    engine = Engine(device=task.device, precision=task.precision, micro_tokens=WHOLE_BATCH)
    first = tensors(draw(size, 1).batches[0])
    trainer = bare_trainer(spec_of(size), (size.vocabulary, size.vocabulary), first, engine)
    insist_on(trainer.model, task.precision)
    return System(
        name="ours",
        version=version(),
        parameters=num_parameters(trainer.model),
        run=each(lambda arrays: make_update(trainer, tensors(arrays))),
        peak_memory_mb=lambda: peak_memory_mb(task.device),
    )


def new_model(size: Size, method: Method = STANDARD) -> nn.Module:
    """Build a method's model with random weights, the same every time."""
    torch.manual_seed(SEED)
    spec = replace(spec_of(size), method=method)
    model = build(spec, size.vocabulary, size.vocabulary)
    first = tensors(draw(size, 1).batches[0])
    initialise_(model, spec, lambda: (first.source, first.target))
    return model


def translator(size: Size, task: Task, method: Method = STANDARD) -> tuple[Translate, int]:
    """Return the beam search of a method's model, and the number of its parameters."""
    model = new_model(size, method)
    parameters = num_parameters(model)
    prepared = prepare(model.to(task.device).eval(), task.precision)

    def translate(source: Tensor) -> list[list[int]]:
        # It returns the words alone, of hypotheses that have ended.
        return [[*found.tokens, EOS] for found in beam_search(prepared, source, SEARCH)]

    return translate, parameters


def decode(size: Size, task: Task, method: Method = STANDARD) -> System:
    """Translate with a method's model, prepared for a precision."""
    translate, parameters = translator(size, task, method)
    return translating(
        lambda source, lengths: translate(source),
        task,
        name="ours",
        version=version(),
        parameters=parameters,
    )


def decode_merged(size: Size, task: Task) -> System:
    """Translate with merged attention over an average (MAtt), whose state does not grow."""
    return replace(decode(size, task, MERGED), name="ours, MAtt", flops=flops_of_merged)


def flops_of_merged(size: Size, sentences: Sentences) -> float:
    """Count the products of a model with merged attention."""
    return decoding_flops(size, sentences.source_lengths, merged=True)


def decode_in_processes(size: Size, task: Task) -> System:
    """Translate in one process per thread; they share the sentences of a batch."""
    processes = Processes(size, task)
    return System(
        name=f"ours, {task.threads} processes",
        version=version(),
        parameters=processes.parameters(),
        run=each(processes.translate),
        peak_memory_mb=processes.peak_memory_mb,
    )


class Processes:
    """Processes with a model each, which stay from batch to batch."""

    model: dict[str, Any] = {}  # noqa: RUF012
    """In each of these processes, its translator."""

    def __init__(self, size: Size, task: Task) -> None:
        begin = partial(Processes.begin, size, replace(task, threads=1))
        self.pools = [
            ProcessPoolExecutor(1, get_context("spawn"), initializer=begin)
            for _ in range(task.threads)
        ]

    @staticmethod
    def begin(size: Size, task: Task) -> None:
        """Build the model of this process."""
        torch.set_num_threads(task.threads)
        Processes.model["translate"], Processes.model["parameters"] = translator(size, task)

    @staticmethod
    def own_parameters() -> int:
        """Count the parameters of this process's model."""
        return int(Processes.model["parameters"])

    @staticmethod
    def share(source: Ids) -> list[list[int]]:
        """Translate one share of a batch."""
        return list(Processes.model["translate"](torch.from_numpy(source)))

    def parameters(self) -> int:
        """Count the parameters of one of the models."""
        return self.pools[0].submit(Processes.own_parameters).result()

    def translate(self, sentences: Sentences) -> list[list[int]]:
        """Give every process its share and restore the order."""
        count, rows = len(self.pools), sentences.source
        shares = [pool.submit(Processes.share, rows[k::count]) for k, pool in enumerate(self.pools)]
        found: list[list[int]] = [[] for _ in rows]
        for k, share in enumerate(shares):
            found[k::count] = share.result()
        return found

    def peak_memory_mb(self) -> float:
        """Add the memory of all processes."""
        others = (pool.submit(own_peak_memory_mb).result() for pool in self.pools)
        return own_peak_memory_mb() + sum(others)


if __name__ == "__main__":
    serve(
        train=train,
        decode=decode,
        decode_merged=decode_merged,
        decode_in_processes=decode_in_processes,
    )
