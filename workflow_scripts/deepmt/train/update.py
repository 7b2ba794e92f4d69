"""Compute one update: the gradient of its batches, in micro-batches, and the optimiser step."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import torch
from torch import Tensor, nn

from deepmt.base.device_batches import device_batches
from deepmt.data.batches import Batch
from deepmt.data.buckets import in_bucket, takes_buckets
from deepmt.kernels.flat_parameters import FlatParameters
from deepmt.kernels.working_copy import WorkingCopy
from deepmt.settings.spec import Spec
from deepmt.train.event_log import EventLog
from deepmt.train.execution import ExecutionConfig
from deepmt.train.learning_rate import learning_rate
from deepmt.train.loss import SmoothedLoss
from deepmt.train.optimiser import epsilon_of, optimiser_of
from deepmt.train.passes import PASS_POSITIONS, Share
from deepmt.train.workers import Workers

OUT_OF_MEMORY = ("can't allocate memory", "CUBLAS_STATUS_ALLOC_FAILED")


@dataclass(eq=False)
class Updater:
    """Compute gradients of a model and take optimiser steps."""

    spec: Spec
    model: nn.Module
    execution: ExecutionConfig
    log: EventLog
    workers: Workers = field(default_factory=Workers)
    seed: int = 0

    def __post_init__(self) -> None:
        recipe = self.spec.training
        self.dtype = self.execution.dtype(self.spec)
        self.flat = FlatParameters(self.model.parameters())
        self.optimiser = optimiser_of(self.model, self.flat, recipe)
        self.device = self.flat.weights.device
        self.in_buckets = takes_buckets(self.device)
        pieces = device_batches(recipe.batch_tokens, recipe.device_tokens)
        most = min(PASS_POSITIONS, recipe.batch_tokens)
        passes = most if self.in_buckets else recipe.batch_tokens // pieces
        self.micro_tokens = self.execution.micro_tokens or passes
        self.pass_positions = self.micro_tokens if self.in_buckets else 0
        """Positions of the passes that an update is regrouped into; 0 = its device batches. Unlike
        micro_tokens it never falls, since passes are made ahead of time."""
        types = self.model.output.out_features
        self.loss = SmoothedLoss.of(recipe, types, every_position=self.in_buckets)

    def gradient(
        self, share: Share, number: int, begin: Callable[[], None] = lambda: None
    ) -> tuple[Tensor, Tensor]:
        """Add the gradient of a worker's share of an update to .grad; return loss and NLL.

        When memory runs out, try again with micro-batches of half the size, which give the same
        sum. `begin` is called before each attempt.
        """
        if self.copy:
            self.copy.read_weights()
        while True:
            begin()
            try:
                return self._accumulate_gradient(share, number)
            except RuntimeError as error:
                sides = (batch.longest for _, batch in share.passes)
                longest = max(sides, default=self.micro_tokens)  # which then is not halved
                if not out_of_memory(error) or self.micro_tokens <= longest:
                    raise
            self.flat.zero_gradient()
            if self.copy:
                self.copy.zero_gradient()
            if self.device.type == "cuda":
                torch.cuda.empty_cache()
            self.micro_tokens = max(longest, self.micro_tokens // 2)
            self.log.write("halved", update=number, micro_tokens=self.micro_tokens)

    def _accumulate_gradient(self, share: Share, number: int) -> tuple[Tensor, Tensor]:
        weight: float | Tensor = self.loss.weight(share)
        if self.in_buckets:  # the same calls for every weight
            weight = torch.full((), float(weight), device=self.device)
        sums = torch.zeros(2, device=self.device)
        for first, micro_batch in self._micro_batches(share):
            torch.manual_seed(derived_seed(self.seed, number, first))
            sums = sums + self._pass(micro_batch.to(self.device), weight)
        loss, nll = sums
        return self.loss.per_token(loss, share), nll

    def _pass(self, batch: Batch, weight: float | Tensor) -> Tensor:
        """Add the gradient of one pass; return loss and NLL: [2].

        In a bucket, its calls depend on the shape alone.
        """
        with self._precision():
            states = self.working(batch.source, batch.target)
        sums = self.loss.backward(self._logits, states, batch.target, weight)
        if self.copy:
            self.copy.add_gradients()
        return torch.stack(sums)

    def _logits(self, states: Tensor) -> Tensor:
        with self._precision():
            return self.working.output(states)

    @cached_property
    def copy(self) -> WorkingCopy | None:
        """Return the copy for bfloat16; resuming may set the precision before its first use."""
        return WorkingCopy(self.model) if self.dtype == torch.bfloat16 else None

    @property
    def working(self) -> nn.Module:
        """Return the model that computes gradients: the trained one, or its bfloat16 copy."""
        return self.copy.model if self.copy else self.model

    def _precision(self) -> torch.autocast:
        reduced = self.dtype == torch.bfloat16
        return torch.autocast(self.device.type, torch.bfloat16, enabled=reduced)

    def _micro_batches(self, share: Share) -> Iterator[tuple[int, Batch]]:
        """Yield the number in the update of the first row, and rows of up to `micro_tokens` tokens.

        Gradients add up to that of the update, for any number of workers and micro-batches.
        """
        for before, batch in share.passes:
            rows = max(1, self.micro_tokens // batch.longest)
            for first in range(0, len(batch.source), rows):
                chosen = slice(first, first + rows)
                part = Batch(batch.source[chosen], batch.target[chosen])
                yield before + first, in_bucket(part) if self.in_buckets else part

    def step(self, number: int, norm: Tensor) -> None:
        """Take an optimiser step on the gradient, which has this norm, and reset the gradient."""
        recipe = self.spec.training
        if recipe.clip:
            nn.utils.clip_grads_with_norm_([self.flat.weights], recipe.clip, norm)
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate(self.spec, number)
            if recipe.epsilon_hat:
                group["eps"] = epsilon_of(recipe, number)
        self.optimiser.step()
        self.flat.zero_gradient()


def derived_seed(*numbers: int) -> int:
    """Derive one seed from several numbers: dropout depends only on seed, update and first row."""
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0])


def out_of_memory(error: RuntimeError) -> bool:
    """Check if memory ran out; libraries and the CPU allocator raise a plain RuntimeError."""
    known = isinstance(error, torch.OutOfMemoryError)
    return known or any(message in str(error) for message in OUT_OF_MEMORY)
