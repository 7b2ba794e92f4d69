"""What the systems built on torch share: sentences as tensors, and which precisions they have."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from bench.protocol import System, Task, each
from bench.sentences import Sentences
from bench.workers.on_torch import peak_memory_mb

Hypotheses = Sequence[Sequence[int]]


def only(task: Task, *precisions: str) -> None:
    """Refuse a precision that this worker does not translate in.

    Raises:
        ValueError: such a one is asked for.
    """
    if task.precision not in precisions:
        raise ValueError(f"translates in {' and '.join(precisions)} only, not in {task.precision}")


def translating(
    search: Callable[[Tensor, Tensor], Hypotheses],
    task: Task,
    *,
    name: str,
    version: str,
    parameters: int,
) -> System:
    """The system that translates by `search`, a function of source [B, S] and lengths [B]."""

    def step(sentences: Sentences) -> Hypotheses:
        source = torch.from_numpy(sentences.source).to(task.device)
        lengths = torch.from_numpy(sentences.source_lengths).to(task.device)
        return search(source, lengths)

    return System(
        name=name,
        version=version,
        parameters=parameters,
        run=each(step),
        peak_memory_mb=lambda: peak_memory_mb(task.device),
    )
