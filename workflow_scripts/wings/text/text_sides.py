"""Compare each side of a text with its language: by script, and by py3langid.

py3langid is Barbaresi's fork of langid.py (Lui and Baldwin 2012).
"""

from collections import Counter
from collections.abc import Sequence
from functools import cache

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from deepmt.base.errors import UserError
from deepmt.base.languages import language
from wings.text.clean_text import CleanText, Pair

FITS = 0.5
"""Share of the letters of a side that are of the scripts of its language."""
FOREIGN = 0.3
"""Share of the letters of a side that are of a script which its language never has."""
TOGETHER = 10
"""Lines that are identified together: single ones are often too short."""
AGREE = 0.8
"""Share of such lines that must be in one language to say so."""
TOKENS = 0.2
"""Share of lines with a sign of tokens beyond which a side is tokenised."""
LABELS = {"nb": "no"}
"""Languages that py3langid knows under another code."""


def check_sides(where: str, text: CleanText, languages: Sequence[str]) -> None:
    """Refuse sides that were exchanged, and a side in a script that its language never has.

    Raises:
        ValueError: names both, and the remedy.
    """
    codes = list(map(language, languages))
    own = [code.share(each) for code, each in zip(codes, text.characters, strict=True)]
    other = [code.share(each) for code, each in zip(codes, text.characters[::-1], strict=True)]
    if max(own) < FITS < min(other):
        raise UserError(
            f"{where}: {languages[0]} is written as {languages[1]} is, and the reverse: exchange"
            " the sides"
        )
    for name, code, characters in zip(languages, codes, text.characters, strict=True):
        script, share = code.foreign(characters)
        if share > FOREIGN:
            raise UserError(
                f"{where}: {share:.0%} of the letters of {name} are {script}, in which {name} is"
                " not written: correct the direction or the columns"
            )
    if _exchanged(text.sample, languages):
        raise UserError(
            f"{where}: the lines of {languages[0]} are {languages[1]}, and the reverse: exchange"
            " the sides"
        )


def doubts(text: CleanText, languages: Sequence[str]) -> list[str]:
    """Return a sentence for each side that may be in another language or script, or tokenised."""
    found = []
    for side, name in enumerate(languages):
        share = language(name).share(text.characters[side])
        if share < FITS:
            found.append(
                f"only {share:.0%} of the letters of {name} are of its script: is it {name}?"
            )
        elif other := _other_language([pair[side] for pair in text.sample], name):
            found.append(f"{name} reads as {other}: if it is, correct the direction")
        share = text.tokenised[side] / max(1, text.pairs["train"])
        if share > TOKENS:
            found.append(
                f"{share:.0%} of the lines of {name} look tokenised (` .` at the end, @-@, &apos;):"
                " BLEU is then of tokens, and some 2.5 higher; give the text as people write it"
            )
    return found


def _exchanged(sample: Sequence[Pair], languages: Sequence[str]) -> bool:
    """Check if each side reads as the other's language rather than its own."""
    labels = list(map(_label, languages))
    identifier = _identifier()
    if len({*labels} & {*identifier.labels}) < 2:
        return False
    identifier.set_languages(labels)
    try:
        votes = [_votes([pair[side] for pair in sample]) for side in (0, 1)]
    finally:
        identifier.set_languages()
    return all(votes[side].get(labels[1 - side], 0) > AGREE for side in (0, 1))


def _other_language(lines: Sequence[str], name: str) -> str:
    """Return the language that lines are in, if it is known to be another one."""
    if _label(name) not in _identifier().labels:
        return ""
    found = {label for label, share in _votes(lines).items() if share > AGREE}
    return "".join(found - {_label(name), NO_LANGUAGE})


NO_LANGUAGE = "zxx"
"""Code of ISO 639 for what has no words."""


def _votes(lines: Sequence[str]) -> dict[str, float]:
    """Return the share of samples by the language that they read as."""
    samples = [" ".join(lines[n : n + TOGETHER]) for n in range(0, len(lines), TOGETHER)]
    votes = Counter(_identifier().classify(sample)[0] for sample in samples)
    return {label: count / len(samples) for label, count in votes.items()}


def _label(name: str) -> str:
    code = language(name).code
    return LABELS.get(code, code)


@cache
def _identifier() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE)
