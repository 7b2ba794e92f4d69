"""Texts for scores and text steps, some of them published ones beside the checkout."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from deepmt.data.lines import decode_lines
from deepmt.data.members import open_member
from deepmt.metrics.scored_texts import Texts

SHARED = Path(__file__).parents[3] / "shared" / "corpora"
needs_shared = pytest.mark.skipif(not SHARED.is_dir(), reason="../shared/corpora is absent")


def gz_lines(path: Path) -> Iterator[str]:
    """Read the lines of a compressed file."""
    with open_member(path) as stream:
        yield from decode_lines(stream, str(path))


def texts_of(hypotheses: list[str], reference: list[str], target_language: str = "de") -> Texts:
    """The same lines as tokenised and as de-tokenised text."""
    return Texts(
        hypotheses=hypotheses,
        detokenised=hypotheses,
        reference=reference,
        tokenised_reference=reference,
        target_language=target_language,
    )
