"""Request memory, minutes and disk from a cluster, with a margin that grows with each attempt."""

import math
from dataclasses import dataclass

from deepmt.machines.corpus_sizes import PAIRS, device_tokens, lines
from deepmt.machines.cost import MB, Cost
from deepmt.settings.corpora import Corpus

TIME_MARGIN = 2.5
"""Runs take 0.7 to 2 times as long as estimated (docs/cost.md)."""
MEMORY_MARGIN = 1.1
MIN_MINUTES = 10
SENTENCES = 7000
"""Size of the largest test split, IWSLT14."""
AVERAGING_BYTES = 16
"""Bytes per parameter to read weights and write their mean: four copies."""
SECONDS_PER_PAIR = 3e-4
"""Tokenising and cleaning, the slowest stage, on one core: 1e-4 was measured for lines of 10 tokens
(records/bench/text.json), and natural lines have 25 to 30."""
TEXT_MB, TEXT_MB_PER_MILLION = 250, 35
"""Peak memory of a text stage, and per million pairs, without learning BPE."""
MERGING_MB, GROWTH = 1100, 0.58
"""Memory of subword-nmt for the types of a million pairs, and the power of pairs that types grow
with: it takes 1.4 to 1.9 kB a type (records/bench/text-growth.json, text-paper-scale.json)."""
MERGING_SECONDS_PER_MILLION = 300
"""Time of subword-nmt in one process: 1.5 million distinct words, those of some 5 million pairs,
took 6 minutes for the first 8,000 merges."""
BYTES_PER_PAIR = 700
"""Disk for one copy of a pair, assumed: two sides of 25 to 30 words, with room for Chinese."""
COPIES = 4
"""Raw, tokenised, in subwords, and ids."""


@dataclass(frozen=True)
class Request:
    """Hold standard resources of Snakemake."""

    mem_mb: int
    runtime: int
    """Run time in minutes."""
    disk_mb: int


SHORT = Request(mem_mb=1500, runtime=MIN_MINUTES, disk_mb=1000)
"""Request for scoring, recording and tables, which take seconds."""


def training(cost: Cost, attempt: int = 1) -> Request:
    """Return the request to train one seed; mem_mb is host memory, also with GPUs."""
    seconds = cost.train_seconds + cost.hardware.start
    return _request(cost.host_memory_mb, seconds, cost.disk_mb, attempt)


def decoding(cost: Cost, attempt: int = 1, sentences: int = SENTENCES) -> Request:
    """Return the request to translate one split, which needs less memory than an update."""
    seconds = cost.hardware.start + cost.search_seconds(sentences)
    return _request(cost.host_memory_mb, seconds, 100, attempt)


def averaging(cost: Cost, attempt: int = 1) -> Request:
    """Return the request to read weights and write their mean."""
    mem_mb = SHORT.mem_mb + AVERAGING_BYTES * cost.work.parameters / MB
    return _request(mem_mb, 0, SHORT.disk_mb, attempt)


def initialising(cost: Cost, attempt: int = 1) -> Request:
    """Return the request to draw weights, with memory for the forward pass of a mean batch.

    Its largest tensors are assumed to have 3 F + 8 D floats per token.
    """
    stacks = (cost.spec.encoder, cost.spec.decoder)
    widest = max(3 * stack.feed_forward + 8 * stack.d_model for stack in stacks)
    drawn = averaging(cost).mem_mb
    return _request(drawn + 4 * device_tokens(cost.spec) * widest / MB, 0, 1000, attempt)


def text(corpus: Corpus, attempt: int = 1, *, threads: int = 1) -> Request:
    """Return the request for a text stage (extract, tokenise, segment, encode) of a corpus."""
    pairs = corpus.size.pairs if corpus.size else lines(corpus, "train") or PAIRS
    millions = pairs / 1e6
    mem_mb = TEXT_MB + TEXT_MB_PER_MILLION * threads * millions + MERGING_MB * millions**GROWTH
    seconds = SECONDS_PER_PAIR * pairs / threads + MERGING_SECONDS_PER_MILLION * millions
    return _request(mem_mb, seconds, COPIES * BYTES_PER_PAIR * pairs / MB, attempt)


def _request(mem_mb: float, seconds: float, disk_mb: float, attempt: int) -> Request:
    # A stop at a time limit counts as an attempt, too, and needs no more memory: grow only once.
    growth = min(attempt, 2)
    return Request(
        mem_mb=math.ceil(MEMORY_MARGIN * mem_mb * growth),
        runtime=max(MIN_MINUTES, math.ceil(TIME_MARGIN * seconds / 60)) * growth,
        disk_mb=math.ceil(disk_mb),
    )
