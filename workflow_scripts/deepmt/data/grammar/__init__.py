"""A corpus from nothing: a synchronous grammar writes English sentences and their German."""

from deepmt.data.grammar.baseline import word_for_word
from deepmt.data.grammar.corpus import generate, tokens

__all__ = ["generate", "tokens", "word_for_word"]
