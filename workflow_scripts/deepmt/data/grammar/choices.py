"""Random phrases and clauses that make sense: who does what to what, when and where."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from deepmt.data.grammar import words
from deepmt.data.grammar.lexicon import (
    ADJECTIVES,
    DETERMINERS,
    MODALS,
    NOUNS,
    VERBS,
    Adjective,
    Noun,
    Verb,
    rows,
    translations,
)
from deepmt.data.grammar.phrases import (
    Adverbial,
    Clause,
    Fixed,
    Name,
    Nominal,
    NounPhrase,
    Pair,
    Prepositional,
    Pronoun,
)

NOUNS_OF = {
    semantic_class: [noun for noun in NOUNS if semantic_class in noun.classes]
    for semantic_class in sorted({name for noun in NOUNS for name in noun.classes})
}
# Who can be meant without a word like "my": not "every sister", not "the son who ...".
NOUNS_OF["stranger"] = [noun for noun in NOUNS_OF["person"] if "own" not in noun.classes]
FIRST_NAMES = [
    Name(english=name, german=name, sex=sex)
    for sex, names in words.FIRST_NAMES.items()
    for name in names.split()
]
SURNAMES = [
    Name(english=name, german=name, sex=sex, title=title)
    for name in words.SURNAMES
    for sex, title in (("he", "Mr"), ("she", "Mrs"))
]
TOWNS = [
    Name(english=town.split("/")[0], german=town.split("/")[-1]) for town in words.CITIES.split()
]
NUMBERS = translations(words.NUMBERS)
WEEKDAYS = translations(words.WEEKDAYS)
FREQUENCIES = [Fixed(english=e, german=g) for e, g in translations(words.FREQUENCIES)]
PERFECT_ADVERBS = [Fixed(english=e, german=g) for e, g in translations(words.PERFECT_ADVERBS)]
ADVERBIALS = {tense: translations(table) for tense, table in words.ADVERBIALS.items()}


def _pronoun(columns: list[str]) -> Pronoun:
    (subject, object_), german = columns[0].split(", "), columns[1].split(", ")
    cases = dict(zip(("nominative", "accusative", "dative"), german, strict=True))
    return Pronoun(
        english_subject=subject, english_object=object_, german=cases, agreement=columns[2]
    )


PRONOUNS = {p.english_subject: p for p in map(_pronoun, rows(words.PRONOUN_TABLE))}
# The German pronoun for an English "it" agrees in gender with the noun it stands for.
IT = {
    gender: Pronoun(
        english_subject="it",
        english_object="it",
        german={"nominative": nominative, "accusative": accusative},
        agreement="third",
    )
    for gender, nominative, accusative in (
        ("m", "er", "ihn"),
        ("f", "sie", "sie"),
        ("n", "es", "es"),
    )
}


Lemma = TypeVar("Lemma")
ZIPF_OFFSET, ZIPF_EXPONENT = 4, 2.2


class Chooser:
    """Draws phrases and clauses from one random generator."""

    def __init__(self, generator: random.Random) -> None:
        self.random = generator

    def chance(self, probability: float) -> bool:
        """Return true with the given probability."""
        return self.random.random() < probability

    def pick(self, lemmas: Sequence[Lemma]) -> Lemma:
        """Choose a lemma by its rank, as in Zipf's law: the first of a table are frequent."""
        weights = [(rank + ZIPF_OFFSET) ** -ZIPF_EXPONENT for rank in range(len(lemmas))]
        return self.random.choices(lemmas, weights)[0]

    def noun(self, classes: Sequence[str]) -> Noun:
        """Choose a noun, each class being equally likely, by its rank in the class."""
        return self.pick(NOUNS_OF[self.random.choice(classes)])

    def adjectives(self, noun: Noun, probability: float = 0.3) -> tuple[Adjective, ...]:
        """Choose at most one adjective that can describe the noun."""
        fitting = [adjective for adjective in ADJECTIVES if adjective.classes & noun.classes]
        return (self.pick(fitting),) if fitting and self.chance(probability) else ()

    def number(self) -> tuple[str, str]:
        """Choose a numeral from two to twelve."""
        return self.pick(NUMBERS)

    def phrase(self, classes: Sequence[str], *, definite: bool = False) -> Nominal:
        """Choose a noun phrase; a town or a person may be a name."""
        semantic_class = self.random.choice(classes)
        if semantic_class == "town":
            return self.pick(TOWNS)
        if semantic_class == "person":
            return self.person(definite=definite)
        return self.noun_phrase(self.noun([semantic_class]), definite=definite)

    def person(self, *, definite: bool = False) -> Nominal:
        """Choose a name or a noun phrase for a person."""
        if self.chance(0.35):
            return self.name()
        noun = self.noun(["own"] if self.chance(0.3) else ["person"])
        return self.noun_phrase(noun, definite=definite)

    def name(self) -> Name:
        """Choose a first name, or now and then a surname with a title."""
        return self.pick(FIRST_NAMES if self.chance(0.8) else SURNAMES)

    def noun_phrase(self, noun: Noun, *, definite: bool = False) -> NounPhrase:
        """Dress a noun with determiner, number, owner and adjective."""
        phrase = NounPhrase(noun=noun, adjectives=self.adjectives(noun))
        if noun.is_mass:
            article = DETERMINERS["the"] if definite or self.chance(0.3) else None
            return replace(phrase, determiner=article)
        if "own" in noun.classes:
            return self._own(phrase)
        if noun.classes & {"site", "room", "spot", "settlement", "home"}:
            kinds = ["the", "the", "the", "the", "owner", "this" if definite else "a"]
            return self._determined(phrase, self.random.choice(kinds))
        kinds, weights = ["the", "plural", "possessive", "owner", "this"], [50, 14, 12, 8, 4]
        if not definite:
            kinds, weights = [*kinds, "a", "bare", "number"], [*weights, 34, 8, 7]
        kind = self.random.choices(kinds, weights)[0]
        return self._determined(phrase, kind)

    def _own(self, phrase: NounPhrase) -> NounPhrase:
        possessive = self.random.choice(["my", "his", "her", "our", "their"])
        plural = "only" not in phrase.noun.classes and self.chance(0.15)
        return replace(phrase, determiner=DETERMINERS[possessive], plural=plural)

    def _determined(self, phrase: NounPhrase, kind: str) -> NounPhrase:
        match kind:
            case "plural":
                return replace(phrase, determiner=DETERMINERS["the"], plural=True)
            case "possessive":
                return (
                    self._own(phrase) if _ownable(phrase.noun) else self._determined(phrase, "the")
                )
            case "owner" if _ownable(phrase.noun):
                return replace(phrase, owner=self._owner())
            case "owner":
                return self._determined(phrase, "the")
            case "this":
                return replace(phrase, determiner=DETERMINERS["this"], plural=self.chance(0.3))
            case "bare":
                return replace(phrase, plural=True)
            case "number":
                return replace(phrase, number=self.number(), plural=True)
            case _:
                return replace(phrase, determiner=DETERMINERS[kind])

    def _owner(self) -> NounPhrase | Name:
        if self.chance(0.4):
            return self.name()
        if self.chance(0.4):
            return self._own(NounPhrase(noun=self.noun(["own"])))
        noun = self.noun(["person"])
        determiner = self.random.choice(["the", "the", "a"])
        if "own" in noun.classes:
            return self._own(NounPhrase(noun=noun))
        return NounPhrase(
            noun=noun, determiner=DETERMINERS[determiner], adjectives=self.adjectives(noun, 0.2)
        )

    def subject(self, classes: Sequence[str] = ("person",)) -> Nominal:
        """Choose a subject: a pronoun, a pair of names, or a phrase, mostly definite."""
        if "person" in classes:
            if self.chance(0.22):
                return PRONOUNS[self.random.choice(["I", "he", "she", "we", "they", "you"])]
            if self.chance(0.05):
                return self._quantified(self.noun(["stranger"]))
            if self.chance(0.06):
                first, second = self.random.sample(FIRST_NAMES, 2)
                return Pair(first=first, second=second)
        return self.phrase(classes, definite=self.chance(0.8))

    def _quantified(self, noun: Noun) -> NounPhrase:
        word = self.random.choice(["every", "all", "some", "many"])
        plural = word in ("all", "some", "many")
        return NounPhrase(noun=noun, determiner=DETERMINERS[word], plural=plural)

    def singular_person(self) -> NounPhrase | Name:
        """Choose a man or a woman, so that "he" or "she" can stand for the phrase."""
        while True:
            phrase = self.person(definite=True)
            if isinstance(phrase, Name) or (isinstance(phrase, NounPhrase) and _has_sex(phrase)):
                return phrase

    def verb(
        self, *, role: str = "", aspects: Sequence[str] = ("action", "moment", "state")
    ) -> Verb:
        """Choose a verb that has the role and one of the aspects."""
        return self.pick(
            [v for v in VERBS if v.aspect in aspects and (not role or getattr(v, role))]
        )

    def location(self, classes: Sequence[str]) -> Adverbial:
        """Choose where something happens: in the kitchen, at the station, in Vienna."""
        phrase = self.phrase(classes, definite=True)
        at = isinstance(phrase, NounPhrase) and "spot" in phrase.noun.classes
        preposition = {"english": "at", "german": "an"} if at else {"english": "in", "german": "in"}
        return Prepositional(**preposition, case="dative", nominal=phrase)

    def bare_clause(self, subject: Nominal, verb: Verb, tense: str = "past") -> Clause:
        """Give a verb objects and complement other than its subject, and no adverbials."""
        while True:
            clause = self._complemented(subject, verb, tense)
            if not _repeats_subject(clause):
                return clause

    def _complemented(self, subject: Nominal, verb: Verb, tense: str) -> Clause:
        clause = Clause(subject=subject, verb=verb, tense=tense)
        if verb.accusative:
            clause = replace(clause, accusative=self._object(verb.accusative.classes))
        if verb.dative:
            pronoun = self.chance(0.25)
            dative = self.object_pronoun(subject) if pronoun else self.person(definite=True)
            clause = replace(clause, dative=dative)
        if verb.complement:
            role = verb.complement
            phrase = self.phrase(role.classes, definite=self.chance(0.8))
            complement = Prepositional(
                english=role.english, german=role.german, case=role.case, nominal=phrase
            )
            clause = replace(clause, complement=complement)
        return clause

    def _object(self, classes: Sequence[str]) -> Nominal:
        if classes[0] == "person" and self.chance(0.2):
            return self.object_pronoun(None)
        return self.phrase(classes)

    def object_pronoun(self, subject: Nominal | None) -> Pronoun:
        """Choose an object pronoun that does not stand for the subject."""
        third = [PRONOUNS[key] for key in ("he", "she", "they")]
        own = isinstance(subject, Pronoun)
        return self.random.choice(third if own else [*third, PRONOUNS["I"], PRONOUNS["we"]])

    def clause(
        self, *, tense: str = "", subject: Nominal | None = None, verb: Verb | None = None
    ) -> Clause:
        """Choose a full clause; `tense` is a key of `TENSES`, any if empty."""
        verb = verb or self.verb(aspects=ASPECTS[tense] if tense else tuple(ASPECTS["past"]))
        fitting = [name for name in TENSES if verb.aspect in ASPECTS[name]]
        weights = [TENSES[name] for name in fitting]
        tense = tense or self.random.choices(fitting, weights)[0]
        clause = self.bare_clause(subject or self.subject(verb.subjects), verb)
        clause = self._in_tense(clause, tense)
        if _is_quantified(clause.subject):
            return replace(clause, frequency=None)
        if verb.places and self.chance(0.3):
            clause = replace(clause, place=self.location(verb.places))
        return self._negate(clause) if self.chance(0.14) else clause

    def _in_tense(self, clause: Clause, tense: str) -> Clause:
        match tense:
            case "past" if clause.verb.aspect == "state":
                return clause
            case "past":
                return self._timed(clause, "past", 0.5)
            case "progressive":
                return self._timed(replace(clause, tense=tense), "now", 0.25)
            case "habit" if self.chance(0.6):
                return replace(clause, tense="present", frequency=self.random.choice(FREQUENCIES))
            case "habit":
                return self._timed(replace(clause, tense="present"), "habit", 1.0)
            case "perfect":
                adverb = self.random.choice(PERFECT_ADVERBS) if self.chance(0.5) else None
                return replace(clause, tense="perfect", frequency=adverb)
            case "state":
                return replace(clause, tense="present")
            case "modal past":
                modal = MODALS[self.random.choice(["can", "have", "want"])]
                return self._timed(replace(clause, modal=modal), "past", 0.3)
            case _:
                modals = ["will", "will", "will", "can", "have", "want", "should", "would"]
                modal = MODALS[self.random.choice(modals)]
                return self._timed(replace(clause, tense="present", modal=modal), "future", 0.4)

    def _timed(self, clause: Clause, key: str, probability: float) -> Clause:
        if not self.chance(probability):
            return clause
        return replace(clause, time=self.time(key), time_first=self.chance(0.45))

    def time(self, key: str) -> Fixed:
        """Choose an adverbial of time and fill in its number, year, hour or day."""
        english, german = self.pick(ADVERBIALS[key])
        number, day = self.number(), self.pick(WEEKDAYS)
        digits = {"year": self.random.randint(1960, 2020), "hour": self.random.randint(1, 12)}
        return Fixed(
            english=english.format(number=number[0], weekday=day[0], **digits),
            german=german.format(Zahl=number[1], Wochentag=day[1], **digits),
        )

    def _negate(self, clause: Clause) -> Clause:
        """Negate where "nicht" or "kein" has one clear place; time then stands in front."""
        modal = clause.modal.english if clause.modal else ""
        countable = not clause.has_indefinite_object or _takes_kein(clause.accusative)
        if (
            not countable
            or clause.frequency
            or clause.place
            or modal in ("will", "should", "would")
        ):
            return clause
        if not clause.subject.is_definite or clause.tense == "progressive":
            return clause
        return replace(clause, negated=True, time_first=True)


