"""Time decoding and training steps with random weights, alternating between architectures."""

import time
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import torch
from torch import Tensor, nn

from deepmt.base.errors import UserError
from deepmt.data.batches import Batch
from deepmt.decode.precision import prepare
from deepmt.decode.search import beam_search
from deepmt.model.build import build
from deepmt.settings.methods.transformer_options import Glorot
from deepmt.settings.spec import Decoding, Method, Model, Spec, Stack
from deepmt.train.execution import ExecutionConfig
from deepmt.untrained.bare_trainer import BareTrainer
from deepmt.untrained.newstest import batches_to_decode, batches_to_train, pieces_to_decode

Work = Sequence[Callable[[], object]]
Name = TypeVar("Name", bound=Hashable)


@dataclass(frozen=True, kw_only=True)
class Effort:
    """Define how many batches to decode or updates to perform per round, and how many rounds."""

    batches: int
    steps: int
    rounds: int

    @property
    def sentences(self) -> int:
        """Count the sentences of the batches to decode."""
        return sum(map(len, pieces_to_decode(self.batches)))


EFFORTS = {
    "cpu": Effort(batches=2, steps=2, rounds=3),
    "cuda": Effort(batches=86, steps=500, rounds=3),
}
"""GPUs run the whole test set and the 500 steps of Zhang 2019, CPUs a sample of both."""


@dataclass(frozen=True, kw_only=True)
class Machine:
    """Describe the hardware and its settings."""

    device: str
    name: str
    threads: int
    precision: str = "float32"
    """The papers' own precision; today's GPUs would use bfloat16."""


@dataclass(frozen=True)
class Architecture:
    """Hold the part of a spec that time depends on, without initialisation and recipe."""

    encoder: Stack
    decoder: Stack
    method: Method
    model: Model
    vocabulary: tuple[int, int]

    @classmethod
    def of(cls, spec: Spec, vocabulary: tuple[int, int]) -> "Architecture":
        """Return the architecture of a spec."""
        method = replace(spec.method, initialisation=Glorot())
        model = replace(spec.model, cross_fan="separate")
        return cls(spec.encoder, spec.decoder, method, model, vocabulary)


@dataclass(frozen=True, kw_only=True)
class Timing:
    """Hold the times of one architecture, round by round; empty if not requested."""

    sentence: Sequence[float] = ()
    """Seconds to decode a sentence, on average."""
    token: Sequence[float] = ()
    """Seconds to decode a target token, end symbols included."""
    step: Sequence[float] = ()
    """Seconds of an update."""


def time_in_turn(
    specs: Mapping[Architecture, Spec], effort: Effort, machine: Machine, *, training: bool
) -> dict[Architecture, Timing]:
    """Time the decoding and, if `training`, the updates of all architectures, alternating."""
    batches = {a: batches_to_decode(effort.batches, a.vocabulary) for a in specs}
    works = {a: decoding(spec, a.vocabulary, batches[a], machine) for a, spec in specs.items()}
    now = partial(clock, machine.device)
    seconds = in_turn(works, effort.rounds, now)
    timings = {
        a: Timing(
            sentence=[s / sum(len(batch.source) for batch in batches[a]) for s in seconds[a]],
            token=[s / sum(batch.target_tokens for batch in batches[a]) for s in seconds[a]],
        )
        for a in specs
    }
    if not training:
        return timings
    works = {a: updates(spec, a.vocabulary, effort.steps, machine) for a, spec in specs.items()}
    seconds = in_turn(works, effort.rounds, now)
    return {a: replace(timings[a], step=[s / effort.steps for s in seconds[a]]) for a in specs}


def in_turn(
    works: Mapping[Name, Work], rounds: int, now: Callable[[], float]
) -> dict[Name, list[float]]:
    """Warm up with the first piece of each work, then time all in every round, rotating."""
    for work in works.values():
        work[0]()
    names = list(works)
    seconds: dict[Name, list[float]] = {name: [] for name in names}
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            began = now()
            for piece in works[name]:
                piece()
            seconds[name].append(now() - began)
    return seconds


def clock(device: str) -> float:
    """Return the time in seconds after the device has finished its work."""
    if torch.device(device).type == "cuda":
        torch.cuda.synchronize(device)
    return time.perf_counter()


def decoding(
    spec: Spec, vocabulary: tuple[int, int], batches: Sequence[Batch], machine: Machine
) -> Work:
    """Return beam searches with the paper's beam, one per batch."""
    model = prepare(build(spec, *vocabulary).to(machine.device), machine.precision)
    sources = [batch.source.to(machine.device) for batch in batches]
    return [
        partial(decode, model, source, forced(spec.decoding, batch.target.size(1)))
        for source, batch in zip(sources, batches, strict=True)
    ]


def forced(settings: Decoding, length: int) -> Decoding:
    """Return settings that force every translation to `length` tokens, end symbol included."""
    return replace(settings, min_length=length - 1, max_length=length, max_extra=length)


def decode(model: nn.Module, source: Tensor, settings: Decoding) -> None:
    """Translate a batch.

    Raises:
        UserError: if a translation does not have the forced length; its time would be wrong.
    """
    lengths = {1 + len(found.tokens) for found in beam_search(model, source, settings)}
    if lengths != {settings.max_length}:
        raise UserError(
            f"beam search was forced to {settings.max_length} tokens but returned"
            f" {sorted(lengths)}: correct deepmt/decode"
        )


def updates(spec: Spec, vocabulary: tuple[int, int], steps: int, machine: Machine) -> Work:
    """Return the trainer's own updates, one per batch."""
    batches = batches_to_train(steps, vocabulary)
    execution = ExecutionConfig(device=machine.device, precision=machine.precision)
    trainer = BareTrainer(spec, vocabulary, batches[0], execution)
    return [partial(trainer.update, batch) for batch in batches]
