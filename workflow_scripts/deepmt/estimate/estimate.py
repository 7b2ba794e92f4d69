"""The cost of a run from its spec: estimates, whose assumptions docs/cost.md lists."""

from dataclasses import dataclass, replace
from functools import cache

from deepmt.config.hardware import Hardware
from deepmt.config.spec import Spec
from deepmt.estimate import run_memory as memory
from deepmt.estimate.flops import Model, flops_of_update, model
from deepmt.estimate.text_sizes import Text, text_of
from deepmt.estimate.work import Shape

NARROWEST = 256
"""Below this width nothing is computed in bfloat16 (deepmt.train.execution)."""
PLACES = 64
"""Sentences that are decoded at once (translate.py)."""
FORWARD = 1 / 3
"""Share of an update's calls and values that are of the way forward."""
THOUSAND = 1000
FLOAT = 4
"""Bytes of a gradient that GPUs exchange."""


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Of one seed of a run on one kind of hardware."""

    parameters: int
    train_flops: float
    """Of the matrix products of all updates."""
    train_seconds: float
    """Of all updates, as outcome.json counts them."""
    other_seconds: float
    """Of starting the process once and writing checkpoints."""
    decode_seconds_per_1000: float
    """Of 1,000 sentences as long as the training set's."""
    train_memory_mb: int
    """Of the process on a CPU, of each device on GPUs."""
    host_memory_mb: int
    """Of the process."""
    disk_mb: int
    """Kept of a seed."""
    basis: str
    """How the corpus is known."""


@dataclass(frozen=True, kw_only=True)
class Update:
    """What a mean update consists of; its time is linear in these four."""

    calls: float
    flops: float
    values: float
    parameters: int

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
        exchanged = 2 * (gpus - 1) / gpus * FLOAT * self.parameters
        return calls + products / gpus + step + (exchanged / hardware.link if exchanged else 0)


@dataclass(frozen=True)
class Run:
    """A spec with its corpus, its mean batch, and its model's work on that."""

    spec: Spec
    text: Text
    shape: Shape
    found: Model

    @property
    def update(self) -> Update:
        """Its mean update; logits are values, too."""
        whole = self.found.whole
        return Update(
            calls=whole.calls,
            flops=flops_of_update(self.found),
            values=whole.values + self.shape.predictions * self.text.types[1],
            parameters=whole.parameters,
        )

    def reduced(self, hardware: Hardware) -> bool:
        """Whether products are taken in bfloat16."""
        narrow = min(self.spec.encoder.d_model, self.spec.decoder.d_model) < NARROWEST
        return hardware.bfloat16 > 0 and not narrow


def run_of(spec: Spec) -> Run:
    """A spec with all that is known or assumed of its corpus."""
    text = text_of(spec.data)
    shape = mean_batch(spec, text)
    return Run(spec, text, shape, model(spec, text.types, shape))


def mean_batch(spec: Spec, text: Text) -> Shape:
    """The batch that stands for all: sentences * mean batch length = batch_tokens."""
    tokens = spec.training.batch_tokens
    stretch = text.batch / text.longest / (1 - text.padding)
    return Shape(
        sentences=tokens / text.batch,
        source=text.source * stretch,
        target=text.target * stretch,
        predictions=tokens * text.target / text.longest,
    )


@cache
def estimate(spec: Spec, hardware: Hardware, *, threads: int, gpus: int = 1) -> Cost:
    """What a seed of a run costs; threads are those of a CPU, gpus those of a training on GPUs."""
    run = run_of(spec)
    update, recipe = run.update, spec.training
    reduced = run.reduced(hardware)
    seconds = update.seconds(hardware, reduced=reduced, threads=threads, gpus=gpus)
    saves = recipe.updates // recipe.checkpoint_every
    saved = update.parameters * (memory.STATE + memory.WEIGHT)
    peak = peak_memory(run, hardware, gpus)
    host = memory.HOST_OF_GPU if hardware.device == "cuda" else peak
    return Cost(
        parameters=update.parameters,
        train_flops=recipe.updates * update.flops,
        train_seconds=recipe.updates * seconds,
        other_seconds=hardware.start + saves * saved / hardware.disk,
        decode_seconds_per_1000=decode_seconds(run, hardware, threads=threads),
        train_memory_mb=round(peak),
        host_memory_mb=round(host + memory.of_corpus(run.text) * (hardware.device == "cuda")),
        disk_mb=round(memory.on_disk(update.parameters, spec)),
        basis=run.text.basis,
    )


def peak_memory(run: Run, hardware: Hardware, gpus: int) -> float:
    """MB of the process on a CPU, corpus included, or of a GPU with its share of the batch."""
    types, reduced = run.text.types, run.reduced(hardware)
    shape = replace(run.shape, sentences=run.shape.sentences / gpus)
    shape = replace(shape, predictions=run.shape.predictions / gpus)
    found = model(run.spec, types, shape)
    update = memory.of_update(found, shape, types[1], hardware.device, reduced=reduced)
    if hardware.device == "cuda":
        return update
    largest = shape.predictions * run.spec.decoder.d_model * types[1]
    shapes = memory.of_shapes(hardware.name, largest, reduced=reduced)
    return update + shapes + memory.of_corpus(run.text)


def decode_seconds(run: Run, hardware: Hardware, *, threads: int) -> float:
    """Beam search over 1,000 sentences in batches of as many as are open at once, in float32.

    Every step takes the decoder's calls anew; its products are those of all steps together.
    """
    spec, text = run.spec, run.text
    beam = spec.decoding.beam
    shape = Shape(
        sentences=PLACES,
        source=text.source,
        target=text.target,
        predictions=PLACES * text.target,
        hypotheses=beam,
    )
    found = model(spec, text.types, shape)
    step = model(spec, text.types, replace(shape, target=1.0)).decoder.calls
    whole = found.whole
    values = whole.values + beam * shape.predictions * text.types[1]
    calls = FORWARD * hardware.call * (found.encoder.calls + step * text.target)
    work = 2 * whole.products / hardware.flops(reduced=False) + FORWARD * values / hardware.values
    share = threads if hardware.device == "cpu" else 1
    return hardware.decode * (calls + work / share) * THOUSAND / PLACES
