"""Name every measure, and say where its value comes from."""

from dataclasses import dataclass
from typing import Literal

from deepmt.settings.text_steps import SAMPLE

SCORES = (
    "bleu", "bleu_lc", "bleu_intl", "bleu_tok", "bleu_tok_lc", "bleu_atat",
    "bleu_wang", "chrf", "chrf3", "chrfpp", "ter", "meteor", "comet",
)  # fmt: skip
"""Scores of a translation (`scores/scores.py`); METEOR and COMET are those of
their authors, and COMET decides nothing."""
SHOWN_SCORES = {"bleu": "BLEU", "chrf": "chrF", "ter": "TER"}
"""Names of those that a reader without a paper is shown."""
PPL = "ppl"
OF_SPLITS = {
    "bleu_tok_dev": ("bleu_tok", "dev"),
    "bleu_tok_train": ("bleu_tok", SAMPLE),
    "ppl_dev": (PPL, "dev"),
    "ppl_train": (PPL, SAMPLE),
    "ppl_test": (PPL, "test"),
}
"""Measure of a column -> the measure and the split that it is, whatever the column's split."""
OF_RUNS = ("params_m", "learning_rate", "updates", "train_tokens_per_s")
"""Numbers of a whole run."""
DECODING_SPEED = "decode_sentences_per_s"
TIMES = {
    "decode_s": "seconds",
    "decode_speedup": "ratio",
    "train_step_s": "seconds per step",
    "train_step_speedup": "ratio",
    "tokens_per_s": "target tokens per second",
}
"""Times and speeds with their units."""
ELSEWHERE = {
    "probe": "measured at initialisation, by the target probes",
    **dict.fromkeys(TIMES, "measured by the target speed"),
}
"""Measures that no record of a training run holds, and where they come from."""
DERIVED = ("mean", "delta")
"""Of other columns."""
MEASURES = (
    *(*SCORES, *OF_SPLITS, *OF_RUNS, DECODING_SPEED, *ELSEWHERE, *DERIVED),
    *("statistic", "none"),
)

WITHOUT_A_RUN = ("params_m", "none")
"""What a paper can print of a system that it has not run."""


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """Name what a printed number measures: a measure of one split, or the mean of several."""

    key: str
    """Of its column, or of a value that needs no training."""
    measure: str
    unit: str
    better: Literal["higher", "lower", "neither"] = "neither"
    split: str = "test"
    parts: tuple[tuple[str, str], ...] = ()
    """Measures and splits whose mean it is; empty if nothing trained has it."""


def of_split(measure: str, split: str) -> tuple[str, str]:
    """Return measure and split of a column's number; that of a whole run has the split ""."""
    return OF_SPLITS.get(measure, (measure, "" if measure in OF_RUNS else split))
