"""What a rule asks of a cluster: memory, minutes and disk, with a margin that grows by attempt."""

import math
from dataclasses import dataclass

from deepmt.config.corpora import Corpus
from deepmt.config.hardware import Hardware
from deepmt.config.spec import Spec
from deepmt.estimate import run_memory as memory
from deepmt.estimate.estimate import estimate
from deepmt.estimate.text_sizes import TEXTS

TIME_MARGIN = 1.5
"""Estimates are within about a third of what was measured (docs/cost.md)."""
MEMORY_MARGIN = 1.1
SHORTEST = 10
"""Minutes."""
SENTENCES = 7000
"""Of the largest test set, IWSLT14's."""
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
"""Assumed where neither corpora.yaml nor `texts` says: rather too many than too few."""


@dataclass(frozen=True)
class Request:
    """Standard resources of Snakemake."""

    mem_mb: int
    runtime: int
    """Minutes."""
    disk_mb: int


SHORT = Request(mem_mb=1500, runtime=SHORTEST, disk_mb=1000)
"""Scoring, recording, tables: seconds of work."""


def training(
    spec: Spec, hardware: Hardware, *, threads: int, gpus: int = 1, attempt: int = 1
) -> Request:
    """Train one seed; mem_mb is the process's, on GPUs as well."""
    cost = estimate(spec, hardware, threads=threads, gpus=gpus)
    seconds = cost.train_seconds + cost.other_seconds
    return _request(cost.host_memory_mb, seconds, cost.disk_mb, attempt)


def decoding(
    spec: Spec, hardware: Hardware, *, threads: int, gpus: int = 1, attempt: int = 1
) -> Request:
    """Translate one set, and read the dev set for its perplexity.

    The weights and one batch of the way forward need less than an update does.
    """
    cost = estimate(spec, hardware, threads=threads, gpus=gpus)
    seconds = hardware.start + cost.decode_seconds_per_1000 * SENTENCES / 1000
    return _request(cost.host_memory_mb, seconds, 100, attempt)


def text(corpus: Corpus, attempt: int = 1, *, key: str = "", threads: int = 1) -> Request:
    """Any one text stage of a corpus (extract, tokenise, segment, encode); `key` names it."""
    pairs = TEXTS[key].pairs if key in TEXTS else training_pairs(corpus)
    millions = pairs / 1e6
    mem_mb = TEXT_MB + (TEXT_MB_A_MILLION * threads + MERGING_MB_A_MILLION) * millions
    seconds = SECONDS_A_PAIR * pairs / threads + MERGING_SECONDS_A_MILLION * millions
    disk_mb = COPIES * BYTES_A_PAIR * pairs / memory.MB
    return _request(mem_mb, seconds, disk_mb, attempt)


def training_pairs(corpus: Corpus) -> int:
    """Lines of the training set as corpora.yaml says, or many for each archive that it does not.

    Synthetic pairs are taken to be as many as the bitext has.
    """
    parts = (corpus.splits or {}).get("train", ())
    said = sum(part.lines or 0 for part in parts) + (corpus.sizes or {}).get("train", 0)
    silent = {part.archive for part in parts if part.lines is None}
    return (said + LINES_OF_AN_ARCHIVE * len(silent)) * (2 if corpus.synthetic else 1)


def _request(mem_mb: float, seconds: float, disk_mb: float, attempt: int) -> Request:
    # A stop at a time limit is an attempt, too: the fourth job of a training needs no more memory.
    growth = min(attempt, 2)
    return Request(
        mem_mb=math.ceil(MEMORY_MARGIN * mem_mb * growth),
        runtime=max(SHORTEST, math.ceil(TIME_MARGIN * seconds / 60)) * growth,
        disk_mb=math.ceil(disk_mb),
    )
