"""Text steps on one line: normalise, tokenise, lower-case, and back."""

from dataclasses import dataclass
from typing import Literal

from sacremoses import MosesDetokenizer, MosesPunctNormalizer, MosesTokenizer


@dataclass(frozen=True, kw_only=True)
class TextSteps:
    """What is done to both sides, and how training pairs are cleaned (0 = no limit)."""

    normalise: bool
    tokenise: Literal["moses", "none"]
    aggressive: bool
    escape: bool
    lowercase: bool
    max_tokens: int
    max_ratio: float
    printable: bool = False
    straight_quotes: bool = False
    recase: bool = False
    clean_on: Literal["tokens", "subwords"] = "tokens"

    def __post_init__(self) -> None:
        if self.max_tokens < 0:
            raise ValueError(f"max_tokens={self.max_tokens} must be 0 (no limit) or more")
        if self.max_ratio != 0 and self.max_ratio < 1:
            raise ValueError(f"max_ratio={self.max_ratio} must be 0 (no limit) or at least 1")


class Tokeniser:
    """The steps of one language, by sacremoses.

    Lower-casing has the place that published data give it: before punctuation normalisation if
    there is one (Multi30k's lc.norm.tok files), else after tokenisation (MIXER's and fairseq's
    IWSLT'14 scripts). The two differ where abbreviations are known by their capitals.
    """

    def __init__(self, steps: TextSteps, language: str) -> None:
        self.steps = steps
        self._normaliser = MosesPunctNormalizer(lang=language)
        self._tokeniser = MosesTokenizer(lang=language)
        self._detokeniser = MosesDetokenizer(lang=language)

    def tokenise(self, line: str) -> str:
        """Tokens of a line with one space between them."""
        steps = self.steps
        if steps.lowercase and steps.normalise:
            line = line.lower()
        if steps.normalise:
            line = self._normaliser.normalize(line)
        if steps.tokenise == "moses":
            line = self._tokeniser.tokenize(
                line,
                aggressive_dash_splits=steps.aggressive,
                escape=steps.escape,
                return_str=True,
            )
        return line.lower() if steps.lowercase and not steps.normalise else line

    def detokenise(self, line: str) -> str:
        """Ordinary text from tokens; what normalising and lower-casing changed stays changed."""
        if self.steps.tokenise == "none":
            return line
        tokens = line.replace(" @-@ ", "-") if self.steps.aggressive else line
        return str(self._detokeniser.detokenize(tokens.split(), unescape=self.steps.escape))
