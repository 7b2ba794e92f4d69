"""German: declension, conjugation and word order."""

from dataclasses import replace

from deepmt.data.grammar.lexicon import DETERMINERS, Adjective, Modal, Noun, Verb
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

CASES = ("nominative", "accusative", "dative", "genitive")

# The endings of "dieser", by gender or plural, in the order of CASES.
STRONG = {
    "m": ("er", "en", "em", "es"),
    "f": ("e", "e", "er", "er"),
    "n": ("es", "es", "em", "es"),
    "plural": ("e", "e", "en", "er"),
}
ARTICLE = {
    "m": ("der", "den", "dem", "des"),
    "f": ("die", "die", "der", "der"),
    "n": ("das", "das", "dem", "des"),
    "plural": ("die", "die", "den", "der"),
}
CONTRACTIONS = {
    ("in", "dem"): "im",
    ("in", "das"): "ins",
    ("an", "dem"): "am",
    ("zu", "dem"): "zum",
    ("zu", "der"): "zur",
    ("von", "dem"): "vom",
}
# Present: ich, er, plural; past: ich/er.
AUXILIARIES = {
    "haben": ("habe", "hat", "haben", "hatte"),
    "sein": ("bin", "ist", "sind", "war"),
    "werden": ("werde", "wird", "werden", "wurde"),
    "wissen": ("weiß", "weiß", "wissen", "wusste"),
}


def noun(noun: Noun, case: str, *, plural: bool) -> str:
    """Decline a noun: dative plural -n, genitive -(e)s, and -(e)n of the weak masculines."""
    if plural:
        ends_bare = case != "dative" or noun.german_plural.endswith(("n", "s"))
        return noun.german_plural if ends_bare else noun.german_plural + "n"
    oblique = case == "genitive" or (noun.is_weak_masculine and case != "nominative")
    return noun.genitive if oblique else noun.german


def adjective(adjective: Adjective, ending: str) -> str:
    """Attach an ending: "müde" loses its e, "teuer" and "dunkel" the e of the stem."""
    stem = adjective.german.removesuffix("e")
    if stem.endswith("el") or stem == "teuer":
        stem = stem[:-2] + stem[-1]
    return stem + ending


def adjective_ending(kind: str, gender: str, case: str) -> str:
    """Choose the weak ending, or the strong one where no article ending shows the case.

    `kind`: "definite" (weak), "ein" (mixed) or "strong"; `gender`: "m", "f", "n" or "plural".
    """
    bare_article = gender in "mn" and (
        case == "nominative" or (gender, case) == ("n", "accusative")
    )
    if kind == "strong" or (kind == "ein" and bare_article):
        if case == "genitive" and gender in "mn":
            return "en"
        return STRONG[gender][CASES.index(case)]
    direct = case == "nominative" or (case == "accusative" and gender in "fn")
    return "e" if direct and gender != "plural" else "en"


def nominal(phrase: Nominal, case: str) -> str:
    """Realise a noun phrase, name, pronoun or pair in a case."""
    match phrase:
        case NounPhrase():
            return _noun_phrase(phrase, case)
        case Name():
            return _name(phrase, case)
        case Pronoun():
            return phrase.german[case]
        case Pair():
            return f"{nominal(phrase.first, case)} und {nominal(phrase.second, case)}"
        case Gap():
            return ""


def _name(name: Name, case: str) -> str:
    ending = "s" if case == "genitive" else ""
    title = {"": "", "Mr": "Herr ", "Mrs": "Frau "}[name.title]
    if name.title == "Mr" and case != "nominative":
        title = "Herrn "
    return title + name.german + ending


def _noun_phrase(phrase: NounPhrase, case: str) -> str:
    gender = "plural" if phrase.plural else phrase.noun.gender
    determiner, kind = _determiner(phrase, gender, case)
    ending = adjective_ending(kind, gender, case)
    words = [determiner, *(adjective(word, ending) for word in phrase.adjectives)]
    words.append(noun(phrase.noun, case, plural=phrase.plural))
    if phrase.owner is not None and kind == "definite":
        words.append(nominal(phrase.owner, "genitive"))
    if phrase.relative is not None:
        words.append(relative(phrase.relative, gender))
    return join(words)


def _determiner(phrase: NounPhrase, gender: str, case: str) -> tuple[str, str]:
    """Return the declined determiner and the kind of adjective ending that it calls for."""
    index = CASES.index(case)
    if phrase.owner is not None:
        if isinstance(phrase.owner, Name) and case != "genitive":
            return nominal(phrase.owner, "genitive"), "strong"
        return ARTICLE[gender][index], "definite"
    if phrase.number is not None or phrase.determiner is None:
        return (phrase.number[1] if phrase.number else ""), "strong"
    stem, kind = phrase.determiner.german, phrase.determiner.kind
    if stem == "d":
        return ARTICLE[gender][index], "definite"
    if kind in ("definite", "strong"):
        return stem + STRONG[gender][index], kind
    bare = gender in "mn" and (case == "nominative" or (gender, case) == ("n", "accusative"))
    return stem + ("" if bare else STRONG[gender][index]), "ein"


def adverbial(phrase: Adverbial) -> str:
    """Realise an adverbial; preposition and article contract where German usually does."""
    if isinstance(phrase, Fixed):
        return phrase.german
    if isinstance(phrase.nominal, Gap):
        return ""
    words = nominal(phrase.nominal, phrase.case)
    first, _, others = words.partition(" ")
    contracted = CONTRACTIONS.get((phrase.german, first))
    if contracted and _contracts(phrase.nominal):
        return f"{contracted} {others}"
    return join([phrase.german, words])


