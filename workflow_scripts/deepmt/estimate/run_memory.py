"""Memory and disk of a run, in MB (2^20 bytes)."""

from deepmt.config.spec import Spec
from deepmt.estimate.flops import Model
from deepmt.estimate.text_sizes import Text
from deepmt.estimate.work import Shape

MB = 2**20
PROCESS = {"cpu": 425, "cuda": 700}
"""Of torch and its libraries on a CPU, measured; of a GPU's context, assumed."""
SHAPES = {"bfloat16": 2800, "float32": 600}
"""What oneDNN keeps for up to 1,024 products of different shape on a CPU, in a whole run."""
SMALL = 1 << 26
"""Multiplications of a float32 softmax below which that is next to nothing."""
HOST_OF_GPU = 4000
"""Of the process that drives a GPU; assumed."""
STATES = 20
"""Bytes a parameter, float32: weight, gradient, Adam's two moments, and a copy that is written."""
LOGITS = {"cpu": 1 << 22, "cuda": 1 << 28}
"""How many exist at once (deepmt.train.loss), each with its logarithm, its slope and a cast."""
BYTES_A_LOGIT = 16
SLACK = 1.35
"""What the allocator holds and cannot use at once: batches differ in shape."""
STATE, STATES_KEPT = 12, 2
"""Bytes a parameter of a checkpoint to go on from (weight and moments), and how many are kept."""
WEIGHT, WEIGHTS_KEPT = 4, 2
"""The same of weights alone: the first and the averaged ones, beside those to average."""
ORDER = 64
"""Bytes a pair of the training set while the trainer orders them."""
TEXT_A_SENTENCE = 1000
"""Bytes of a sentence's translation in all its files, assumed."""


def of_update(found: Model, shape: Shape, types: int, device: str, *, reduced: bool) -> float:
    """MB of an update: process + slack (states + what is kept + logits).

    In bfloat16 a value takes 2 bytes, and every weight has a copy.
    """
    whole = found.whole
    kept = whole.values * (2 if reduced else 4) + whole.parameters * 2 * reduced
    logits = BYTES_A_LOGIT * min(shape.predictions * types, LOGITS[device])
    return PROCESS[device] + SLACK * (STATES * whole.parameters + kept + logits) / MB


def of_shapes(processor: str, largest: float, *, reduced: bool) -> float:
    """MB that a run on a CPU has more than one update: batches come in hundreds of shapes.

    `largest` counts the multiplications of its largest product, that of the softmax.
    """
    if reduced:
        return SHAPES["bfloat16"]
    return SHAPES["float32"] * (largest >= SMALL and processor.startswith("AMD"))


def of_corpus(text: Text) -> float:
    """MB of the training set's order: the ids themselves are memory-mapped."""
    return text.pairs * ORDER / MB


def on_disk(parameters: int, spec: Spec, sentences: int = 3000) -> float:
    """MB of a seed: checkpoints, first and averaged weights, translations."""
    weights = WEIGHT * (spec.training.average_last + WEIGHTS_KEPT)
    return (parameters * (STATE * STATES_KEPT + weights) + sentences * TEXT_A_SENTENCE) / MB
