"""Estimate the cost of a seed on a machine; docs/cost.md lists the assumptions."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil

from deepmt.base.device_batches import device_batches
from deepmt.kernels.limits import BEST_KEPT, MAX_LOGITS, NARROWEST, SENTENCES_AT_ONCE, STATES_KEPT
from deepmt.machines.corpus_sizes import BatchShape, mean_batch, search_batch
from deepmt.machines.hardware import Hardware
from deepmt.machines.model_work import ModelWork, work_of
from deepmt.settings.corpora import CorpusSize
from deepmt.settings.spec import Spec

MB = 2**20
HOUR = 3600
GPUS = (1, 2, 4, 8)
"""That one training may share: all are of one node."""
FORWARD_AND_BACKWARD = 3
"""Both passes over the forward pass: the backward pass computes two products for each one."""
BYTES_PER_LOGIT = 16
"""Logit, logarithm, gradient and a cast."""
PROCESS_MB = {"cpu": 480, "cuda": 700}
"""Memory of torch, its libraries and the trainer on a CPU, measured; of a GPU context, assumed."""
SHAPES_MB = 410
"""Memory of products in bfloat16 on a CPU: oneDNN keeps those of `SHAPES_KEPT`; measured."""
GPU_HOST_MB = 4000
"""Memory of the process that drives a GPU; assumed."""
TRAINER_BYTES = 20
"""Bytes per parameter, float32: weight, gradient, Adam's two moments, and a copy for saving."""
SLACK = 1.25
"""Memory held by the allocator over memory in use, because batches differ in shape."""
STATE_BYTES = 12
"""Bytes per parameter of a saved trainer state: weight and moments."""
WEIGHT_BYTES, WEIGHTS_KEPT = 4, 2
"""Bytes per parameter of saved weights; the initial and averaged ones, beside those to average."""
ORDER_BYTES = 64
"""Bytes per training pair while the trainer sorts the pairs."""
TEXT_MB = 3
"""Disk for the translations of a seed, assumed."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Estimate one seed of a run; `threads` counts those of a CPU, `gpus` those of a training."""

    spec: Spec
    size: CorpusSize
    """Size of its corpus (corpus_sizes.size_of)."""
    hardware: Hardware
    threads: int = 1
    gpus: int = 1

    @cached_property
    def work(self) -> ModelWork:
        """Return the work of its model."""
        return work_of(self.spec, self.size.types)

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
        """Return the forward passes of each GPU in an update, as if GPUs shared device batches.

        Training regroups their rows (train/passes.py); how much that saves is not measured yet.
        """
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
    def reduced(self) -> bool:
        """Check if matrix products are computed in bfloat16."""
        narrow = min(self.spec.encoder.d_model, self.spec.decoder.d_model) < NARROWEST
        exact = self.spec.training.precision == "float32"
        return self.hardware.bfloat16 > 0 and not narrow and not exact

    def rate(self, *, reduced: bool) -> float:
        """Return the FLOP per second of products as wide as the model."""
        width = min(self.spec.encoder.d_model, self.spec.decoder.d_model)
        full = self.hardware.bfloat16 if reduced else self.hardware.float32
        return full * min(1, width / self.hardware.width)

    @property
    def update_flops(self) -> float:
        """Return the FLOPs of the matrix products of an update."""
        return self.batches * FORWARD_AND_BACKWARD * self.work.flops(self.batch)

    @property
    def update_seconds(self) -> float:
        """Return FLOPs / rate, shared by GPUs or threads, but at least the launches of a GPU."""
        products = self.update_flops / self.rate(reduced=self.reduced)
        if not self.hardware.cuda:
            return products / self.threads
        layers = self.spec.encoder.layers + self.spec.decoder.layers
        share = self.passes * self.share / self.batches
        return max(products * share, self.passes * layers * self.hardware.layer)

    @property
    def train_flops(self) -> float:
        """Return the FLOPs of the matrix products of all updates."""
        return self.spec.training.updates * self.update_flops

    @property
    def train_seconds(self) -> float:
        """Return the seconds of all updates, comparable to those in outcome.json."""
        return self.spec.training.updates * self.update_seconds

    @property
    def wall_hours(self) -> float:
        """Return the hours of one training."""
        return (self.train_seconds + self.hardware.start) / HOUR

    @property
    def by_gpus(self) -> dict[int, float]:
        """Return the hours of one training by its GPUs, of which each has a device batch."""
        usable = [gpus for gpus in GPUS if gpus <= max(self.batches, self.gpus)]
        return {gpus: replace(self, gpus=gpus).wall_hours for gpus in usable}

    def search_seconds(self, sentences: float) -> float:
        """Return the seconds of beam search over this number of sentences in float32."""
        flops = self.work.flops(search_batch(self.size), self.spec.decoding.beam)
        seconds = self.hardware.decode * flops / self.rate(reduced=False)
        return sentences / SENTENCES_AT_ONCE * seconds / (1 if self.hardware.cuda else self.threads)

    @property
    def states_mb(self) -> float:
        """Return the memory that does not depend on the batch: libraries, weights, moments."""
        states = SLACK * TRAINER_BYTES * self.work.parameters / MB
        return PROCESS_MB[self.hardware.device] + states

    @property
    def update_memory_mb(self) -> float:
        """Return the peak memory of an update; in bfloat16 weights have copies with gradients."""
        values = self.work.values(self.batch) * self.share * (2 if self.reduced else 4)
        copies = 4 * self.work.parameters * self.reduced
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
    def fits(self) -> bool:
        """Check if an update fits, as its trainer halves micro-batches until they do."""
        return self.states_mb < self.hardware.memory_mb

    @property
    def disk_mb(self) -> float:
        """Return the disk of a seed: checkpoints, initial and averaged weights, translations.

        Those of a milestone are kept twice, by the trainer and as the model to score.
        """
        recipe = self.spec.training
        kept = recipe.average_last + WEIGHTS_KEPT + 2 * len(recipe.milestones)
        kept += BEST_KEPT * (recipe.average == "best")
        weights = WEIGHT_BYTES * kept
        return self.work.parameters * (STATE_BYTES * STATES_KEPT + weights) / MB + TEXT_MB
