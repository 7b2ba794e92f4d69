"""Sentences as lists of ids, and the tensors that models read."""

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from deepmt.data.vocabulary import EOS, PAD

Sentences = list[list[int]]


def ended(sentences: Sentences) -> Tensor:
    """[B, T]: the end symbol added, padding on the right."""
    return padded([[*ids, EOS] for ids in sentences])


def padded(sentences: Sentences) -> Tensor:
    """[B, T] with padding on the right."""
    return pad_sequence([torch.tensor(ids) for ids in sentences], True, PAD)


def log_probabilities(logits: Tensor, wanted: Tensor) -> list[float]:
    """log P of each target sentence: [B, T, V], [B, T]."""
    each = logits.float().log_softmax(-1).gather(-1, wanted[..., None])[..., 0]
    return (each * (wanted != PAD)).sum(-1).tolist()
