"""Estimate what a seed costs on a machine; docs/cost.md lists the assumptions."""

from dataclasses import dataclass
from functools import cached_property

from deepmt.config.hardware import Hardware
from deepmt.config.spec import Spec
from deepmt.estimate.corpus_sizes import CorpusSize, size_of
from deepmt.estimate.counts import (
    SENTENCES_AT_ONCE,
    BatchShape,
    ModelCounts,
    mean_batch,
    search_batch,
)

MB = 2**20
FORWARD_AND_BACKWARD = 3
"""The backward pass takes two products for each one of the forward pass."""
FORWARD = 1 / FORWARD_AND_BACKWARD
"""Share of an update's calls and values that are of the forward pass."""
NARROWEST = 256
"""Below this width nothing is computed in bfloat16 (deepmt.train.execution)."""
MAX_LOGITS = {"cpu": 1 << 22, "cuda": 1 << 28}
"""Logits at once (deepmt.kernels.cross_entropy), each with its logarithm, slope and a cast."""
BYTES_A_LOGIT = 16
PROCESS = {"cpu": 480, "cuda": 700}
"""MB of torch, its libraries and the trainer on a CPU, measured; of a GPU's context, assumed."""
SHAPES = {"bfloat16": 2800, "float32": 600}
"""MB that oneDNN keeps for up to 1,024 products of different shape on a CPU, in a whole run."""
SMALL = 1 << 26
"""Multiplications of a float32 softmax below which that is next to nothing."""
HOST_OF_GPU = 4000
"""MB of the process that drives a GPU; assumed."""
STATES = 20
"""Bytes a parameter, float32: weight, gradient, Adam's two moments, and a copy that is written."""
SLACK = 1.25
"""Memory that the allocator holds over that in use, since batches differ in shape."""
STATE, STATES_KEPT = 12, 2
"""Bytes a parameter of a checkpoint to go on from (weight and moments), and how many are kept."""
WEIGHT, WEIGHTS_KEPT = 4, 2
"""The same of weights alone: the first and the averaged ones, beside those to average."""
GRADIENT = 4
"""Bytes a parameter that GPUs exchange."""
ORDER = 64
"""Bytes a pair of the training split while the trainer orders them."""
TEXT_MB = 3
"""Translations of a seed, assumed."""
MOST_PARTS = 64
"""Beyond, a micro-batch is a few sentences."""


@dataclass(frozen=True, kw_only=True)
class UpdateWork:
    """The parts of a mean update; its time is linear in these four."""

    calls: float
    flops: float
    values: float
    parameters: float

    def seconds(self, hardware: Hardware, *, reduced: bool, threads: int, gpus: int) -> float:
        """calls * call + (flops / rate + values / rate) / share + parameters / rate + exchange.

        Threads of a CPU share all but the calls; GPUs share the batch, and then exchange gradients:
        2 (n - 1) / n of them pass through each one's link.
        """
        products = self.flops / hardware.flops(reduced=reduced) + self.values / hardware.values
        step = self.parameters / hardware.parameters
        calls = self.calls * hardware.call
        if hardware.device == "cpu":
            return calls + (products + step) / threads
        exchanged = 2 * (gpus - 1) / gpus * GRADIENT * self.parameters
        return calls + products / gpus + step + (exchanged / hardware.link if exchanged else 0)


@dataclass(frozen=True, kw_only=True)
class SearchWork:
    """The parts of beam search over one batch of sentences."""

    search_calls: float
    search_flops: float
    search_values: float

    def seconds(self, hardware: Hardware, threads: int) -> float:
        """decode * (calls * call / 3 + (FLOPs / rate + values / rate / 3) / threads); float32."""
        work = self.search_flops / hardware.flops(reduced=False)
        work += FORWARD * self.search_values / hardware.values
        calls = FORWARD * self.search_calls * hardware.call
        return hardware.decode * (calls + work / (threads if hardware.device == "cpu" else 1))