def _contracts(phrase: Nominal) -> bool:
    # "in dem Haus, das ..." keeps the article that its relative clause points at.
    while isinstance(phrase, Pair):
        phrase = phrase.first
    return isinstance(phrase, NounPhrase) and phrase.relative is None


def relative(relative: Relative, gender: str) -> str:
    """Realise a relative clause with its pronoun in front, its verb last, between commas."""
    complement = relative.clause.complement
    case = relative.role
    preposition = ""
    if relative.role == "complement":
        assert isinstance(complement, Prepositional)
        preposition, case = complement.german, complement.case
    dative_plural = gender == "plural" and case == "dative"
    pronoun = "denen" if dative_plural else ARTICLE[gender][CASES.index(case)]
    return join([",", preposition, pronoun, subordinate(relative.clause), ","])


def main(clause: Clause) -> str:
    """Order a statement: one constituent, the finite verb, the rest (verb second)."""
    finite, final = _verbs(clause)
    subject = nominal(clause.subject, "nominative")
    if clause.time_first and clause.time:
        return join([clause.time.german, finite, subject, *_middle_field(clause), *final])
    return join([subject, finite, *_middle_field(clause), *final])


def question(clause: Clause, first: str = "") -> str:
    """Order a question: question word, if any, finite verb, subject, the rest."""
    finite, final = _verbs(clause)
    subject = nominal(clause.subject, "nominative")
    return join([first, finite, subject, *_middle_field(clause), *final])


def subordinate(clause: Clause) -> str:
    """Order a subordinate clause: the finite verb last, a separable prefix joined to it."""
    finite, final = _verbs(clause)
    cluster = ["".join([*final, finite])] if _is_split(clause) else [*final, finite]
    return join([nominal(clause.subject, "nominative"), *_middle_field(clause), *cluster])


def infinitive(clause: Clause) -> str:
    """Order an infinitive clause with "zu", which goes between prefix and stem."""
    prefix, infinitive = clause.verb.prefix, clause.verb.infinitive
    with_zu = f"{prefix}zu{infinitive.removeprefix(prefix)}" if prefix else f"zu {infinitive}"
    return join([*_middle_field(clause), with_zu])


def _middle_field(clause: Clause) -> list[str]:
    """Order what stands between the finite verb (or subject) and the end of the clause.

    Pronouns, time, dative, definite accusative, frequency, place, indefinite accusative,
    negation, complement.
    """
    objects = {"accusative": clause.accusative, "dative": clause.dative}
    pronouns = {case for case, phrase in objects.items() if isinstance(phrase, Pronoun)}
    accusative, dative = (
        nominal(phrase, case) if phrase is not None else "" for case, phrase in objects.items()
    )
    indefinite = clause.has_indefinite_object
    if indefinite and clause.negated:
        accusative = nominal(_with_kein(clause.accusative), "accusative")
    return [
        accusative if "accusative" in pronouns else "",
        dative if "dative" in pronouns else "",
        clause.time.german if clause.time and not clause.time_first else "",
        dative if "dative" not in pronouns else "",
        accusative if "accusative" not in pronouns and not indefinite else "",
        clause.frequency.german if clause.frequency else "",
        adverbial(clause.place) if clause.place else "",
        accusative if indefinite else "",
        "nicht" if clause.negated and not indefinite else "",
        adverbial(clause.complement) if clause.complement else "",
    ]


def _with_kein(phrase: Nominal | None) -> NounPhrase:
    assert isinstance(phrase, NounPhrase)
    return replace(phrase, determiner=DETERMINERS["no"])


def _is_split(clause: Clause) -> bool:
    simple = clause.modal is None and clause.tense != "perfect" and not clause.passive
    return simple and bool(clause.verb.prefix)


def _verbs(clause: Clause) -> tuple[str, list[str]]:
    """Return the finite verb and the words that a main clause keeps for its end."""
    verb, agreement = clause.verb, clause.subject.agreement
    if clause.passive:
        return _auxiliary("werden", agreement, clause.tense), [verb.participle]
    if clause.modal is not None:
        return _modal(clause.modal, agreement, clause.tense), [verb.infinitive]
    if clause.tense == "perfect":
        return _auxiliary(verb.auxiliary, agreement, "present"), [verb.participle]
    if verb.infinitive in AUXILIARIES:
        return _auxiliary(verb.infinitive, agreement, clause.tense), []
    return finite(verb, agreement, clause.tense), [verb.prefix]


def finite(verb: Verb, agreement: str, tense: str) -> str:
    """Conjugate a full verb, without its prefix, in the present or the past."""
    if tense == "past":
        return verb.past if agreement != "plural" else past_plural(verb.past)
    stem = verb.infinitive.removeprefix(verb.prefix)
    first = stem.removesuffix("n") + ("" if stem.endswith("en") else "e")
    return {"first": first, "third": verb.er_form, "plural": stem}[agreement]


def past_plural(past: str) -> str:
    """Form "kauften" from "kaufte" and "lasen" from "las"."""
    return past + ("n" if past.endswith("e") else "en")


def _auxiliary(verb: str, agreement: str, tense: str) -> str:
    first, third, plural, past = AUXILIARIES[verb]
    if tense == "past":
        return past_plural(past) if agreement == "plural" else past
    return {"first": first, "third": third, "plural": plural}[agreement]


def _modal(modal: Modal, agreement: str, tense: str) -> str:
    if tense == "past":
        return past_plural(modal.past) if agreement == "plural" else modal.past
    if modal.er_form == "wird":
        return _auxiliary("werden", agreement, "present")
    return modal.plural if agreement == "plural" else modal.er_form


def join(words: list[str]) -> str:
    """Join the words that are not empty."""
    return " ".join(word for word in words if word)
