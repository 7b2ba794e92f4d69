"""Convert sentences, i.e. lists of ids, to the tensors that models read."""

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from deepmt.data.vocabulary import EOS, PAD

Sentences = list[list[int]]


def ended(sentences: Sentences) -> Tensor:
    """Return ids [B, T] with the end symbol and padding on the right."""
    return padded([[*ids, EOS] for ids in sentences])


def padded(sentences: Sentences) -> Tensor:
    """Return ids [B, T] with padding on the right."""
    return pad_sequence([torch.tensor(ids) for ids in sentences], True, PAD)


def log_probabilities(logits: Tensor, labels: Tensor) -> list[float]:
    """Return log P of each target sentence from logits [B, T, V] and targets [B, T]."""
    each = logits.float().log_softmax(-1).gather(-1, labels[..., None])[..., 0]
    return (each * (labels != PAD)).sum(-1).tolist()
