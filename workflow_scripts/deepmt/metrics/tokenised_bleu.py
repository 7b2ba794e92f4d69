"""Compute BLEU of tokenised text as Moses' multi-bleu.perl does."""

from collections.abc import Callable

import sacrebleu
from sacrebleu.metrics import BLEU
from sacrebleu.metrics.bleu import BLEUScore

from deepmt.metrics.signature import WrittenSignature


class MultiBleu(BLEU):
    """Compute unsmoothed BLEU over the unmodified words, as multi-bleu.perl does.

    `prepare` is applied to each line of both sides; `tok` is its name in the signature.
    """

    def __init__(
        self, *, lowercase: bool = False, prepare: Callable[[str], str] = str, tok: str = "none"
    ) -> None:
        super().__init__(tokenize="none", smooth_method="none", force=True, lowercase=lowercase)
        self.prepare, self.tok = prepare, tok

    def get_signature(self) -> WrittenSignature:
        """Return case, preparation of the words, and sacreBLEU's version."""
        case = "lc" if self.lowercase else "mixed"
        text = f"case:{case}|tok:{self.tok}|smooth:none|sacrebleu:{sacrebleu.__version__}"
        return WrittenSignature(self.__dict__, text)

    def _preprocess_segment(self, sent: str) -> str:
        return super()._preprocess_segment(as_perl_reads(self.prepare(sent)))

    def _compute_score_from_stats(self, stats: list[int]) -> BLEUScore:
        score = super()._compute_score_from_stats(stats)
        score.name = "multi-bleu"
        return score


def as_perl_reads(line: str) -> str:
    """Return each word as its UTF-8 bytes, because multi-bleu.perl works on bytes.

    A no-break space does not separate words, and lower-casing does not change Ä.
    """
    return " ".join(repr(word) for word in line.encode().split())
