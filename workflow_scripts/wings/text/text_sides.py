"""Compare each side of a text with its language: by script, and by py3langid.

py3langid is Barbaresi's fork of langid.py (Lui and Baldwin 2012).
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache

from py3langid.langid import MODEL_FILE, LanguageIdentifier

from deepmt.base.errors import UserError
from deepmt.base.languages import language
from deepmt.data.line_forms import MANY
from wings.text.clean_text import CleanText, Pair

FITS = 0.5
"""Share of the letters of a side that are of the scripts of its language."""
FOREIGN = 0.3
"""Share of the letters of a side that are of the script of the other side's language."""
SAID = 0.1
"""Share of foreign letters, or of exchanged pairs, beyond which it is said."""
TOGETHER = 10
"""Lines that are identified together: single ones are often too short."""
AGREE = 0.8
"""Share of such lines that must be in one language to say so."""
LABELS = {"nb": "no"}
"""Languages that py3langid knows under another code."""


def check_sides(where: Mapping[str, str], text: CleanText, languages: Sequence[str]) -> None:
    """Refuse sides that were exchanged, and a side in the script of the other.

    `where` names the files of each split.

    Raises:
        ValueError: names both, and the remedy.
    """
    for split, sample in text.samples.items():
        if _exchanged(sample, languages) > AGREE:
            raise UserError(
                f"{where[split]}: the lines of {languages[0]} are {languages[1]}, and the reverse:"
                " exchange the sides"
            )
    sides = zip(languages, languages[::-1], text.characters, strict=True)
    for name, rival, characters in sides:
        script, share = language(name).foreign(characters)
        if share > FOREIGN and script in language(rival).scripts:
            raise UserError(
                f"{where['train']}: {share:.0%} of the letters of {name} are {script}, as those of"
                f" {rival} are: correct the direction or the columns"
            )


def doubts(text: CleanText, languages: Sequence[str]) -> list[str]:
    """Return a sentence for pairs that may be exchanged, and for each doubt about a side.

    It may be in another language or script, or tokenised.
    """
    shares = {split: _exchanged(sample, languages) for split, sample in text.samples.items()}
    found = [
        f"{split}: {share:.0%} of the pairs read as {languages[1]} to {languages[0]}: exchange"
        " their sides"
        for split, share in shares.items()
        if share > SAID
    ]
    for side, name in enumerate(languages):
        known = language(name)
        share = known.share(text.characters[side])
        script, foreign = known.foreign(text.characters[side])
        if foreign > SAID:
            found.append(
                f"{foreign:.0%} of the letters of {name} are {script}: is {name} written so?"
            )
        elif share < FITS:
            found.append(
                f"only {share:.0%} of the letters of {name} are of its script: is it {name}?"
            )
        elif other := _other_language([pair[side] for pair in text.samples["train"]], name):
            found.append(f"{name} reads as {other}: if it is, correct the direction")
        for said, lines in text.signs[side].items():
            if lines > MANY * text.pairs["train"]:
                found.append(f"{lines / text.pairs['train']:.0%} of the lines of {name} {said}")
    return found


def _exchanged(sample: Sequence[Pair], languages: Sequence[str]) -> float:
    """Return the share of pairs of which each side reads as the other's language."""
    labels = list(map(_label, languages))
    identifier = _identifier()
    if len({*labels} & {*identifier.labels}) < 2 or len(sample) < TOGETHER:
        return 0.0
    identifier.set_languages(labels)
    try:
        read = [[identifier.classify(line)[0] for line in pair] for pair in sample]
    finally:
        identifier.set_languages()
    return read.count(labels[::-1]) / len(sample)


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
