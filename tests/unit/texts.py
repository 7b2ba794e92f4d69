"""Texts for scores."""

from deepmt.scores.scored_texts import Texts


def texts_of(hypotheses: list[str], reference: list[str], target_language: str = "de") -> Texts:
    """The same lines as tokenised and as de-tokenised text."""
    return Texts(
        hypotheses=hypotheses,
        detokenised=hypotheses,
        reference=reference,
        tokenised_reference=reference,
        target_language=target_language,
    )
