"""Define the abstract syntax of both languages: words, phrases, and clauses without order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

CASES = ("nominative", "accusative", "dative", "genitive")
AGREEMENTS = ("first", "third", "plural")
Forms = dict[str, Any]


class Fixed(NamedTuple):
    """Hold words that are the same in every sentence: an adverbial, a number, a predicate."""

    english: str
    german: str


NOTHING = Fixed("", "")


@dataclass(frozen=True)
class Noun:
    """Represent a noun; `classes` are its semantic classes and its own English name."""

    english: str
    gender: str
    german: list[str]
    classes: frozenset[str]
    english_plural: str = ""
    german_plural: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Adjective:
    """Represent an adjective; `classes` are those of the nouns that it can describe."""

    english: str
    german: str
    stem: str
    classes: frozenset[str]
    comparative: str = ""
    german_comparative: str = ""


@dataclass(frozen=True)
class Determiner:
    """Represent an article or similar; `endings` are its own, `adjectives` those after it."""

    english: str
    german: str
    endings: str
    adjectives: str
    plural: str = ""
    is_definite: bool = False


@dataclass(frozen=True)
class Verb:
    """Represent a verb with its forms in both languages and the classes of nouns that it takes.

    It may be a modal verb, whose particle comes before the infinitive. English negates and inverts
    an auxiliary without "do".
    """

    english: Forms
    german: Forms
    particle: str = ""
    prefix: str = ""
    perfect: str = "haben"
    aspect: str = "action"
    is_auxiliary: bool = False
    subjects: tuple[str, ...] = ("person",)
    accusative: tuple[str, ...] = ()
    dative: tuple[str, ...] = ()
    preposition: tuple[str, str, str] = ("", "", "")
    complement: tuple[str, ...] = ()
    places: tuple[str, ...] = ()


@dataclass(frozen=True)
class Name:
    """Represent a name, a pair of names or a pronoun, with its forms.

    A gap has none: it marks where a word at the start of a relative clause or question belongs. Nor
    has the absent object of a clause.
    """

    english: tuple[str, str] = ("", "")  # as subject and as object
    german: tuple[str, ...] = ("", "", "", "")  # by case
    agreement: str = "third"
    kind: str = "name"  # "name", "pair", "pronoun", "gap" or "absent"
    pronoun: str = ""  # that refers to it: he or she
    is_definite: bool = True


GAP, ABSENT = Name(kind="gap"), Name(kind="absent")


@dataclass(frozen=True)
class NounPhrase:
    """Represent a noun with determiner (or owner, number), adjectives and a relative clause."""

    noun: Noun
    determiner: Determiner | None = None
    plural: bool = False
    owner: Nominal | None = None
    number: Fixed | None = None
    adjectives: tuple[Adjective, ...] = ()
    relative: Relative | None = None
    kind = "noun phrase"

    @property
    def agreement(self) -> str:
        return "plural" if self.plural else "third"

    @property
    def is_definite(self) -> bool:
        """Check if it comes before the adverbials of the German middle field."""
        return bool(self.owner or (self.determiner and self.determiner.is_definite))


Nominal = NounPhrase | Name


@dataclass(frozen=True)
class Clause:
    """Represent a verb with its subject, complements and adverbials."""

    subject: Nominal
    verb: Verb
    tense: str  # "present", "progressive", "past" or "perfect"
    complement: Fixed = NOTHING
    accusative: Nominal = ABSENT
    dative: Nominal = ABSENT
    modal: Verb | None = None
    passive: bool = False
    negated: bool = False
    time: Fixed = NOTHING
    time_first: bool = False
    frequency: Fixed = NOTHING
    place: Fixed = NOTHING

    @property
    def has_indefinite_object(self) -> bool:
        return not self.accusative.is_definite


class Relative(NamedTuple):
    """Represent a relative clause with a gap, its pronoun's case, and a preposition before that."""

    clause: Clause
    case: str
    preposition: Fixed = NOTHING


def conjugated(forms: Forms, clause: Clause) -> str:
    """Return the finite form that agrees with the subject; compound tenses are in the present."""
    tense = "past" if clause.tense == "past" else "present"
    return str(forms[tense][AGREEMENTS.index(clause.subject.agreement)])


def join(words: Iterable[str]) -> str:
    """Join the words that are not empty."""
    return " ".join(word for word in words if word)
