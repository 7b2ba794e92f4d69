"""Compare printed corpus statistics (Zhang 2019, Table 2) with those of the built corpora."""

from collections.abc import Iterable, Iterator

from deepmt.config.settings import Plan
from deepmt.config.spec import Spec
from deepmt.config.statistics import statistic_specs
from deepmt.results.encoded_corpora import EncodedSplit
from deepmt.results.untrained_values import UntrainedValue
from deepmt.results.verdict import FULL_SCALE

TRAINING = "train"


def read_statistics(
    plan: Plan, built: Iterable[EncodedSplit]
) -> dict[tuple[str, str], UntrainedValue]:
    """Return our statistics by row and column; only the paper's own scale is judged."""
    training = {found.dataset: found for found in built if found.split == TRAINING}
    return {
        (row, column): UntrainedValue(
            value=value,
            note=note,
            file="corpora.csv",
            judged=plan.scale.name == FULL_SCALE,
            corpus=spec.data.corpus,
            dataset=spec.dataset,
        )
        for row, spec in statistic_specs(plan).items()
        if spec.dataset in training
        for column, value, note in _values(training[spec.dataset], spec)
    }


def _values(found: EncodedSplit, spec: Spec) -> Iterator[tuple[str, float, str]]:
    """Yield column, value, and a note on how it was counted."""
    words = f"words of {found.dataset}, before subwords"
    yield "src_tokens_m", found.source_words / 1e6, words
    yield "tgt_tokens_m", found.target_words / 1e6, words
    yield "sentences_m", found.sentences / 1e6, f"pairs of {found.dataset}, after cleaning"
    if found.source_merges is not None and found.target_merges is not None:
        learned = (found.source_merges + found.target_merges) / 2
        apart = f"{found.source} {found.source_merges:,}, {found.target} {found.target_merges:,}"
        yield (
            "bpe_merges_k",
            learned / 1e3,
            "learned jointly" if spec.data.joint else f"learned by side: {apart}",
        )
