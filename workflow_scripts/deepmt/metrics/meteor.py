"""Compute METEOR with NLTK, under a name of its own."""

from collections.abc import Sequence
from functools import lru_cache
from importlib.metadata import version
from types import SimpleNamespace
from typing import Any

from nltk.stem.snowball import SnowballStemmer
from nltk.translate.meteor_score import single_meteor_score
from sacrebleu.metrics.base import Metric, Score
from sacrebleu.utils import sum_of_lists

from deepmt.metrics.signature import WrittenSignature

STEMMERS = {"de": "german", "fr": "french"}
"""Snowball stemmers by target language."""
NO_SYNONYMS = SimpleNamespace(synsets=lambda word: ())
"""Replaces WordNet, which has no German and no French."""


class NltkMeteor(Metric):
    """Average NLTK's METEOR (Lavie and Agarwal 2007) over segments: exact and stem matches.

    Its numbers are not comparable with METEOR 1.5 or MultEval's METEOR: those have tuned weights,
    function words and paraphrases, and sum counts over the corpus.
    """

    def __init__(self, target_language: str) -> None:
        super().__init__()
        self.stemmed_as = STEMMERS[target_language]
        stem = lru_cache(maxsize=None)(SnowballStemmer(self.stemmed_as).stem)
        self.settings: Any = {"stemmer": SimpleNamespace(stem=stem), "wordnet": NO_SYNONYMS}

    def get_signature(self) -> WrittenSignature:
        """Return the kinds of matches and NLTK's own parameters."""
        matches = f"c:lc|tok:none|stem:snowball-{self.stemmed_as}|synonyms:no"
        text = f"{matches}|alpha:0.9|beta:3|gamma:0.5|mean:segments|nltk:{version('nltk')}"
        return WrittenSignature(self.__dict__, text)

    def _preprocess_segment(self, sent: str) -> str:
        return sent

    def _extract_reference_info(self, refs: Sequence[str]) -> dict[str, Any]:
        [reference] = refs
        return {"reference": reference.split()}

    def _compute_segment_statistics(self, hypothesis: str, ref_kwargs: dict) -> list[float]:
        reference = ref_kwargs["reference"]
        return [single_meteor_score(reference, hypothesis.split(), **self.settings), 1.0]

    def _compute_score_from_stats(self, stats: list[float]) -> Score:
        return Score("METEOR-by-NLTK", 100 * float(stats[0] / stats[1]))

    def _aggregate_and_compute(self, stats: list[list[float]]) -> Score:
        return self._compute_score_from_stats(sum_of_lists(stats))
