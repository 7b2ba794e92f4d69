"""Estimate the cost of a seed on a machine; docs/cost.md lists the assumptions."""

from dataclasses import dataclass
from functools import cached_property
from math import ceil

from deepmt.config.hardware import Hardware
from deepmt.config.spec import Spec
from deepmt.device_batches import device_batches
from deepmt.estimate.corpus_sizes import CorpusSize, size_of
from deepmt.estimate.counts import (
    SENTENCES_AT_ONCE,
    BatchShape,
    ModelCounts,
    mean_batch,
    search_batch,
)
from deepmt.kernels.limits import MAX_LOGITS, NARROWEST

MB = 2**20
FORWARD_AND_BACKWARD = 3
"""Both passes over the forward pass: the backward pass computes two products for each one."""
FORWARD = 1 / FORWARD_AND_BACKWARD
"""Fraction of an update's calls and values in the forward pass."""
BYTES_PER_LOGIT = 16
"""Logit, logarithm, gradient and a cast."""
PROCESS_MB = {"cpu": 480, "cuda": 700}
"""Memory of torch, its libraries and the trainer on a CPU, measured; of a GPU context, assumed."""
SHAPES_MB = 100
"""Memory of products in bfloat16 on a CPU: oneDNN keeps those of `SHAPES_KEPT`; measured."""
GPU_HOST_MB = 4000
"""Memory of the process that drives a GPU; assumed."""
TRAINER_BYTES = 20
"""Bytes per parameter, float32: weight, gradient, Adam's two moments, and a copy for saving."""
SLACK = 1.25
"""Memory held by the allocator over memory in use, because batches differ in shape."""
STATE_BYTES, STATES_KEPT = 12, 2
"""Bytes per parameter of a saved trainer state (weight and moments), and the number kept."""
WEIGHT_BYTES, WEIGHTS_KEPT = 4, 2
"""Bytes per parameter of saved weights; the initial and averaged ones, beside those to average."""
GRADIENT_BYTES = 4
"""Bytes per parameter that GPUs exchange."""
ORDER_BYTES = 64
"""Bytes per training pair while the trainer sorts the pairs."""
TEXT_MB = 3
"""Disk for the translations of a seed, assumed."""
MAX_MICRO_BATCHES = 64
"""Beyond, a micro-batch holds only a few sentences."""


@dataclass(frozen=True, kw_only=True)
class UpdateWork:
    """Hold the work of a mean update; its time is linear in these four counts."""

    calls: float
    flops: float
    values: float
    parameters: float

    def seconds(self, hardware: Hardware, *, reduced: bool, threads: int, gpus: int) -> float:
        """Return calls * call + (flops / rate + values / rate) / n + parameters / rate + exchange.

        On a CPU, n threads share everything but the calls. On n GPUs, they share the batch, and
        then exchange gradients: 2 (n - 1) / n of them pass through the link of each GPU.
        """
        products = self.flops / hardware.flops(reduced=reduced) + self.values / hardware.values
        step = self.parameters / hardware.parameters
        calls = self.calls * hardware.call
        if not hardware.cuda:
            return calls + (products + step) / threads
        exchanged = 2 * (gpus - 1) / gpus * GRADIENT_BYTES * self.parameters
        return calls + products / gpus + step + (exchanged / hardware.link if exchanged else 0)


