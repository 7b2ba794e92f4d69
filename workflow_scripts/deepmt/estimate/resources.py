"""Ask a cluster for memory, minutes and disk, with a margin that grows by attempt."""

import math
from dataclasses import dataclass

from deepmt.config.corpora import Corpus
from deepmt.estimate.corpus_sizes import known_sizes
from deepmt.estimate.cost import MB, Cost

TIME_MARGIN = 1.5
"""Estimates are within about a third of what was measured (docs/cost.md)."""
MEMORY_MARGIN = 1.1
SHORTEST = 10
"""Minutes."""
SENTENCES = 7000
"""Of the largest test split, IWSLT14's."""
WEIGHTS_OF_AVERAGE = 16
"""Bytes a parameter of reading weights and writing their mean: four copies."""
SECONDS_A_PAIR = 3e-4
"""Of tokenising and cleaning, the slowest stage, on one core: 1e-4 was measured for lines of 10
tokens (records/bench/text.json), and natural lines have 25 to 30."""
TEXT_MB, TEXT_MB_A_MILLION = 250, 35
"""Peak of a text stage for a million pairs, without learning BPE."""
MERGING_MB_A_MILLION, MERGING_SECONDS_A_MILLION = 600, 300
"""Of subword-nmt in one process: 1.5 million distinct words, those of some 5 million pairs, took
2.1 GB, and 6 minutes for the first 8,000 merges."""
BYTES_A_PAIR = 700
"""On disk of one copy of a pair, assumed: two sides of 25 to 30 words, and room for Chinese."""
COPIES = 4
"""Raw, tokenised, in subwords, and ids."""
LINES_OF_AN_ARCHIVE = 20_000_000
"""Assumed where neither corpora.yaml nor corpus_sizes.yaml has them: rather too many."""


@dataclass(frozen=True)
class Request:
    """Standard resources of Snakemake."""

    mem_mb: int
    runtime: int
    """Minutes."""
    disk_mb: int


SHORT = Request(mem_mb=1500, runtime=SHORTEST, disk_mb=1000)
"""Scoring, recording, tables: seconds of work."""


def training(cost: Cost, attempt: int = 1) -> Request:
    """Train one seed; mem_mb is the process's, on GPUs as well."""
    seconds = cost.train_seconds + cost.other_seconds
    return _request(cost.host_memory_mb, seconds, cost.disk_mb, attempt)


def decoding(cost: Cost, attempt: int = 1, sentences: int = SENTENCES) -> Request:
    """Translate one split; the weights and a batch need less than an update does."""
    seconds = cost.hardware.start + cost.search_seconds(sentences)
    return _request(cost.host_memory_mb, seconds, 100, attempt)


def averaging(cost: Cost, attempt: int = 1) -> Request:
    """Read weights and write their mean."""
    mem_mb = SHORT.mem_mb + WEIGHTS_OF_AVERAGE * cost.counts.parameters / MB
    return _request(mem_mb, 0, SHORT.disk_mb, attempt)


def initialising(cost: Cost, attempt: int = 1) -> Request:
    """Draw weights; a method may run its mean batch forward, whose largest tensors are assumed.

    They are 3 F + 8 D floats a token.
    """
    stacks = (cost.spec.encoder, cost.spec.decoder)
    widest = max(3 * stack.feed_forward + 8 * stack.d_model for stack in stacks)
    drawn = averaging(cost).mem_mb
    return _request(drawn + 4 * cost.spec.training.batch_tokens * widest / MB, 0, 1000, attempt)


def text(corpus: Corpus, attempt: int = 1, *, key: str = "", threads: int = 1) -> Request:
    """Run any one text stage of a corpus (extract, tokenise, segment, encode); `key` names it."""
    pairs = text_pairs(corpus, key)
    millions = pairs / 1e6
    mem_mb = TEXT_MB + (TEXT_MB_A_MILLION * threads + MERGING_MB_A_MILLION) * millions
    seconds = SECONDS_A_PAIR * pairs / threads + MERGING_SECONDS_A_MILLION * millions
    return _request(mem_mb, seconds, text_disk_mb(pairs), attempt)


def text_pairs(corpus: Corpus, key: str = "") -> int:
    """Return the known pairs of a corpus, or the training lines that corpora.yaml has.

    Synthetic pairs are taken to be as many as the bitext has.
    """
    if key in known_sizes():
        return known_sizes()[key].pairs
    parts = (corpus.splits or {}).get("train", ())
    counted = sum(part.lines or 0 for part in parts) + (corpus.sizes or {}).get("train", 0)
    silent = {part.archive for part in parts if part.lines is None}
    return (counted + LINES_OF_AN_ARCHIVE * len(silent)) * (2 if corpus.synthetic else 1)


def text_disk_mb(pairs: int) -> float:
    """Return the disk that every form of a corpus takes."""
    return COPIES * BYTES_A_PAIR * pairs / MB


def _request(mem_mb: float, seconds: float, disk_mb: float, attempt: int) -> Request:
    # A stop at a time limit is an attempt, too: the fourth job of a training needs no more memory.
    growth = min(attempt, 2)
    return Request(
        mem_mb=math.ceil(MEMORY_MARGIN * mem_mb * growth),
        runtime=max(SHORTEST, math.ceil(TIME_MARGIN * seconds / 60)) * growth,
        disk_mb=math.ceil(disk_mb),
    )
