"""Define what each cell measures, and where its value comes from."""

from deepmt.config.papers import Column, Row

TIMES = ("decode_s", "decode_speedup", "train_step_s", "train_step_speedup", "tokens_per_s")
ELSEWHERE = {
    "probe": "measured at initialisation, by the target probes",
    **dict.fromkeys(TIMES, "measured by the target speed"),
}
"""Measures that no record of a training run holds, and where they come from."""
PERPLEXITIES = {"ppl_dev": "dev", "ppl_train": "train", "ppl_test": "test"}
OTHER_SPLITS = {"bleu_tok_dev": ("bleu_tok", "dev"), "bleu_tok_train": ("bleu_tok", "train")}
"""Measure -> the measure and the split that it is computed from."""


def measure_of(row: Row, column: Column) -> str:
    """Return the measure of a cell: the column's, unless the row has its own."""
    return row.measures.get(column.key, column.measure)
