"""Read what a model says of references: log probabilities by sentence, and tokens by split."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from deepmt.base.errors import UserError
from deepmt.measured.hypotheses import read_hypotheses, read_text
from deepmt.measured.log_probabilities import LogProbabilities, file_of
from deepmt.measured.record_archive import FROM_GIT, archived_file
from deepmt.measured.records import Record
from deepmt.settings.csv_lines import read_lines
from deepmt.settings.strict import message_of

TOKENS = "reference_tokens.csv"
"""Counts in the archive for records that are older than their own counts."""


@dataclass(frozen=True, kw_only=True)
class ReferenceTokens:
    """Represent a line of this file: the target tokens of an encoded split, with end symbols."""

    dataset: str
    split: str
    tokens: int
    offsets_sha256: str
    """Hash of ids/<split>.<target>.offsets.npy, which records hold."""


def read_log_probabilities(record: Record, archive: Path) -> dict[str, LogProbabilities]:
    """Return those of each split at the end of training, if the record has them.

    An archived record's hypotheses are in the same file, and are checked with them.

    Raises:
        ValueError: the file is missing or damaged; names it.
    """
    known = {file_of(split): digest for split, digest in record.log_probabilities.items()}
    if record.archived:
        texts = record.hypotheses | known
        lines = read_hypotheses(archive, record.run, record.seed, texts) if texts else {}
    else:
        lines = {name: read_text(record.folder / name, known[name]) for name in known}
    found = {}
    for split in record.log_probabilities:
        name, perplexity = file_of(split), record.perplexities.get(split, math.nan)
        try:
            found[split] = LogProbabilities.of(lines[name], perplexity)
        except ValueError as error:
            why = message_of(error).partition("; ")[0]
            raise UserError(f"{name} is damaged ({why})") from error
    return found


def reference_tokens(record: Record, archive: Path) -> Mapping[str, int]:
    """Return the target tokens of each split that the record or the archive counts."""
    if record.reference_tokens or not (archive / TOKENS).exists():
        return record.reference_tokens
    counted = read_lines(ReferenceTokens, archived_file(archive, TOKENS), FROM_GIT)
    target, sums = record.spec["data"]["target"], record.data.sha256
    return {
        line.split: line.tokens
        for line in counted
        if sums.get(f"ids/{line.split}.{target}.offsets.npy") == line.offsets_sha256
    }


def tokens_by_dataset(records: Iterable[Record], archive: Path) -> dict[str, Mapping[str, int]]:
    """Return the target tokens of each split of a dataset; records of trials have none."""
    counted = ((one.data.dataset, reference_tokens(one, archive)) for one in records)
    return {dataset: tokens for dataset, tokens in counted if tokens}
