"""Normalise, tokenise and lower-case one line, and turn tokens back into text."""

import logging
import re
from collections.abc import Collection
from dataclasses import replace
from functools import cache
from itertools import accumulate, pairwise
from typing import Any
from unicodedata import category

from sacremoses import MosesDetokenizer, MosesPunctNormalizer, MosesTokenizer

from deepmt.base.languages import language
from deepmt.settings.text_steps import TextSteps

CHINESE = "\u2e80-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff"
"""Chinese and Japanese letters and marks, as a class of a regular expression."""
MARKS = r"!\"'(),.:;?\[\]{}‘’“”…—·"
"""Marks that stand beside words of either script."""
KEPT = re.compile(rf"[^\s{CHINESE}{MARKS}]([^\s{CHINESE}]*[^\s{CHINESE}{MARKS}])?")
"""What Chinese text has in other letters without a space in it: numbers, addresses, words."""
BESIDE_CHINESE = re.compile(f"(?<=[{CHINESE}‘’“”…—·]) | (?=[{CHINESE}‘’“”…—·])")
"""Spaces that Chinese text does not have."""
FINNISH_ENDINGS = (
    MosesDetokenizer.FINNISH_MORPHSET_1,
    MosesDetokenizer.FINNISH_MORPHSET_2,
    MosesDetokenizer.FINNISH_MORPHSET_3,
)
BEFORE_ENDING = re.compile(
    r"(?<=\w:) (?=({})({})?({})?(?=[\s,.?!:;%)\]}}]|$))".format(*map("|".join, FINNISH_ENDINGS))
)
"""The space in `EU: n`, a case ending that Moses joins again; sacremoses asks for all parts."""

END = "\ue000"
"""A word after the last: sacremoses 0.2.0 looks there for what stands before a Czech number."""

HAVE_QUOTATION_RULES = ("en", "cs", "de", "es", "fr")
"""Other languages take those of German in Moses; sacremoses gives them none."""


class Tokeniser:
    """Apply the text steps for one language with sacremoses; Chinese is segmented by jieba.

    Lower-casing comes where published data have it: before punctuation normalisation if there is
    one (Multi30k's lc.norm.tok files), else after tokenisation (MIXER's and fairseq's IWSLT'14
    scripts). The two differ on abbreviations that are recognised by their capitals. Chinese is
    neither normalised nor escaped, as in WMT18's own preparation.
    """

    def __init__(self, steps: TextSteps, code: str) -> None:
        known = language(code)
        self.steps = steps
        self.chinese = known.tokeniser == "zh"
        self._normaliser = punctuation_normaliser(known.code)
        self._tokeniser = MosesTokenizer(lang=known.code)
        self._detokeniser = MosesDetokenizer(lang=known.code)
        if known.code == "cs":  # where what follows in sacremoses 0.2.0 is a TypeError
            self._detokeniser.IS_FRENCH_CONRTACTION = re.compile("(?!)")

    def tokenise(self, line: str) -> str:
        """Return the tokens of a line with one space between them."""
        steps = self.steps
        if steps.straight_quotes:
            line = line.replace("’", "'")
        if steps.lowercase and steps.normalise:
            line = line.lower()
        if steps.normalise and not self.chinese:
            # The script's rules see the end of the line: `."` there becomes `".` in German.
            line = self._normaliser.normalize(f"{line}\n")
        if steps.printable:
            line = printable(line)
        if steps.tokenise == "moses":
            line = self._words(line)
        return line.lower() if steps.lowercase and not steps.normalise else line

    def _words(self, line: str) -> str:
        if self.chinese:
            return " ".join(chinese_words(line))
        return str(
            self._tokeniser.tokenize(
                line,
                aggressive_dash_splits=self.steps.aggressive,
                escape=self.steps.escape,
                return_str=True,
            )
        )

    def detokenise(self, line: str) -> str:
        """Return ordinary text from tokens; normalising and lower-casing are not undone."""
        if self.steps.tokenise == "none":
            return line
        tokens = line.replace(" @-@ ", "-") if self.steps.aggressive else line
        unescape = self.steps.escape and not self.chinese
        words = tokens.split() + [END] * (self._detokeniser.lang == "cs")
        text = str(self._detokeniser.detokenize(words, unescape=unescape))
        text = text.removesuffix(END).rstrip()
        if self.chinese:
            return BESIDE_CHINESE.sub("", text)
        if self._detokeniser.lang == "fi":
            text = BEFORE_ENDING.sub("", text)
        return with_capital(text) if self.steps.recase else text


def steps_for(steps: TextSteps, split: str, tokenised: Collection[str]) -> TextSteps:
    """Return the steps of one split: none if it came tokenised; train keeps its quotes."""
    if split in tokenised:
        return replace(
            steps,
            normalise=False,
            printable=False,
            straight_quotes=False,
            tokenise="none",
            lowercase=False,
        )
    return replace(steps, straight_quotes=steps.straight_quotes and split != "train")


def punctuation_normaliser(code: str) -> MosesPunctNormalizer:
    """Return the rules of Moses' normalize-punctuation.perl for a language of two letters."""
    normaliser = MosesPunctNormalizer(lang=code, perl_parity=True)
    if code not in HAVE_QUOTATION_RULES:
        # Before the last rule, which is for numbers.
        normaliser.substitutions[-1:-1] = normaliser.DE_ES_FR_QUOTATION_FOLLOWED_BY_COMMA
    return normaliser


def printable(line: str) -> str:
    """Replace control, format and unassigned characters as remove-non-printing-char.perl does."""
    if line.isprintable():
        return line
    return "".join(" " if category(char).startswith("C") else char for char in line)


def chinese_words(line: str) -> list[str]:
    """Return the words of a Chinese line by jieba, without spaces; other text is not cut."""
    kept = {n for found in KEPT.finditer(line) for n in range(found.start() + 1, found.end())}
    ends = accumulate(map(len, segmenter().lcut(line)))
    words = pairwise([0, *(end for end in ends if end not in kept)])
    return [word for start, end in words if (word := line[start:end].strip())]


@cache
def segmenter() -> Any:
    """Return jieba's tokeniser with the words of its own dictionary.

    Its cache is left out: it lies in the common temporary folder, where other users write, and
    saves half a second.
    """
    import jieba  # few corpora are Chinese

    jieba.setLogLevel(logging.WARNING)
    words = jieba.Tokenizer()
    words.FREQ, words.total = words.gen_pfdict(words.get_dict_file())
    words.initialized = True
    return words


def with_capital(text: str) -> str:
    """Make the first letter a capital, whatever comes before it."""
    start = next((i for i, char in enumerate(text) if char.isalpha()), len(text))
    return text[:start] + text[start : start + 1].upper() + text[start + 1 :]