@dataclass(frozen=True, kw_only=True)
class SearchWork:
    """Hold the work of beam search over one batch of sentences."""

    search_calls: float
    search_flops: float
    search_values: float

    def seconds(self, hardware: Hardware, threads: int) -> float:
        """Return the seconds of the search in float32.

        decode * (calls * call / 3 + (FLOPs / rate + values / rate / 3) / threads).
        """
        work = self.search_flops / hardware.flops(reduced=False)
        work += FORWARD * self.search_values / hardware.values
        calls = FORWARD * self.search_calls * hardware.call
        return hardware.decode * (calls + work / (1 if hardware.cuda else threads))


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Estimate one seed of a run; `threads` counts those of a CPU, `gpus` those of a training."""

    spec: Spec
    counts: ModelCounts
    hardware: Hardware
    threads: int = 1
    gpus: int = 1

    @cached_property
    def size(self) -> CorpusSize:
        """Return what is known of its corpus."""
        return size_of(self.spec.data)

    @cached_property
    def batch(self) -> BatchShape:
        """Return the mean device batch."""
        return mean_batch(self.spec, self.size)

    @cached_property
    def batches(self) -> int:
        """Return the number of device batches in an update."""
        recipe = self.spec.training
        return device_batches(recipe.batch_tokens, recipe.device_tokens)

    @property
    def passes(self) -> int:
        """Return the forward passes of each GPU in an update: GPUs share whole device batches."""
        return ceil(self.batches / self.gpus) if self.batches >= self.gpus else self.batches

    @property
    def share(self) -> float:
        """Return the share of a device batch in a pass: below 1 if GPUs share its sentences."""
        return 1 if self.batches >= self.gpus else 1 / self.gpus

    @property
    def logits(self) -> int:
        """Return the number of logits in a device batch."""
        return self.batch.predictions * self.size.types[1]

    @property
    def update(self) -> UpdateWork:
        """Return the work of a mean update; logits are values, too."""
        return UpdateWork(
            calls=self.passes * self.counts.calls,
            flops=self.batches * FORWARD_AND_BACKWARD * self.counts.flops,
            values=self.batches * (self.counts.values + self.logits),
            parameters=self.counts.parameters,
        )

    @property
    def search(self) -> SearchWork:
        """Return the work of beam search over a batch of sentences."""
        counts, predictions = self.counts, search_batch(self.size).predictions
        return SearchWork(
            search_calls=counts.search_calls,
            search_flops=counts.search_flops,
            search_values=counts.search_values
            + self.spec.decoding.beam * predictions * self.size.types[1],
        )

    @property
    def reduced(self) -> bool:
        """Check if matrix products are computed in bfloat16."""
        narrow = min(self.spec.encoder.d_model, self.spec.decoder.d_model) < NARROWEST
        return self.hardware.bfloat16 > 0 and not narrow

    @property
    def train_flops(self) -> float:
        """Return the FLOPs of the matrix products of all updates."""
        return self.spec.training.updates * self.update.flops

    @property
    def train_seconds(self) -> float:
        """Return the seconds of all updates, comparable to those in outcome.json."""
        return self.spec.training.updates * self.update.seconds(
            self.hardware, reduced=self.reduced, threads=self.threads, gpus=self.gpus
        )

    @property
    def other_seconds(self) -> float:
        """Return the seconds to start the process once and write checkpoints."""
        saves = self.spec.training.updates // self.spec.training.checkpoint_every
        saved = self.counts.parameters * (STATE_BYTES + WEIGHT_BYTES)
        return self.hardware.start + saves * saved / self.hardware.disk

    def search_seconds(self, sentences: float) -> float:
        """Return the seconds of beam search over this number of sentences."""
        batches = sentences / SENTENCES_AT_ONCE
        return batches * self.search.seconds(self.hardware, self.threads)

    @property
    def states_mb(self) -> float:
        """Return the memory that does not depend on the batch: libraries, weights, moments."""
        states = SLACK * TRAINER_BYTES * self.counts.parameters / MB
        return PROCESS_MB[self.hardware.device] + states

    @property
    def update_memory_mb(self) -> float:
        """Return the peak memory of an update; in bfloat16 weights have copies with gradients."""
        values = self.counts.values * self.share * (2 if self.reduced else 4)
        copies = 4 * self.counts.parameters * self.reduced
        logits = BYTES_PER_LOGIT * min(self.logits * self.share, MAX_LOGITS[self.hardware.device])
        return self.states_mb + SLACK * (values + copies + logits) / MB

    @property
    def train_memory_mb(self) -> float:
        """Return the peak memory of the process on a CPU, or of each GPU."""
        if self.hardware.cuda:
            return self.update_memory_mb
        return self.update_memory_mb + SHAPES_MB * self.reduced + self._order_mb

    @property
    def host_memory_mb(self) -> float:
        """Return the peak memory of the process on the host, also for GPUs."""
        return GPU_HOST_MB + self._order_mb if self.hardware.cuda else self.train_memory_mb

    @property
    def _order_mb(self) -> float:
        # Token ids are memory-mapped, so only the order counts.
        return ORDER_BYTES * self.size.pairs / MB

    @property
    def micro_batches(self) -> int | None:
        """Return the number of micro-batches for an update to fit a device, or None if none fit.

        The trainer itself halves micro-batches until they fit.
        """
        rest = max(0, self.train_memory_mb - self.states_mb)
        powers = (2**power for power in range(MAX_MICRO_BATCHES.bit_length()))
        room = self.hardware.memory_mb - self.states_mb
        return next((count for count in powers if rest / count <= room), None)

    @property
    def disk_mb(self) -> float:
        """Return the disk of a seed: checkpoints, initial and averaged weights, translations.

        Those of a milestone are kept twice, by the trainer and as the model to score.
        """
        recipe = self.spec.training
        kept = recipe.average_last + WEIGHTS_KEPT + 2 * len(recipe.milestones)
        weights = WEIGHT_BYTES * kept
        return self.counts.parameters * (STATE_BYTES * STATES_KEPT + weights) / MB + TEXT_MB
