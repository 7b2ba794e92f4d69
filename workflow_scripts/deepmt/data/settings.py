"""The settings of an encoding, data.json: which corpus, which text steps, which subwords."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from deepmt.data.subword import Subwords
from deepmt.data.text import TextSteps
from deepmt.strict_yaml import Problems, load, read


@dataclass(frozen=True, kw_only=True)
class DataSettings:
    """All keys of data.json; two systems with equal settings share one encoding on disk."""

    corpus: str
    source: str
    target: str
    normalise: bool
    tokenise: Literal["moses", "none"]
    aggressive: bool
    escape: bool
    lowercase: bool
    max_tokens: int
    max_ratio: float
    subword: Literal["bpe", "sentencepiece", "none"]
    merges: int
    joint: bool
    threshold: int
    min_count: int
    shared_vocabulary: bool

    @property
    def languages(self) -> tuple[str, str]:
        """Source and target."""
        return self.source, self.target

    @property
    def text_steps(self) -> TextSteps:
        """The steps before subwords."""
        return TextSteps(
            normalise=self.normalise,
            tokenise=self.tokenise,
            aggressive=self.aggressive,
            escape=self.escape,
            lowercase=self.lowercase,
            max_tokens=self.max_tokens,
            max_ratio=self.max_ratio,
        )

    @property
    def subwords(self) -> Subwords:
        """How words are cut."""
        return Subwords(
            kind=self.subword, merges=self.merges, joint=self.joint, threshold=self.threshold
        )


def load_settings(path: Path) -> DataSettings:
    """Read data.json; raises one ValueError that lists every wrong, missing and unknown key."""
    problems = Problems()
    settings = read(load(path), DataSettings, problems)
    problems.raise_if_any()
    return settings
