"""Define what decoding.<split>.json says of a translation."""

from dataclasses import field
from pathlib import Path
from typing import Any

from pydantic.dataclasses import dataclass

from deepmt.settings.seed_folder import PointFolder
from deepmt.settings.strict import CHECKED, CountOrNone, NotNegative, Perplexity
from deepmt.settings.typed_file import SeedFile

BESIDE = PointFolder(Path())
"""Names the files beside this one."""


@dataclass(frozen=True, kw_only=True, config=CHECKED)
class Decoded(SeedFile):
    """Hold how a split was translated, and the hashes of what was written."""

    split: str
    sentences: CountOrNone
    cut: CountOrNone = 0
    """Sources that were longer than `training.max_length`."""
    seconds: NotNegative
    """Without the loading of the model, and without sentences that were resumed."""
    resumed_sentences: CountOrNone
    perplexities: dict[str, Perplexity]
    """By split, like the next one: dev's is measured with that of the test set."""
    reference_tokens: dict[str, CountOrNone] = field(default_factory=dict)
    beam: CountOrNone
    alpha: NotNegative
    length_penalty: str
    precision: str
    batch_size: CountOrNone
    workers: CountOrNone
    hardware: dict[str, Any]
    code: str
    sha256: dict[str, str]
    """By file, of translations and log probabilities."""

    @property
    def hypotheses(self) -> str:
        """Return the hash of the detokenised translation."""
        return self.sha256[BESIDE.hypotheses(self.split).name]

    @property
    def log_probabilities(self) -> str | None:
        """Return the hash of the log probabilities; older files have none."""
        return self.sha256.get(BESIDE.log_probabilities(self.split).name)

    @property
    def timed(self) -> int:
        """Return the number of sentences that were translated in these seconds."""
        return self.sentences - self.resumed_sentences
