"""Texts for scores, and lines that are no text."""

from deepmt.scores.scored_texts import Texts

OTHER_FORMS = {
    '<seg id="1">{}</seg>': "SGML or XML",
    "0 ||| {} ||| -0.51": "an n-best list",
    '{{"text": "{}"}}': "JSON",
    "H-1\t-0.3\t{}": "output of fairseq",
    "1\t{}": "a table",
}
"""Lines of other programs, and what they are called."""


def texts_of(hypotheses: list[str], reference: list[str], target_language: str = "de") -> Texts:
    """The same lines as tokenised and as de-tokenised text."""
    return Texts(
        hypotheses=hypotheses,
        detokenised=hypotheses,
        reference=reference,
        tokenised_reference=reference,
        target_language=target_language,
    )