# How often each tense is drawn, and the aspects of the verbs that have it.
TENSES = {"past": 24, "progressive": 14, "habit": 12, "perfect": 24, "future": 20, "modal past": 8}
TENSES["state"] = 30
ASPECTS = {
    "past": ("action", "moment", "state"),
    "progressive": ("action",),
    "habit": ("action", "moment"),
    "perfect": ("action", "moment"),
    "future": ("action", "moment"),
    "modal past": ("action",),
    "state": ("state",),
}


def _ownable(noun: Noun) -> bool:
    owned = {"animal", "text", "thing", "device", "clothing", "private", "home", "room", "surface"}
    return bool(owned & noun.classes)


def _has_sex(phrase: NounPhrase) -> bool:
    return not phrase.plural and phrase.owner is None and phrase.noun.gender != "n"


def _repeats_subject(clause: Clause) -> bool:
    complement = clause.complement
    inside = complement.nominal if isinstance(complement, Prepositional) else None
    subject = _referent(clause.subject)
    others = (clause.accusative, clause.dative, inside)
    return subject is not None and any(_referent(other) == subject for other in others)


def _referent(phrase: Nominal | None) -> Noun | Name | None:
    if isinstance(phrase, NounPhrase):
        return phrase.noun
    return phrase if isinstance(phrase, Name) else None


def _is_quantified(phrase: Nominal) -> bool:
    determiner = phrase.determiner if isinstance(phrase, NounPhrase) else None
    return determiner is not None and determiner.english in ("every", "all", "some", "many")


def _takes_kein(phrase: Nominal | None) -> bool:
    if not isinstance(phrase, NounPhrase) or phrase.number is not None:
        return False
    return phrase.determiner is None or phrase.determiner.english == "a"


def pronoun_for(phrase: NounPhrase | Name) -> Pronoun:
    """Return "he" or "she" for a man or a woman."""
    if isinstance(phrase, Name):
        return PRONOUNS[phrase.sex]
    return PRONOUNS["he" if phrase.noun.gender == "m" else "she"]
