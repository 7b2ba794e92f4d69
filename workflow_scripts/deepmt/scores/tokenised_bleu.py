"""Compute BLEU of tokenised text as Moses' multi-bleu.perl does."""

from collections.abc import Callable

from sacrebleu.metrics import BLEU
from sacrebleu.metrics.bleu import BLEUScore, BLEUSignature

NAMES = {"version": "sacrebleu", "seed": "rs"}
"""Keys of sacreBLEU's settings -> their names in the signature, where these differ."""


class MultiBleuSignature(BLEUSignature):
    """Describe what multi-bleu.perl and sacreBLEU do differently."""

    def format(self, short: bool = False) -> str:
        """Return case, preparation, version, samples and seed; `short` makes no difference."""
        names = ("case", "tok", "smooth", "version", "bs", "seed")
        known = {name: self.info[name] for name in names if self.info[name] is not None}
        return "|".join(f"{NAMES.get(name, name)}:{value}" for name, value in known.items())


class MultiBleu(BLEU):
    """Compute unsmoothed BLEU over the unmodified words, as multi-bleu.perl does.

    `prepare` is applied to each line of both sides; `tok` is its name in the signature.
    """

    _SIGNATURE_TYPE = MultiBleuSignature

    def __init__(
        self, *, lowercase: bool = False, prepare: Callable[[str], str] = str, tok: str = "none"
    ) -> None:
        super().__init__(tokenize="none", smooth_method="none", force=True, lowercase=lowercase)
        self.prepare, self.tokenizer_signature = prepare, tok

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
