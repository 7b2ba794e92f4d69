"""Choose random phrases and clauses that make sense: who does what to what, when and where."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from deepmt.data.grammar import english, german, lexicon
from deepmt.data.grammar.lexicon import DETERMINERS, MODALS, NOUNS_OF, PRONOUNS
from deepmt.data.grammar.phrases import (
    ABSENT,
    GAP,
    NOTHING,
    Adjective,
    Clause,
    Fixed,
    Name,
    Nominal,
    Noun,
    NounPhrase,
    Verb,
)

Lemma = TypeVar("Lemma")
ZIPF_OFFSET, ZIPF_EXPONENT = 4, 2.2


class Chooser:
    """Draw phrases and clauses from one random generator."""

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
        fitting = [word for word in lexicon.ADJECTIVES if word.classes & noun.classes]
        return (self.pick(fitting),) if fitting and self.chance(probability) else ()

    def verb(self, fitting: Callable[[Verb], object]) -> Verb:
        """Choose a verb that fits."""
        return self.pick([verb for verb in lexicon.VERBS if fitting(verb)])

    def phrase(self, classes: Sequence[str], *, definite: bool = False) -> Nominal:
        """Choose a noun phrase; a town or a person may be a name."""
        semantic_class = self.random.choice(classes)
        if semantic_class == "town":
            return self.pick(lexicon.TOWNS)
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
        return self.pick(lexicon.FIRST_NAMES if self.chance(0.8) else lexicon.SURNAMES)

    def noun_phrase(self, noun: Noun, *, definite: bool = False) -> NounPhrase:
        """Complete a noun with determiner, number, owner and adjective."""
        phrase = NounPhrase(noun, adjectives=self.adjectives(noun))
        if not noun.german_plural:
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
        return self._determined(phrase, self.random.choices(kinds, weights)[0])

    def _determined(self, phrase: NounPhrase, kind: str) -> NounPhrase:
        ownable = {"animal", "text", "thing", "device", "clothing", "private", "home", "room"}
        if kind in ("possessive", "owner") and not phrase.noun.classes & (ownable | {"surface"}):
            kind = "the"
        match kind:
            case "possessive":
                return self._own(phrase)
            case "owner":
                return replace(phrase, owner=self._owner())
            case "plural":
                return replace(phrase, determiner=DETERMINERS["the"], plural=True)
            case "this":
                return replace(phrase, determiner=DETERMINERS["this"], plural=self.chance(0.3))
            case "bare":
                return replace(phrase, plural=True)
            case "number":
                return replace(phrase, number=self.pick(lexicon.NUMBERS), plural=True)
        return replace(phrase, determiner=DETERMINERS[kind])

    def _own(self, phrase: NounPhrase) -> NounPhrase:
        possessive = self.random.choice(["my", "his", "her", "our", "their"])
        plural = "only" not in phrase.noun.classes and self.chance(0.15)
        return replace(phrase, determiner=DETERMINERS[possessive], plural=plural)

    def _owner(self) -> Nominal:
        if self.chance(0.4):
            return self.name()
        if self.chance(0.4):
            return self._own(NounPhrase(self.noun(["own"])))
        noun = self.noun(["person"])
        determiner = DETERMINERS[self.random.choice(["the", "the", "a"])]
        if "own" in noun.classes:
            return self._own(NounPhrase(noun))
        return NounPhrase(noun, determiner, adjectives=self.adjectives(noun, 0.2))

    def subject(self, classes: Sequence[str] = ("person",)) -> Nominal:
        """Choose a subject: a pronoun, a pair of names, or a phrase, mostly definite."""
        if "person" in classes:
            if self.chance(0.22):
                return PRONOUNS[self.random.choice(["I", "he", "she", "we", "they", "you"])]
            if self.chance(0.05):
                noun = self.noun(["stranger"])
                word = self.random.choice(["every", "all", "some", "many"])
                return NounPhrase(noun, DETERMINERS[word], plural=word != "every")
            if self.chance(0.06):
                return self._two_names()
        return self.phrase(classes, definite=self.chance(0.8))

    def _two_names(self) -> Name:
        first, second = self.random.sample(lexicon.FIRST_NAMES, 2)
        both = f"{first.english[0]} and {second.english[0]}"
        beide = f"{first.german[0]} und {second.german[0]}"
        return Name((both,) * 2, (beide,) * 3, agreement="plural", kind="pair")

    def man_or_woman(self) -> tuple[Nominal, Name]:
        """Choose a person, and the pronoun for them."""
        while True:
            phrase = self.person(definite=True)
            if isinstance(phrase, Name):
                return phrase, PRONOUNS[phrase.pronoun]
            if not phrase.plural and phrase.owner is None and phrase.noun.gender != "n":
                return phrase, PRONOUNS["he" if phrase.noun.gender == "m" else "she"]

    def location(self, classes: Sequence[str]) -> Fixed:
        """Choose where something happens: in the kitchen, at the station, in Vienna."""
        phrase = self.phrase(classes, definite=True)
        at = isinstance(phrase, NounPhrase) and "spot" in phrase.noun.classes
        return prepositional(*(("at", "an") if at else ("in", "in")), "dative", phrase)

    def bare_clause(self, subject: Nominal, verb: Verb, tense: str = "past") -> Clause:
        """Give a verb objects and complement other than its subject, and no adverbials."""
        while True:
            accusative, dative, other = phrases = self._phrases(verb, subject)
            if _referent(subject) is None or _referent(subject) not in map(_referent, phrases):
                break
        complement = prepositional(*verb.preposition, other) if verb.complement else NOTHING
        return Clause(subject, verb, tense, complement, accusative=accusative, dative=dative)

    def _phrases(self, verb: Verb, subject: Nominal) -> list[Nominal]:
        """Choose accusative, dative and object of the preposition, if the verb takes them."""
        phrases: list[Nominal] = [ABSENT] * 3
        if verb.accusative:
            is_pronoun = verb.accusative[0] == "person" and self.chance(0.2)
            phrases[0] = self._object_pronoun(GAP) if is_pronoun else self.phrase(verb.accusative)
        if verb.dative:
            is_pronoun = self.chance(0.25)
            phrases[1] = self._object_pronoun(subject) if is_pronoun else self.person(definite=True)
        if verb.complement:
            phrases[2] = self.phrase(verb.complement, definite=self.chance(0.8))
        return phrases

    def _object_pronoun(self, subject: Nominal) -> Name:
        """Choose an object pronoun that does not refer to the subject."""
        third = ["he", "she", "they"]
        words = third if subject.kind == "pronoun" else [*third, "I", "we"]
        return PRONOUNS[self.random.choice(words)]

    def clause(
        self, *, tense: str = "", subject: Nominal | None = None, verb: Verb | None = None
    ) -> Clause:
        """Choose a full clause; `tense` is a key of `TENSES`, any if empty."""
        tenses = lexicon.WORDS["tenses"]
        verb = verb or self.verb(lambda verb: verb.aspect in tenses[tense or "past"]["aspects"])
        fitting = [name for name, entry in tenses.items() if verb.aspect in entry["aspects"]]
        weights = [tenses[name]["weight"] for name in fitting]
        tense = tense or self.random.choices(fitting, weights)[0]
        clause = self.bare_clause(subject or self.subject(verb.subjects), verb)
        clause = self._in_tense(clause, tenses[tense])
        if _determiner(clause.subject) in ("every", "all", "some", "many"):
            return replace(clause, frequency=NOTHING)
        if verb.places and self.chance(0.3):
            clause = replace(clause, place=self.location(verb.places))
        return self._negated(clause) if self.chance(0.14) else clause

    def _in_tense(self, clause: Clause, settings: dict[str, Any]) -> Clause:
        """Give a clause a tense with its modal verb and adverbs, as words.yaml describes it."""
        clause = replace(clause, tense=settings["tense"])
        if "adverbs" in settings and self.chance(settings["probability_of_adverbs"]):
            adverbs = lexicon.pairs(settings["adverbs"])
            return replace(clause, frequency=self.random.choice(adverbs))
        if "modals" in settings:
            clause = replace(clause, modal=MODALS[self.random.choice(settings["modals"])])
        if "times" in settings and clause.verb.aspect != "state":
            clause = self.timed(clause, settings["times"], settings["probability"])
        return clause

    def timed(self, clause: Clause, times: str, probability: float) -> Clause:
        """Give a clause an adverbial of time, with its number, year, hour or day."""
        if not self.chance(probability):
            return clause
        time = self.pick(lexicon.TIMES[times])
        number, day = self.pick(lexicon.NUMBERS), self.pick(lexicon.WEEKDAYS)
        digits = {"year": self.random.randint(1960, 2020), "hour": self.random.randint(1, 12)}
        time = Fixed(
            time.english.format(number=number.english, weekday=day.english, **digits),
            time.german.format(number=number.german, weekday=day.german, **digits),
        )
        return replace(clause, time=time, time_first=self.chance(0.45))

    def _negated(self, clause: Clause) -> Clause:
        """Negate the clause if "nicht" or "kein" has one clear place; time then comes first."""
        modal = clause.modal.english["infinitive"] if clause.modal else ""
        unclear = modal in ("will", "should", "would") or clause.tense == "progressive"
        if clause.frequency.english or clause.place.english or not clause.subject.is_definite:
            unclear = True
        phrase = clause.accusative
        if isinstance(phrase, NounPhrase) and not phrase.is_definite:
            unclear |= phrase.number is not None or _determiner(phrase) not in ("a", "")
        return clause if unclear else replace(clause, negated=True, time_first=True)


def prepositional(english_word: str, german_word: str, case: str, phrase: Nominal) -> Fixed:
    """Put a preposition, or "older than", before a phrase."""
    in_german = german.prepositional(german_word, case, phrase)
    return Fixed(f"{english_word} {english.nominal(phrase)}", in_german)


def _referent(phrase: Nominal) -> Noun | Name | None:
    if isinstance(phrase, NounPhrase):
        return phrase.noun
    return phrase if phrase.kind == "name" else None


def _determiner(phrase: Nominal) -> str:
    determiner = phrase.determiner if isinstance(phrase, NounPhrase) else None
    return determiner.english if determiner else ""
