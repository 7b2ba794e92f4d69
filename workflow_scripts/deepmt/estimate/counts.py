"""Read and write counts of a run's model, which hold on any hardware.

counts.csv has the counts of every run of every scale, so that no model is built to plan them;
`python workflow_scripts/estimates.py` writes it.
"""

import csv
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from pathlib import Path
from typing import NamedTuple

from deepmt.config.spec import Spec
from deepmt.device_batches import device_batches
from deepmt.estimate.corpus_sizes import CorpusSize, size_of
from deepmt.files import read_json, replacing

SHIPPED = Path(__file__).with_suffix(".csv")
SENTENCES_AT_ONCE = 64
"""Open sentences in a search (translate.py)."""
NOT_COUNTED = ("data", "training", "decoding")
"""Sections of a spec that do not change the counts, except for the options that `key` adds."""


@dataclass(frozen=True, kw_only=True)
class ModelCounts:
    """Count a model, the forward pass of a mean device batch, and its search over one batch."""

    parameters: int
    """Trained parameters; a shared matrix counts once."""
    calls: int
    """Torch operations without views, which cost time however small the batch is."""
    flops: int
    """FLOPs of matrix products."""
    values: int
    """Numbers of four bytes kept for the backward pass, without logits."""
    search_calls: int
    search_flops: int
    search_values: int


class BatchShape(NamedTuple):
    """Hold sentences, positions with padding, and target positions projected to the vocabulary."""

    sentences: int
    source: int
    target: int
    predictions: int


def mean_batch(spec: Spec, size: CorpusSize) -> BatchShape:
    """Return a representative device batch: sentences * mean batch length = its tokens."""
    tokens = device_tokens(spec)
    stretch = size.batch / size.longest / (1 - size.padding)
    return BatchShape(
        sentences=max(1, round(tokens / size.batch)),
        source=round(size.source * stretch),
        target=round(size.target * stretch),
        predictions=round(tokens * size.target / size.longest),
    )


def device_tokens(spec: Spec) -> int:
    """Return the size of a device batch."""
    recipe = spec.training
    return recipe.batch_tokens // device_batches(recipe.batch_tokens, recipe.device_tokens)


def search_batch(size: CorpusSize) -> BatchShape:
    """Return a batch of open sentences with the mean length of training sentences."""
    target = round(size.target)
    return BatchShape(SENTENCES_AT_ONCE, round(size.source), target, SENTENCES_AT_ONCE * target)


def key(spec: Spec) -> str:
    """Return a hash of everything that determines the counts of a run."""
    settings = json.loads(spec.canonical)
    training = settings["training"]
    decisive = {name: part for name, part in settings.items() if name not in NOT_COUNTED}
    decisive["batch_tokens"] = device_tokens(spec)
    decisive["dropout"] = {name: rate > 0 for name, rate in training.items() if "dropout" in name}
    decisive["beam"] = settings["decoding"]["beam"]
    decisive["corpus"] = asdict(size_of(spec.data)) | {"pairs": None, "basis": None}
    return hashlib.sha256(json.dumps(decisive, sort_keys=True).encode()).hexdigest()[:12]


@cache
def shipped() -> Mapping[str, ModelCounts]:
    """Read counts.csv: counts by key."""
    with SHIPPED.open(newline="") as file:
        return {
            line.pop("key"): ModelCounts(**{name: int(value) for name, value in line.items()})
            for line in csv.DictReader(file)
        }


def write_shipped(found: Mapping[str, ModelCounts], path: Path) -> None:
    """Write counts.csv, sorted by key."""
    with replacing(path) as temporary, temporary.open("w", newline="") as file:
        names = ["key", *(field.name for field in fields(ModelCounts))]
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows({"key": key} | asdict(found[key]) for key in sorted(found))


def counts_of(spec: Spec, path: Path) -> ModelCounts:
    """Return the shipped counts of a run, or else those in its estimate.json.

    Raises:
        FileNotFoundError: they are not shipped, and the file does not exist yet.
    """
    if known := shipped().get(key(spec)):
        return known
    found = read_json(path)
    return ModelCounts(**{field.name: found[field.name] for field in fields(ModelCounts)})
