"""The lexicon: the tables of nouns, verbs and other words, read into one object a lemma."""

import re
from dataclasses import dataclass

from deepmt.data.grammar import words
from deepmt.data.grammar.nouns import NOUN_TABLE
from deepmt.data.grammar.verbs import VERB_TABLE


@dataclass(frozen=True, kw_only=True)
class Noun:
    """A noun; `classes` are its semantic classes and its own English name."""

    english: str
    english_plural: str
    gender: str  # "m", "f" or "n"
    german: str
    genitive: str
    german_plural: str
    classes: frozenset[str]

    @property
    def is_mass(self) -> bool:
        return self.german_plural == "-"

    @property
    def is_weak_masculine(self) -> bool:
        """Whether it takes -(e)n outside the nominative, as in "den Studenten"."""
        return self.gender == "m" and self.genitive.endswith("n")


@dataclass(frozen=True, kw_only=True)
class Role:
    """What a verb combines with: an object (`accusative`, `dative`) or a prepositional phrase."""

    classes: tuple[str, ...]
    english: str = ""
    german: str = ""
    case: str


@dataclass(frozen=True, kw_only=True)
class Verb:
    """A verb with its principal parts in both languages and its roles."""

    english: str
    english_past: str
    english_participle: str
    particle: str
    infinitive: str
    prefix: str
    er_form: str
    past: str
    participle: str
    auxiliary: str  # "haben" or "sein"
    subjects: tuple[str, ...] = ("person",)
    aspect: str = "action"  # "action", "moment" or "state"
    accusative: Role | None = None
    dative: Role | None = None
    complement: Role | None = None
    places: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Adjective:
    """An adjective; `comparative` is empty where it is not used for comparing."""

    english: str
    german: str
    comparative: str
    classes: frozenset[str]


@dataclass(frozen=True, kw_only=True)
class Determiner:
    """An article or a word in its place; `kind` decides the endings (see `german`)."""

    english: str
    german: str
    kind: str


@dataclass(frozen=True, kw_only=True)
class Modal:
    """A modal verb, or the future auxiliary; `link` stands before the English infinitive."""

    english: str
    english_past: str
    link: str
    er_form: str
    plural: str
    past: str

    @property
    def is_auxiliary(self) -> bool:
        """Whether English negates and inverts it without "do"."""
        return self.english in ("can", "should", "would", "will")


def rows(table: str) -> list[list[str]]:
    """Split a table into lines, an indented one going on, and at lone bars into columns."""
    lines = re.sub(r"\n +", " ", table).strip().split("\n")
    return [[column.strip() for column in re.split(r"\s\|(?:\s|$)", line)] for line in lines]


def translations(table: str) -> list[tuple[str, str]]:
    """Read `english = german` entries, separated by commas or line ends."""
    entries = [entry for entry in re.split(r"[,\n]", table) if entry.strip()]
    pairs = [entry.split("=") for entry in entries]
    return [(english.strip(), german.strip()) for english, german in pairs]


def regular_plural(noun: str) -> str:
    """Add the regular English plural ending."""
    return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


def _noun(line: str, semantic_class: str) -> Noun:
    english, rest = re.split(r"\s+(?=(?:der|die|das) )", line, maxsplit=1)
    forms, *tags = re.split(r"\s+\+", rest)
    singular, _, plural = english.partition("/")
    article, lemma = forms.split(",")[0].split()
    inflected = [form.strip() for form in forms.split(",")[1:]]
    return Noun(
        english=singular,
        english_plural=plural or regular_plural(singular),
        gender={"der": "m", "die": "f", "das": "n"}[article],
        german=lemma,
        genitive=lemma if article == "die" else inflected[0],
        german_plural=inflected[-1],
        classes=frozenset([semantic_class, singular, *(tag.strip() for tag in tags)]),
    )


def _nouns() -> list[Noun]:
    nouns, semantic_class = [], ""
    for line in NOUN_TABLE.strip().split("\n"):
        if line.startswith("#"):
            semantic_class = line[1:].strip()
        elif line.strip():
            nouns.append(_noun(line, semantic_class))
    return nouns


def _verb(columns: list[str]) -> Verb:
    base, *irregular = columns[0].split(", ")
    head, _, particle = base.partition(" ")
    past = irregular[0] if irregular else _regular_past(head)
    infinitive, er_form, german_past, perfect = columns[1].split(", ")
    prefix = infinitive.partition("|")[0] if "|" in infinitive else ""
    return Verb(
        english=head,
        english_past=past,
        english_participle=irregular[-1] if irregular else past,
        particle=particle,
        infinitive=infinitive.replace("|", ""),
        prefix=prefix,
        er_form=er_form,
        past=german_past,
        participle=perfect.split()[1],
        auxiliary={"hat": "haben", "ist": "sein"}[perfect.split()[0]],
        **_roles(columns[2]),
    )


def _regular_past(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    return verb[:-1] + "ied" if re.search("[^aeiou]y$", verb) else verb + "ed"


def _roles(column: str) -> dict:
    found: dict = {}
    for item in re.split(r"\s+(?=(?:sub|acc|dat|prep|place)=)", column):
        key, *values = item.split("=")
        classes = tuple(values[-1].split(",")) if values else ()
        if key in ("", "state", "moment"):
            found["aspect"] = key or "action"
        elif key in ("sub", "place"):
            found["subjects" if key == "sub" else "places"] = classes
        elif key == "prep":
            english, german, case = values[0].split(":")
            case = {"acc": "accusative", "dat": "dative"}[case]
            found["complement"] = Role(english=english, german=german, case=case, classes=classes)
        else:
            name = {"acc": "accusative", "dat": "dative"}[key]
            found[name] = Role(case=name, classes=classes)
    return found


def _adjective(columns: list[str]) -> Adjective:
    german, _, comparative = columns[1].partition(", ")
    classes = frozenset(columns[2].split())
    return Adjective(english=columns[0], german=german, comparative=comparative, classes=classes)


def _modal(columns: list[str]) -> Modal:
    english, past, link = (columns[0] + ", ").split(",")[:3]
    er_form, plural, german_past = columns[1].split(",")
    return Modal(
        english=english.strip(),
        english_past=past.strip(),
        link=link.strip(),
        er_form=er_form.strip(),
        plural=plural.strip(),
        past=german_past.strip(),
    )


def verbs(table: str) -> list[Verb]:
    """Read a table of verbs."""
    return [_verb(columns) for columns in rows(table)]


NOUNS = _nouns()
VERBS = verbs(VERB_TABLE)
ADJECTIVES = [_adjective(columns) for columns in rows(words.ADJECTIVE_TABLE)]
MODALS = {modal.english: modal for modal in map(_modal, rows(words.MODAL_TABLE))}
DETERMINERS = {
    english: Determiner(english=english, german=german, kind=kind)
    for english, german, kind in rows(words.DETERMINER_TABLE)
}
