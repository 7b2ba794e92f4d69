"""Break the scores of a row down by word frequency and by sentence length."""

from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from deepmt.base.cache import cached
from deepmt.data.dataset import Dataset
from deepmt.measured.table import Measured
from deepmt.measured.translations import translations_of
from deepmt.scores.breakdown import by_bucket
from deepmt.scores.scored_texts import Texts
from deepmt.study.measures import Quantity
from deepmt.study.papers import Row

BROKEN_DOWN = Quantity(key="bleu", unit="BLEU", measure="bleu_tok")


def broken_down(row: Row, results: Measured, folder: Path, root: Path) -> Iterator[dict[str, Any]]:
    """Yield a line per seed and bucket, or one with the reason for none as its note.

    `folder` is results/<scale>, which keeps the buckets.
    """
    for one in translations_of(row, BROKEN_DOWN, results, folder, root):
        if one.texts is None or one.record is None:
            yield {"note": one.missing}
            continue
        spec, data = results.specs[row.id], one.record.data
        dataset = Dataset(root / "data/encoded" / spec.dataset, spec.data)
        lines = [*one.texts.hypotheses], [*one.texts.tokenised_reference]
        given = [*lines, data.dataset, data.sha256, version("compare-mt")]
        made = partial(_buckets, one.texts, dataset)
        try:
            found = cached(folder / "breakdowns", by_bucket.__module__, given, made)
        except (ValueError, OSError) as error:
            yield {"note": str(error)}
            continue
        head = {"run": one.record.run, "seed": str(one.record.seed)}
        yield from (head | bucket for bucket in found["buckets"])


def _buckets(texts: Texts, dataset: Dataset) -> dict[str, Any]:
    training = dataset.tokens("train", dataset.settings.target)
    return {"buckets": [asdict(bucket) for bucket in by_bucket(texts, training)]}
