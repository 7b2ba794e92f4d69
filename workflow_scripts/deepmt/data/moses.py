"""Call Moses' rules for one language by sacremoses, and mend what it lacks of them."""

import re

from sacremoses import MosesDetokenizer, MosesPunctNormalizer, MosesTokenizer

from deepmt.settings.text_steps import TextSteps

FINNISH_ENDINGS = (
    MosesDetokenizer.FINNISH_MORPHSET_1,
    MosesDetokenizer.FINNISH_MORPHSET_2,
    MosesDetokenizer.FINNISH_MORPHSET_3,
)
BEFORE_ENDING = re.compile(
    r"(?<=\w:) (?=({})({})?({})?(?=[\s,.?!:;%)\]}}]|$))".format(*map("|".join, FINNISH_ENDINGS))
)
"""The space in `EU: n`, a case ending that Moses joins again; sacremoses asks for all parts."""
INSIDE_WORDS = {"ca": "·", "fi": ":", "sv": ":"}
"""Signs that Moses leaves in words before a small letter, as in `il·lusió` and `EU:n`."""
LETTER = "\u02d0"
"""A letter of phonetics that stands for such a sign while sacremoses, which parts it, tokenises."""
SMALL = "[a-zà-öø-ÿ]"
END = "\ue000"
"""A word after the last: sacremoses 0.2.0 looks there for what stands before a Czech number."""

HAVE_QUOTATION_RULES = ("en", "cs", "de", "es", "fr")
"""Other languages take those of German in Moses; sacremoses gives them none."""


class Moses:
    """Hold the normaliser, the tokeniser and the detokeniser of a language of two letters."""

    def __init__(self, code: str) -> None:
        self._inside = INSIDE_WORDS.get(code, "")
        self._normaliser = punctuation_normaliser(code)
        self._tokeniser = MosesTokenizer(lang=code)
        self._detokeniser = MosesDetokenizer(lang=code)
        if code == "cs":  # where what follows in sacremoses 0.2.0 is a TypeError
            self._detokeniser.IS_FRENCH_CONRTACTION = re.compile("(?!)")

    def normalise(self, line: str) -> str:
        """Return a line with normalised punctuation."""
        # The script's rules see the end of the line: `."` there becomes `".` in German.
        return str(self._normaliser.normalize(f"{line}\n"))

    def tokenise(self, line: str, steps: TextSteps) -> str:
        """Return the tokens of a line with one space between them."""
        keeps = self._inside and LETTER not in line
        tokens = str(
            self._tokeniser.tokenize(
                re.sub(f"{self._inside}(?={SMALL})", LETTER, line) if keeps else line,
                aggressive_dash_splits=steps.aggressive,
                escape=steps.escape,
                return_str=True,
            )
        )
        return tokens.replace(LETTER, self._inside) if keeps else tokens

    def detokenise(self, words: list[str], *, unescape: bool) -> str:
        """Return ordinary text from tokens."""
        lang = self._detokeniser.lang
        text = str(self._detokeniser.detokenize(words + [END] * (lang == "cs"), unescape=unescape))
        text = text.removesuffix(END).rstrip()
        return BEFORE_ENDING.sub("", text) if lang == "fi" else text


def punctuation_normaliser(code: str) -> MosesPunctNormalizer:
    """Return the rules of Moses' normalize-punctuation.perl for a language of two letters."""
    normaliser = MosesPunctNormalizer(lang=code, perl_parity=True)
    if code not in HAVE_QUOTATION_RULES:
        # Before the last rule, which is for numbers.
        normaliser.substitutions[-1:-1] = normaliser.DE_ES_FR_QUOTATION_FOLLOWED_BY_COMMA
    return normaliser
