"""The abstract syntax that both languages realise: phrases and clauses without words in order."""

from __future__ import annotations

from dataclasses import dataclass

from deepmt.data.grammar.lexicon import Adjective, Determiner, Modal, Noun, Verb


@dataclass(frozen=True, kw_only=True)
class NounPhrase:
    """A noun with determiner (or owner, or number), adjectives and a relative clause."""

    noun: Noun
    plural: bool = False
    determiner: Determiner | None = None
    owner: NounPhrase | Name | None = None
    number: tuple[str, str] | None = None  # English and German numeral
    adjectives: tuple[Adjective, ...] = ()
    relative: Relative | None = None

    @property
    def agreement(self) -> str:
        return "plural" if self.plural else "third"

    @property
    def is_definite(self) -> bool:
        """Whether it stands before the adverbials of the German middle field."""
        definite = self.determiner and self.determiner.kind in ("definite", "possessive")
        return self.owner is not None or bool(definite)


@dataclass(frozen=True, kw_only=True)
class Name:
    """A person or a town; `title` is "Mr" or "Mrs" before a surname."""

    english: str
    german: str
    sex: str = ""  # "he", "she" or "" for a town
    title: str = ""
    agreement: str = "third"
    is_definite: bool = True


@dataclass(frozen=True, kw_only=True)
class Pronoun:
    """A personal or interrogative pronoun with its forms."""

    english_subject: str
    english_object: str
    german: dict[str, str]  # by case
    agreement: str
    is_definite: bool = True


@dataclass(frozen=True, kw_only=True)
class Pair:
    """Two phrases joined by "and"."""

    first: Nominal
    second: Nominal
    agreement: str = "plural"

    @property
    def is_definite(self) -> bool:
        return self.first.is_definite and self.second.is_definite


@dataclass(frozen=True, kw_only=True)
class Gap:
    """The place in a relative clause or question that its first word fills."""

    agreement: str = "third"
    is_definite: bool = True


Nominal = NounPhrase | Name | Pronoun | Pair | Gap


@dataclass(frozen=True, kw_only=True)
class Fixed:
    """An adverbial, or a predicate, that is the same words everywhere."""

    english: str
    german: str


@dataclass(frozen=True, kw_only=True)
class Prepositional:
    """A prepositional phrase; also a comparison, whose "preposition" is "older than"."""

    english: str
    german: str
    case: str
    nominal: Nominal


Adverbial = Fixed | Prepositional


@dataclass(frozen=True, kw_only=True)
class Clause:
    """A verb with its subject, complements and adverbials, in no order."""

    subject: Nominal
    verb: Verb
    tense: str  # "present", "progressive", "past" or "perfect"
    modal: Modal | None = None
    passive: bool = False
    negated: bool = False
    accusative: Nominal | None = None
    dative: Nominal | None = None
    complement: Adverbial | None = None
    time: Fixed | None = None
    time_first: bool = False
    frequency: Fixed | None = None
    place: Adverbial | None = None

    @property
    def has_indefinite_object(self) -> bool:
        return self.accusative is not None and not self.accusative.is_definite


@dataclass(frozen=True, kw_only=True)
class Relative:
    """A relative clause: `clause` has a `Gap` in the role `role`.

    `role` is "nominative", "accusative", "dative" or "complement" (a preposition comes first).
    """

    clause: Clause
    role: str
