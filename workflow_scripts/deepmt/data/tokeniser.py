"""Normalise, tokenise and lower-case one line, and turn tokens back into text."""

import logging
import re
from collections.abc import Collection
from dataclasses import replace
from functools import cache, cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any
from unicodedata import category

from deepmt.base.languages import language
from deepmt.settings.text_steps import TextSteps

if TYPE_CHECKING:
    from deepmt.data.moses import Moses

CHINESE = "\u2e80-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff"
"""Chinese and Japanese letters and marks, as a class of a regular expression."""
MARKS = r"!\"'(),.:;?\[\]{}‘’“”…—·"
"""Marks that stand beside words of either script."""
KEPT = re.compile(rf"[^\s{CHINESE}{MARKS}]([^\s{CHINESE}]*[^\s{CHINESE}{MARKS}])?")
"""What Chinese text has in other letters without a space in it: numbers, addresses, words."""
BESIDE_CHINESE = re.compile(f"(?<=[{CHINESE}‘’“”…—·]) | (?=[{CHINESE}‘’“”…—·])")
"""Spaces that Chinese text does not have."""


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
        self._code = known.code

    @cached_property
    def _moses(self) -> "Moses":
        from deepmt.data.moses import Moses  # its library is for text that is to be tokenised

        return Moses(self._code)

    def tokenise(self, line: str) -> str:
        """Return the tokens of a line with one space between them."""
        steps = self.steps
        if steps.straight_quotes:
            line = line.replace("’", "'")
        if steps.lowercase and steps.normalise:
            line = line.lower()
        if steps.normalise and not self.chinese:
            line = self._moses.normalise(line)
        if steps.printable:
            line = printable(line)
        if steps.tokenise == "moses":
            line = self._words(line)
        return line.lower() if steps.lowercase and not steps.normalise else line

    def _words(self, line: str) -> str:
        if self.chinese:
            return " ".join(chinese_words(line))
        return self._moses.tokenise(line, self.steps)

    def detokenise(self, line: str) -> str:
        """Return ordinary text from tokens; normalising and lower-casing are not undone."""
        if self.steps.tokenise == "none":
            return line
        tokens = line.replace(" @-@ ", "-") if self.steps.aggressive else line
        unescape = self.steps.escape and not self.chinese
        text = self._moses.detokenise(tokens.split(), unescape=unescape)
        if self.chinese:
            return BESIDE_CHINESE.sub("", text)
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