@dataclass(frozen=True, kw_only=True)
class Cost:
    """One seed of a run; `threads` are those of a CPU, `gpus` those of a training on GPUs."""

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
        """Return its mean batch."""
        return mean_batch(self.spec, self.size)

    @property
    def logits(self) -> int:
        """Return the number of logits in an update."""
        return self.batch.predictions * self.size.types[1]

    @property
    def update(self) -> UpdateWork:
        """Return its mean update; logits are values, too."""
        return UpdateWork(
            calls=self.counts.calls,
            flops=FORWARD_AND_BACKWARD * self.counts.flops,
            values=self.counts.values + self.logits,
            parameters=self.counts.parameters,
        )

    @property
    def search(self) -> SearchWork:
        """Return its search over a batch of sentences."""
        counts, predictions = self.counts, search_batch(self.size).predictions
        return SearchWork(
            search_calls=counts.search_calls,
            search_flops=counts.search_flops,
            search_values=counts.search_values
            + self.spec.decoding.beam * predictions * self.size.types[1],
        )

    @property
    def reduced(self) -> bool:
        """Check whether products are taken in bfloat16."""
        narrow = min(self.spec.encoder.d_model, self.spec.decoder.d_model) < NARROWEST
        return self.hardware.bfloat16 > 0 and not narrow

    @property
    def cuda(self) -> bool:
        """Check whether it is computed on GPUs."""
        return self.hardware.device == "cuda"

    @property
    def train_flops(self) -> float:
        """Return the FLOPs of the matrix products of all updates."""
        return self.spec.training.updates * self.update.flops

    @property
    def train_seconds(self) -> float:
        """Return the seconds of all updates, as outcome.json counts them."""
        return self.spec.training.updates * self.update.seconds(
            self.hardware, reduced=self.reduced, threads=self.threads, gpus=self.gpus
        )

    @property
    def other_seconds(self) -> float:
        """Return the seconds of starting the process once and writing checkpoints."""
        saves = self.spec.training.updates // self.spec.training.checkpoint_every
        saved = self.counts.parameters * (STATE + WEIGHT)
        return self.hardware.start + saves * saved / self.hardware.disk

    def search_seconds(self, sentences: float) -> float:
        """Return the seconds of beam search, in batches of as many sentences as are open."""
        batches = sentences / SENTENCES_AT_ONCE
        return batches * self.search.seconds(self.hardware, self.threads)

    @property
    def states_mb(self) -> float:
        """Return the memory that no batch changes: libraries, weights, gradients, moments."""
        return PROCESS[self.hardware.device] + SLACK * STATES * self.counts.parameters / MB

    @property
    def update_memory_mb(self) -> float:
        """Return the peak memory of an update; in bfloat16 every weight has a copy."""
        values = self.counts.values / self.gpus * (2 if self.reduced else 4)
        copies = 2 * self.counts.parameters * self.reduced
        logits = BYTES_A_LOGIT * min(self.logits / self.gpus, MAX_LOGITS[self.hardware.device])
        return self.states_mb + SLACK * (values + copies + logits) / MB

    @property
    def train_memory_mb(self) -> float:
        """Return the peak memory of the process on a CPU, or of each GPU."""
        rest = 0.0 if self.cuda else self._shapes_mb + self._order_mb
        return self.update_memory_mb + rest

    @property
    def host_memory_mb(self) -> float:
        """Return the peak memory of the process, on GPUs too."""
        return HOST_OF_GPU + self._order_mb if self.cuda else self.train_memory_mb

    @property
    def _order_mb(self) -> float:
        # The ids themselves are memory-mapped.
        return ORDER * self.size.pairs / MB

    @property
    def _shapes_mb(self) -> float:
        # A run has more than one update takes: batches come in hundreds of shapes.
        if self.reduced:
            return SHAPES["bfloat16"]
        softmax = self.logits * self.spec.decoder.d_model
        return SHAPES["float32"] * (softmax >= SMALL and self.hardware.name.startswith("AMD"))

    @property
    def micro_batches(self) -> int | None:
        """Return into how many parts an update is cut to fit into a device, or None if none fits.

        The trainer halves micro-batches by itself until they fit.
        """
        rest = max(0, self.train_memory_mb - self.states_mb)
        powers = (2**power for power in range(MOST_PARTS.bit_length()))
        room = self.hardware.memory_mb - self.states_mb
        return next((parts for parts in powers if rest / parts <= room), None)

    @property
    def disk_mb(self) -> float:
        """Return the disk of a seed: checkpoints, first and averaged weights, translations."""
        weights = WEIGHT * (self.spec.training.average_last + WEIGHTS_KEPT)
        return self.counts.parameters * (STATE * STATES_KEPT + weights) / MB + TEXT_MB
