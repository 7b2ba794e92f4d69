"""Define a score, as files between jobs and records hold it."""

from typing import Annotated

from pydantic.dataclasses import dataclass

from deepmt.settings.strict import CHECKED, IF_GIVEN, NotNegative, Number


@dataclass(frozen=True, config=CHECKED)
class Score:
    """Hold a score, and the signature that makes it reproducible."""

    value: Number
    signature: str
    precisions: Annotated[tuple[NotNegative, ...], IF_GIVEN] = ()
    """Percentages of matched n-grams of BLEU, n = 1 to 4; older records lack them."""
    brevity_penalty: Annotated[NotNegative | None, IF_GIVEN] = None
    length_ratio: Annotated[NotNegative | None, IF_GIVEN] = None
    """Tokens of the hypotheses over those of the reference."""
