"""Name every measure, and say where its value comes from."""

from deepmt.settings.corpora import SAMPLE

SCORES = (
    "bleu", "bleu_lc", "bleu_intl", "bleu_tok", "bleu_tok_lc", "bleu_atat",
    "bleu_wang", "chrf", "chrf3", "chrfpp", "ter", "meteor",
)  # fmt: skip
"""Scores of a translation (`scores/scores.py`); METEOR is that of its authors."""
SHOWN_SCORES = {"bleu": "BLEU", "chrf": "chrF", "ter": "TER"}
"""Names of those that a reader without a paper is shown."""
OTHER_SPLITS = {"bleu_tok_dev": ("bleu_tok", "dev"), "bleu_tok_train": ("bleu_tok", SAMPLE)}
"""Measure -> the measure and the split that it is computed from."""
PERPLEXITIES = {"ppl_dev": "dev", "ppl_train": SAMPLE, "ppl_test": "test"}
RECORDED = (
    "params_m", "learning_rate", "updates", "train_tokens_per_s", "decode_sentences_per_s",
)  # fmt: skip
"""Other numbers of a record."""
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
    *(*SCORES, *OTHER_SPLITS, *PERPLEXITIES, *RECORDED, *ELSEWHERE, *DERIVED),
    *("statistic", "none"),
)
