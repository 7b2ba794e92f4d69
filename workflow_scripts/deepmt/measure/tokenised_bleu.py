"""BLEU of text that is already tokenised, as Moses' multi-bleu.perl counts it."""

from collections.abc import Sequence

from sacrebleu.metrics import BLEU
from sacrebleu.metrics.bleu import BLEUScore


def multi_bleu(
    hypotheses: Sequence[str], references: Sequence[str], *, lowercase: bool = False
) -> BLEUScore:
    """BLEU over the words as they stand, without smoothing, as multi-bleu.perl prints it."""
    metric = BLEU(tokenize="none", smooth_method="none", force=True, lowercase=lowercase)
    return metric.corpus_score(
        [as_perl_reads(line) for line in hypotheses],
        [[as_perl_reads(line) for line in references]],
    )


def as_perl_reads(line: str) -> str:
    """Write each word as its UTF-8 bytes, because multi-bleu.perl works on bytes.

    So a no-break space does not part words, and lower-casing leaves Ä as it is.
    """
    return " ".join(repr(word) for word in line.encode().split())
