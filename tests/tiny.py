"""A spec that trains in a second, and its variations."""

from typing import Any

from deepmt.config.spec import Spec, read

TINY: dict[str, Any] = {
    "encoder.layers": 2,
    "encoder.d_model": 16,
    "encoder.feed_forward": 32,
    "encoder.heads": 2,
    "decoder.layers": 2,
    "decoder.d_model": 16,
    "decoder.feed_forward": 32,
    "decoder.heads": 2,
    "data.corpus": "tiny.en-de",
    "data.source": "en",
    "data.target": "de",
    "training.updates": 20,
    "training.batch_tokens": 60,
    "training.lr": 1e-2,
    "training.warmup": 5,
    "training.checkpoint_every": 4,
    "training.average_last": 2,
    "training.divergence_patience": 1.0,
}
LINEAR = {
    "training__dropout": 0.0,
    "training__embedding_dropout": 0.0,
    "training__loss_average": "sentence",
    "training__epsilon": 1.0,
}
"""With a large epsilon Adam's step is linear in the gradient, so rounding stays rounding."""
MATT = {"method__decoder_self_attention": "saan", "method__decoder_layer": "merged"}
"""Merged attention, as keywords of `tiny_spec`."""


def tiny_spec(**changes: Any) -> Spec:
    """A spec that trains in a second; `changes` replace dots by two underscores."""
    settings = TINY | {key.replace("__", "."): value for key, value in changes.items()}
    spec, problems = read(settings)
    assert spec is not None, problems
    return spec
