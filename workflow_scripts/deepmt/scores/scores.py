"""Score a translation under every convention that the papers use."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib.metadata import version
from typing import Literal

from sacrebleu.metrics import BLEU, CHRF, TER
from sacrebleu.metrics.base import Metric
from sacrebleu.metrics.bleu import BLEUScore

from deepmt.base.languages import language
from deepmt.scores.compound_split import retokenise_and_split, split_compounds
from deepmt.scores.score import Score
from deepmt.scores.scored_texts import Texts
from deepmt.scores.tokenised_bleu import MultiBleu


@dataclass(frozen=True)
class Measure:
    """Define how one score is computed."""

    metric: Callable[[], Metric]
    text: Literal["tokenised", "detokenised"] = "detokenised"
    languages: tuple[str, ...] = ()
    """Codes of the target languages that it applies to; empty for all."""

    def lines(self, texts: Texts) -> tuple[Sequence[str], Sequence[str]]:
        """Return hypotheses and reference in the form that the metric reads."""
        if self.text == "tokenised":
            return texts.hypotheses, texts.tokenised_reference
        return texts.detokenised, texts.reference

    def applies(self, texts: Texts) -> bool:
        """Check if a reference is as long as the n-grams of BLEU, which is else 0 by definition."""
        metric, (_, reference) = self.metric(), self.lines(texts)
        if not isinstance(metric, BLEU):
            return True
        longest = metric.max_ngram_order
        return any(len(metric.tokenizer(line).split()) >= longest for line in reference)

    def score(self, texts: Texts) -> Score:
        """Return value and signature."""
        metric = self.metric()
        hypotheses, reference = self.lines(texts)
        result = metric.corpus_score(hypotheses, [reference])
        signature = f"{result.name}|{metric.get_signature().format(short=True)}"
        if not isinstance(result, BLEUScore):
            return Score(result.score, signature)
        precisions = tuple(round(precision, 4) for precision in result.precisions)
        ratio = round(result.sys_len / max(1, result.ref_len), 4)
        return Score(result.score, signature, precisions, round(result.bp, 4), ratio)


MEASURES: dict[str, Measure] = {
    # Cased, as mteval-v13a, or by characters for languages without spaces.
    "bleu": Measure(partial(BLEU, tokenize="13a")),
    "bleu_lc": Measure(partial(BLEU, tokenize="13a", lowercase=True)),
    # As mteval-v14 --international-tokenization.
    "bleu_intl": Measure(partial(BLEU, tokenize="intl")),
    # multi-bleu.perl on the unmodified tokens, and with -lc.
    "bleu_tok": Measure(MultiBleu, text="tokenised"),
    "bleu_tok_lc": Measure(partial(MultiBleu, lowercase=True), text="tokenised"),
    # The same after the compound split of tensor2tensor.
    "bleu_atat": Measure(partial(MultiBleu, prepare=split_compounds, tok="atat"), text="tokenised"),
    # The same after Wang et al.'s new tokenisation and compound split of both sides.
    "bleu_wang": Measure(
        partial(
            MultiBleu,
            prepare=retokenise_and_split,
            tok=f"sacremoses-{version('sacremoses')}-de-atat",
        ),
        text="tokenised",
        languages=("de",),
    ),
    "chrf": Measure(CHRF),
    # With recall weighted 3.
    "chrf3": Measure(partial(CHRF, beta=3)),
    # chrF2++, smoothed as in its authors' own script.
    "chrfpp": Measure(partial(CHRF, word_order=2, eps_smoothing=True)),
    "ter": Measure(TER),
}


NO_BLEU = "BLEU is not defined here: no reference has four words"
BETWEEN_SPACES = ("bleu_intl", "ter")
"""Measures whose words are what stands between spaces and punctuation."""


def measures_for(target_language: str) -> dict[str, Measure]:
    """Return the measures that apply to a target language; `bleu` has the tokeniser of its own."""
    target = language(target_language)
    own = partial(BLEU, tokenize=target.tokeniser)
    found = MEASURES | {
        "bleu": replace(MEASURES["bleu"], metric=own),
        "bleu_lc": replace(MEASURES["bleu_lc"], metric=partial(own, lowercase=True)),
    }
    if target.tokeniser != "13a":
        found = _without_spaces(found, target.code)
    return {
        name: measure
        for name, measure in found.items()
        if not measure.languages or target.code in measure.languages
    }


def _without_spaces(measures: Mapping[str, Measure], code: str) -> dict[str, Measure]:
    """Return the measures that find units in text without spaces: TER's rules cut CJK alone."""
    found = {name: measure for name, measure in measures.items() if name not in BETWEEN_SPACES}
    if "CJK" in language(code).scripts:
        metric = partial(TER, normalized=True, asian_support=True)
        found["ter"] = replace(measures["ter"], metric=metric)
    return found


def score_texts(texts: Texts, names: Collection[str] = ()) -> dict[str, Score]:
    """Score a translation by every measure that applies to it, or by those of some names."""
    return {
        name: measure.score(texts)
        for name, measure in measures_for(texts.target_language).items()
        if (not names or name in names) and measure.applies(texts)
    }
