"""Small models for the claims, and the pieces of equations that several of them restate."""

from dataclasses import replace
from functools import partial

import torch

from deepmt.init.initialise import initialise_
from deepmt.model.build import build
from deepmt.settings.method import Method
from deepmt.settings.spec import Model, Stack
from tiny import random_sentences, tiny_spec

VOCABULARY = 13
sentences = partial(random_sentences, VOCABULARY)


def spec(encoder=2, decoder=2, *, width=8, method=None, model=None, dropout=0.0):
    size = {"d_model": width, "feed_forward": 4 * width, "heads": 2}
    rates = ("dropout", "embedding_dropout", "attention_dropout", "feed_forward_dropout")
    plain = tiny_spec(training__lr=1.0, **{f"training__{rate}": dropout for rate in rates})
    return replace(
        plain,
        encoder=Stack(layers=encoder, **size),
        decoder=Stack(layers=decoder, **size),
        method=method or Method(),
        model=model or Model(),
    )


def started(settings, batch=None):
    """A model with its first weights, in float64, dropout off."""
    model = build(settings, VOCABULARY, VOCABULARY)
    initialise_(model, settings, lambda: batch)
    return model.double().eval()


def disturbed(settings, batch=None):
    """The same with every parameter moved, so that none is 0 or 1."""
    model = started(settings, batch)
    for parameter in model.parameters():
        parameter.data += 0.2 * torch.randn_like(parameter)
    return model


def all_true(source):
    """The mask of sentences without padding."""
    return torch.ones(source.size(0), 1, 1, source.size(1), dtype=torch.bool)


def softmax(scores):
    weights = [torch.exp(s - max(scores)) for s in scores]
    return [w / sum(weights) for w in weights]


def attend(query, keys, values, heads):
    """One query [D] over lists of keys and values, head by head."""
    parts = []
    for h in range(heads):
        k = slice(h * len(query) // heads, (h + 1) * len(query) // heads)
        weights = softmax([query[k] @ key[k] / len(query[k]) ** 0.5 for key in keys])
        parts.append(sum(w * value[k] for w, value in zip(weights, values, strict=True)))
    return torch.cat(parts)


def layer_norm(x, norm):
    mean = sum(x) / len(x)
    variance = sum((c - mean) ** 2 for c in x) / len(x)
    return (x - mean) / (variance + norm.eps) ** 0.5 * norm.weight + norm.bias
