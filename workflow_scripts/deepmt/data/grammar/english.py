"""Realise English: agreement, do-support and word order."""

from deepmt.data.grammar.lexicon import AUXILIARIES
from deepmt.data.grammar.phrases import (
    ABSENT,
    Clause,
    Name,
    Nominal,
    NounPhrase,
    Relative,
    conjugated,
    join,
)

BE, HAVE, DO = (AUXILIARIES["english"][verb] for verb in ("be", "have", "do"))


def nominal(phrase: Nominal, *, subject: bool = False) -> str:
    """Realise a noun phrase or name."""
    if isinstance(phrase, Name):
        return phrase.english[0 if subject else 1]
    noun = phrase.noun.english_plural if phrase.plural else phrase.noun.english
    described = [*(word.english for word in phrase.adjectives), noun]
    determiner, after = "", []
    if phrase.owner:
        owner = nominal(phrase.owner)
        determiner = f"{owner}'s"
        if phrase.owner.agreement == "plural":
            determiner, after = "the", ["of", owner]
    elif phrase.number:
        determiner = phrase.number.english
    elif phrase.determiner:
        plural = phrase.determiner.plural if phrase.plural else ""
        determiner = plural or phrase.determiner.english
    if determiner == "a" and described[0][0] in "aeiou":
        determiner = "an"
    if phrase.relative:
        after.append(relative(phrase.relative, phrase))
    return join([determiner, *described, *after])


def relative(relative: Relative, head: NounPhrase) -> str:
    """Realise a restrictive relative clause: who, that, for whom, for which."""
    is_person = "person" in head.noun.classes
    pronoun = "who" if is_person and relative.case == "nominative" else "that"
    if relative.preposition.english:
        pronoun = f"{relative.preposition.english} {'whom' if is_person else 'which'}"
    return f"{pronoun} {main(relative.clause)}"


def main(clause: Clause) -> str:
    """Order a statement (subject, verb, objects, place, time); also any subordinate clause."""
    return _ordered(clause, clause.time.english if clause.time_first else "")


def question(clause: Clause, first: str = "") -> str:
    """Order a question: question word, if any, auxiliary, subject, the rest."""
    return _ordered(clause, first, inverted=True)


def _ordered(clause: Clause, first: str, *, inverted: bool = False) -> str:
    auxiliary, verb = _verbs(clause, do_support=clause.negated or inverted)
    if clause.negated:
        auxiliary = "cannot" if auxiliary == "can" else f"{auxiliary} not"
    finite = [nominal(clause.subject, subject=True), auxiliary]
    finite = finite[::-1] if inverted else finite
    return join([first, *finite, clause.frequency.english, verb, *_after_verb(clause)])


def imperative(clause: Clause) -> str:
    """Order a command; after "to", an infinitive clause."""
    return join([clause.verb.english["infinitive"], *_after_verb(clause)])


def _after_verb(clause: Clause) -> list[str]:
    """Order particle, objects, complement, place and time.

    "gave it to him", "helps him", but "turned on the lamp" and "turned it on".
    """
    particle = clause.verb.particle
    accusative, dative = nominal(clause.accusative), nominal(clause.dative)
    if dative and clause.accusative != ABSENT:
        dative = f"to {dative}"
    objects = [particle, accusative, dative]
    if clause.accusative.kind == "pronoun" and not particle.endswith(("for", "at", "to")):
        objects = [accusative, particle, dative]
    time = "" if clause.time_first else clause.time.english
    return [*objects, clause.complement.english, clause.place.english, time]


def _verbs(clause: Clause, *, do_support: bool) -> tuple[str, str]:
    """Return the auxiliary, empty in the simple tenses, and the rest of the verb."""
    verb, forms = clause.verb, clause.verb.english
    if clause.passive:
        return conjugated(BE, clause), forms["participle"]
    if clause.tense == "perfect":
        return conjugated(HAVE, clause), forms["participle"]
    if clause.tense == "progressive":
        return conjugated(BE, clause), forms["progressive"]
    finite, after = verb, ""
    if clause.modal:
        finite, after = clause.modal, join([clause.modal.particle, forms["infinitive"]])
    if finite.is_auxiliary:
        return conjugated(finite.english, clause), after
    if do_support:
        return conjugated(DO, clause), join([finite.english["infinitive"], after])
    return "", join([conjugated(finite.english, clause), after])
