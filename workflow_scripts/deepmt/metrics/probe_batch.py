"""Draw one batch of about 3,000 target tokens to measure untrained models on."""

import json
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from deepmt.data.batches import Batch, TrainingBatches
from deepmt.data.encoded import EncodedPair
from deepmt.data.vocabulary import EOS, PAD, SPECIALS, Vocabulary

TARGET_TOKENS = 3000
LENGTHS = (24, 30)
"""Shortest and longest sentence: the papers batch sentences of similar length."""
ZIPF_TYPES = 8000
LONGEST = 100


class ProbeBatch(NamedTuple):
    """Hold a batch and the sizes of its vocabularies."""

    batch: Batch
    source_types: int
    target_types: int


def zipf_batch(seed: int) -> ProbeBatch:
    """Draw random tokens by Zipf's law: the k-th type in proportion to 1/k, as in real text."""
    draw = torch.Generator().manual_seed(seed)
    sentences = TARGET_TOKENS * 2 // sum(LENGTHS)
    sides = [zipf_side(sentences, draw) for _ in range(2)]
    return ProbeBatch(Batch(*sides), ZIPF_TYPES, ZIPF_TYPES)


def zipf_side(sentences: int, draw: torch.Generator) -> Tensor:
    """Draw one side [B, T]; lengths include the end symbol."""
    shortest, longest = LENGTHS
    weights = 1 / torch.arange(1, ZIPF_TYPES - len(SPECIALS) + 1)
    tokens = torch.multinomial(weights, sentences * longest, replacement=True, generator=draw)
    tokens = tokens.view(sentences, longest) + len(SPECIALS)
    lengths = torch.randint(shortest, longest + 1, (sentences, 1), generator=draw)
    position = torch.arange(longest)
    return tokens.masked_fill(position == lengths - 1, EOS).masked_fill(position >= lengths, PAD)


def text_batch(dataset: Path, seed: int) -> ProbeBatch:
    """Return the first training batch of about 3,000 target tokens of an encoded corpus."""
    data = json.loads((dataset / "data.json").read_text(encoding="utf-8"))
    languages = data["source"], data["target"]
    pair = EncodedPair(dataset / "ids", "train", *languages)
    batches = TrainingBatches(pair, TARGET_TOKENS * 11 // 10, LONGEST, seed)
    source, target = (len(Vocabulary.load(dataset / f"vocab.{code}")) for code in languages)
    return ProbeBatch(batches.batch(batches.epoch(0)[0]), source, target)
