"""English: agreement, verb forms, do-support and word order."""

import re

from deepmt.data.grammar.german import join
from deepmt.data.grammar.phrases import (
    Adverbial,
    Clause,
    Fixed,
    Gap,
    Name,
    Nominal,
    NounPhrase,
    Pair,
    Prepositional,
    Pronoun,
    Relative,
)

BE = {
    "present": {"first": "am", "third": "is", "plural": "are"},
    "past": {"first": "was", "third": "was", "plural": "were"},
}
DOUBLED = ("sit", "put", "get", "run", "swim", "forget", "travel")


def nominal(phrase: Nominal, *, subject: bool = False) -> str:
    """Realise a noun phrase, name, pronoun or pair."""
    match phrase:
        case NounPhrase():
            return _noun_phrase(phrase)
        case Name():
            return join([phrase.title, phrase.english])
        case Pronoun():
            return phrase.english_subject if subject else phrase.english_object
        case Pair():
            first, second = (
                nominal(part, subject=subject) for part in (phrase.first, phrase.second)
            )
            return f"{first} and {second}"
        case Gap():
            return ""


def _noun_phrase(phrase: NounPhrase) -> str:
    noun = phrase.noun.english_plural if phrase.plural else phrase.noun.english
    described = [*(word.english for word in phrase.adjectives), noun]
    after = []
    determiner = phrase.determiner.english if phrase.determiner else ""
    if phrase.number is not None:
        determiner = phrase.number[0]
    if phrase.owner is not None:
        owner = nominal(phrase.owner)
        if phrase.owner.agreement == "plural":
            determiner, after = "the", ["of", owner]
        else:
            determiner = f"{owner}'s"
    if determiner == "this" and phrase.plural:
        determiner = "these"
    if determiner == "a":
        determiner = article(described[0])
    if phrase.relative is not None:
        after.append(relative(phrase.relative, phrase))
    return join([determiner, *described, *after])


def article(following: str) -> str:
    """Choose "a" or "an" by the first letter of the next word."""
    return "an" if following[0] in "aeiou" else "a"


def adverbial(phrase: Adverbial) -> str:
    """Realise an adverbial."""
    if isinstance(phrase, Fixed):
        return phrase.english
    if isinstance(phrase.nominal, Gap):
        return ""
    return join([phrase.english, nominal(phrase.nominal)])


def relative(relative: Relative, head: NounPhrase) -> str:
    """Realise a restrictive relative clause: who, that, to whom, for which."""
    is_person = "person" in head.noun.classes
    complement = relative.clause.complement
    words = main(relative.clause)
    if relative.role == "complement":
        assert isinstance(complement, Prepositional)
        return join([complement.english, "whom" if is_person else "which", words])
    if relative.role == "dative":
        return join(["to", "whom", words])
    is_subject = relative.role == "nominative"
    return join(["who" if is_person and is_subject else "that", words])


def main(clause: Clause) -> str:
    """Order a statement (subject, verb, objects, place, time); also any subordinate clause."""
    first = clause.time.english if clause.time and clause.time_first else ""
    auxiliary, verb = _verbs(clause)
    if clause.negated and not auxiliary:
        auxiliary, verb = _with_do(clause)
    negation = "not" if clause.negated else ""
    verbs = ["cannot"] if clause.negated and auxiliary == "can" else [auxiliary, negation]
    subject = nominal(clause.subject, subject=True)
    return join([first, subject, *verbs, _frequency(clause), verb, *_after_verb(clause)])


def question(clause: Clause, first: str = "") -> str:
    """Order a question: question word, if any, auxiliary, subject, the rest."""
    auxiliary, verb = _verbs(clause)
    if not auxiliary:
        auxiliary, verb = _with_do(clause)
    subject = nominal(clause.subject, subject=True)
    return join([first, auxiliary, subject, _frequency(clause), verb, *_after_verb(clause)])


def imperative(clause: Clause) -> str:
    """Order a command."""
    return join([clause.verb.english, *_after_verb(clause)])


def infinitive(clause: Clause) -> str:
    """Order an infinitive clause with "to"."""
    return join(["to", clause.verb.english, *_after_verb(clause)])


def _frequency(clause: Clause) -> str:
    return clause.frequency.english if clause.frequency else ""


def _after_verb(clause: Clause) -> list[str]:
    """Order particle, objects, complement, place and time.

    "gave it to him", "helps him", but "turned on the lamp" and "turned it on".
    """
    accusative = nominal(clause.accusative) if clause.accusative is not None else ""
    dative = nominal(clause.dative) if clause.dative is not None else ""
    if dative and clause.accusative is not None:
        dative = f"to {dative}"
    particle = clause.verb.particle
    objects = [particle, accusative, dative]
    is_phrasal = particle.split(" ")[-1] not in ("for", "at", "to")
    if isinstance(clause.accusative, Pronoun) and is_phrasal:
        objects = [accusative, particle, dative]
    complement = adverbial(clause.complement) if clause.complement else ""
    place = adverbial(clause.place) if clause.place else ""
    time = clause.time.english if clause.time and not clause.time_first else ""
    return [*objects, complement, place, time]


def _verbs(clause: Clause) -> tuple[str, str]:
    """Return the auxiliary, empty in the simple tenses, and the rest of the verb."""
    verb, agreement, modal = clause.verb, clause.subject.agreement, clause.modal
    if clause.passive:
        return BE[clause.tense][agreement], verb.english_participle
    if modal is not None:
        infinitive = join([modal.link, verb.english])
        if modal.is_auxiliary:
            past = clause.tense == "past"
            return (modal.english_past if past else modal.english), infinitive
        return "", join([_finite(modal.english, modal.english_past, clause), infinitive])
    if clause.tense == "perfect":
        return ("has" if agreement == "third" else "have"), verb.english_participle
    if clause.tense == "progressive":
        return BE["present"][agreement], progressive(verb.english)
    if verb.english == "be":
        return BE[clause.tense][agreement], ""
    return "", _finite(verb.english, verb.english_past, clause)


def _with_do(clause: Clause) -> tuple[str, str]:
    verb = clause.verb.english
    if clause.modal is not None:
        verb = join([clause.modal.english, clause.modal.link, verb])
    return _finite("do", "did", clause), verb


def _finite(base: str, past: str, clause: Clause) -> str:
    if clause.tense == "past":
        return past
    return third_person(base) if clause.subject.agreement == "third" else base


def third_person(verb: str) -> str:
    """Form "reads", "goes", "cries", "has"."""
    if verb == "have":
        return "has"
    if re.search("[^aeiou]y$", verb):
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("s", "x", "o", "ch", "sh")) else "s")


def progressive(verb: str) -> str:
    """Form "reading", "writing", "sitting", "lying"."""
    if verb == "lie":
        return "lying"
    if verb in DOUBLED:
        return verb + verb[-1] + "ing"
    return verb.removesuffix("e") + "ing" if not verb.endswith("ee") else verb + "ing"


def comparative(adjective: str) -> str:
    """Form "bigger", "older", "happier", "more expensive"."""
    if adjective.endswith("y"):
        return adjective[:-1] + "ier"
    if len(re.findall("[aeiou]+", adjective.removesuffix("e"))) > 1:
        return "more " + adjective
    if re.search("[^aeiou][aeiou][bdgmnt]$", adjective):
        return adjective + adjective[-1] + "er"
    return adjective.removesuffix("e") + "er"
