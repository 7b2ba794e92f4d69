"""Realise German: declension, conjugation and word order."""

from dataclasses import replace

from deepmt.data.grammar.lexicon import AUXILIARIES, DETERMINERS, WORDS
from deepmt.data.grammar.phrases import (
    CASES,
    Clause,
    Name,
    Nominal,
    NounPhrase,
    Relative,
    conjugated,
    join,
)


def nominal(phrase: Nominal, case: str) -> str:
    """Realise a noun phrase or name in a case."""
    index = CASES.index(case)
    if isinstance(phrase, Name):
        return phrase.german[index]
    gender = "plural" if phrase.plural else phrase.noun.gender
    determiner = DETERMINERS["the"] if phrase.owner else phrase.determiner
    owner = nominal(phrase.owner, "genitive") if phrase.owner else ""
    first, kind = "", "strong"
    if isinstance(phrase.owner, Name) and case != "genitive":
        first, owner = owner, ""
    elif phrase.number:
        first = phrase.number.german
    elif determiner:
        endings = WORDS["determiner_endings"][determiner.endings]
        first, kind = determiner.german + endings[gender][index], determiner.adjectives
    ending = WORDS["adjective_endings"][kind][gender][index]
    adjectives = [word.stem + ending for word in phrase.adjectives]
    noun = (phrase.noun.german_plural if phrase.plural else phrase.noun.german)[index]
    after = relative(phrase.relative, gender) if phrase.relative else ""
    return join([first, *adjectives, noun, owner, after])


def prepositional(preposition: str, case: str, phrase: Nominal) -> str:
    """Realise a prepositional phrase, contracted where German usually does."""
    words = nominal(phrase, case)
    first, _, others = words.partition(" ")
    contracted = WORDS["contractions"].get(f"{preposition} {first}")
    # "in dem Haus, das ..." keeps the article that its relative clause refers to.
    if contracted and isinstance(phrase, NounPhrase) and not phrase.relative:
        return f"{contracted} {others}"
    return f"{preposition} {words}"


def relative(relative: Relative, gender: str) -> str:
    """Realise a relative clause with its pronoun in front, its verb last, between commas."""
    endings = WORDS["determiner_endings"]["article"][gender]
    pronoun = "d" + endings[CASES.index(relative.case)]
    if gender == "plural" and relative.case == "dative":
        pronoun = "denen"
    return join([",", relative.preposition.german, pronoun, subordinate(relative.clause), ","])


def main(clause: Clause) -> str:
    """Order a statement: one constituent, the finite verb, the rest (verb second)."""
    if clause.time_first and clause.time.german:
        return question(clause, clause.time.german)
    finite, final = _verbs(clause)
    return join([nominal(clause.subject, "nominative"), finite, *_middle_field(clause), final])


def question(clause: Clause, first: str = "") -> str:
    """Order a question: question word, if any, finite verb, subject, the rest."""
    finite, final = _verbs(clause)
    subject = nominal(clause.subject, "nominative")
    return join([first, finite, subject, *_middle_field(clause), final])


def subordinate(clause: Clause) -> str:
    """Order a subordinate clause: the finite verb last, a separable prefix joined to it."""
    finite, final = _verbs(clause)
    verbs = final + finite if final == clause.verb.prefix else f"{final} {finite}"
    return join([nominal(clause.subject, "nominative"), *_middle_field(clause), verbs])


def infinitive(clause: Clause) -> str:
    """Order an infinitive clause with "zu", which goes between prefix and stem."""
    prefix, infinitive = clause.verb.prefix, clause.verb.german["infinitive"]
    with_zu = f"{prefix}zu{infinitive.removeprefix(prefix)}" if prefix else f"zu {infinitive}"
    return join([*_middle_field(clause), with_zu])


def _middle_field(clause: Clause) -> list[str]:
    """Order the parts between the finite verb (or subject) and the end of the clause.

    Pronouns, time, dative, definite accusative, frequency, place, indefinite accusative,
    negation, complement.
    """
    accusative, dative = clause.accusative, clause.dative
    indefinite = clause.has_indefinite_object
    if clause.negated and indefinite and isinstance(accusative, NounPhrase):
        accusative = replace(accusative, determiner=DETERMINERS["no"])
    direct, indirect = nominal(accusative, "accusative"), nominal(dative, "dative")
    direct_first, indirect_first = accusative.kind == "pronoun", dative.kind == "pronoun"
    return [
        direct if direct_first else "",
        indirect if indirect_first else "",
        "" if clause.time_first else clause.time.german,
        "" if indirect_first else indirect,
        "" if direct_first or indefinite else direct,
        clause.frequency.german,
        clause.place.german,
        direct if indefinite else "",
        "nicht" if clause.negated and not indefinite else "",
        clause.complement.german,
    ]


def _verbs(clause: Clause) -> tuple[str, str]:
    """Return the finite verb and the word that ends a main clause."""
    verb, auxiliaries = clause.verb, AUXILIARIES["german"]
    if clause.passive:
        return conjugated(auxiliaries["werden"], clause), verb.german["participle"]
    if clause.modal:
        return conjugated(clause.modal.german, clause), verb.german["infinitive"]
    if clause.tense == "perfect":
        return conjugated(auxiliaries[verb.perfect], clause), verb.german["participle"]
    return conjugated(verb.german, clause), verb.prefix
