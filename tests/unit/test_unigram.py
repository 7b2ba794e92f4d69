"""The bound that a run has to beat is what a constant prediction reaches, as the trainer counts."""

import math
from pathlib import Path
from statistics import fmean

import pytest
import torch

from deepmt.data.batches import Batch, TrainingBatches
from deepmt.data.dataset import Dataset
from deepmt.data.encode_text import write_encoded
from deepmt.data.encoded import EncodedPair
from deepmt.data.vocabulary import Vocabulary
from deepmt.train.evaluate import LARGEST_EXPONENT, to_perplexity
from deepmt.train.loss import SmoothedLoss
from deepmt.train.unigram import unigram_counts, unigram_loss
from tiny import tiny_spec
from tiny_runs import write_manifest

WORDS = [f"w{i}" for i in range(20)]


@pytest.fixture
def pair(tmp_path: Path) -> EncodedPair:
    """Sentences of 1 to 30 words and a full stop, which weighs the more the shorter they are."""
    draw = torch.Generator().manual_seed(1)
    lengths = torch.randint(1, 31, (2000,), generator=draw).tolist()
    drawn = [torch.randint(20, (length,), generator=draw).tolist() for length in lengths]
    text = [" ".join([*(WORDS[i] for i in line), "."]) for line in drawn]
    vocabulary = Vocabulary.from_counts(dict.fromkeys([*WORDS, "."], 1))
    for language in ("en", "de"):
        write_encoded(text, vocabulary, tmp_path / "ids", f"train.{language}")
    write_manifest(tmp_path)
    return Dataset(tmp_path).pair("train")


def best_constant(loss: SmoothedLoss, batches: TrainingBatches, types: int) -> float:
    """The least mean loss of an epoch's updates that logits without input reach."""
    targets = [batches.batch(rows).target for [rows] in batches.epoch(0)]
    logits = torch.zeros(types, dtype=torch.float64, requires_grad=True)
    descent = torch.optim.LBFGS([logits], max_iter=50, line_search_fn="strong_wolfe")

    def of_update(target: torch.Tensor) -> torch.Tensor:
        states, weight = torch.zeros(*target.shape, 1), loss.weight(Batch(target, target))
        return loss(lambda rows: logits.expand(len(rows), -1), states, target) / weight

    def mean() -> torch.Tensor:
        descent.zero_grad()
        total = torch.stack([of_update(target) for target in targets]).mean()
        total.backward()
        return total

    descent.step(mean)
    return fmean(of_update(target).item() for target in targets)


@pytest.mark.parametrize("average", ["token", "sentence"])
def test_the_bound_is_the_best_constant_prediction(pair: EncodedPair, average: str) -> None:
    types = int(pair.target.ids.max()) + 1
    loss = SmoothedLoss.of(tiny_spec(training__loss_average=average).training, types)
    bound = unigram_loss(unigram_counts(pair, types), loss.epsilon)
    batches = TrainingBatches(pair, 400, 100, seed=1)
    assert bound == pytest.approx(best_constant(loss, batches, types), rel=1e-3)


@pytest.mark.parametrize(
    ("loss", "exponent"),
    [(2.0, 2.0), *((loss, LARGEST_EXPONENT) for loss in (math.nan, math.inf, 1e6))],
)
def test_a_hopeless_perplexity_is_the_largest_that_a_record_can_hold(loss, exponent) -> None:
    assert to_perplexity(loss) == math.exp(exponent)
