"""The synchronous rules: each builds one abstract sentence and realises it in both languages."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from deepmt.data.grammar import english, german, words
from deepmt.data.grammar.choices import IT, NOUNS_OF, PRONOUNS, TOWNS, Chooser, pronoun_for
from deepmt.data.grammar.lexicon import (
    ADJECTIVES,
    DETERMINERS,
    MODALS,
    VERBS,
    Adjective,
    Noun,
    Verb,
    translations,
    verbs,
)
from deepmt.data.grammar.phrases import (
    Clause,
    Fixed,
    Gap,
    Name,
    Nominal,
    NounPhrase,
    Prepositional,
    Relative,
)

Sides = tuple[str, str]  # English, German

SAYING, TRYING = verbs(words.SAYING_TABLE), verbs(words.TRYING_TABLE)
WEATHER = verbs(words.WEATHER_TABLE)
(BE,), (COST,) = verbs(words.BE_TABLE), verbs(words.COST_TABLE)
MOODS = [a for a in ADJECTIVES if a.english in ("tired", "hungry", "sick", "sad", "happy")]
WEATHER_ADJECTIVES = translations("cold = kalt, warm = warm, dark = dunkel, too hot = zu heiß")
DEGREES = translations(" = , very = sehr, too = zu")
TENS = translations(words.TENS)
ONES = [("one", "ein"), *translations(words.NUMBERS)[:8]]


class Writer(Chooser):
    """Writes one random sentence at a time, in English and German."""

    def sentence(self) -> Sides:
        """Draw a rule and finish its two sides: spacing, commas, capital letter."""
        rules = list(RULES)
        rule = self.random.choices(rules, [RULES[rule] for rule in rules])[0]
        in_english, in_german = rule(self)
        return finish(in_english), finish(in_german)

    def declarative(self) -> Sides:
        """Draw a rule that makes a statement."""
        rules = list(STATEMENTS)
        return self.random.choices(rules, [STATEMENTS[rule] for rule in rules])[0](self)

    def statement(self) -> Sides:
        """A main clause of any kind."""
        return _main(self.clause())

    def one_declarative(self) -> Sides:
        """A statement with its full stop."""
        return _end(self.declarative(), ".")

    def coordination(self) -> Sides:
        """Two statements: "..., but ...", "... and ..."."""
        first, second = self.declarative(), self.declarative()
        if self.chance(0.2):
            first = _join(first, (",", ","), self.statement())
        link = ("and", "und") if self.chance(0.6) else (", but", ", aber")
        return _end(_join(first, link, second), ".")

    def shared_subject(self) -> Sides:
        """One subject, two predicates: "Anna opened the door and went into the kitchen"."""
        subject = self.subject()
        first = self.event(subject, self.action())
        second = self.bare_clause(Gap(agreement=subject.agreement), self.action())
        second = replace(second, tense=first.tense, modal=first.modal)
        return _join(_main(first), ("and", "und"), _main(second))

    def it(self) -> Sides:
        """A pronoun that agrees with its noun: "found a key and gave it to ..."."""
        subject = self.subject()
        first_verb = self._verb_named("buy", "find")
        second_verb = self.pick([v for v in VERBS if v.accusative and v.dative])
        noun = self.noun(["thing", "flat"])
        found = NounPhrase(
            noun=noun, determiner=DETERMINERS["a"], adjectives=self.adjectives(noun, 0.5)
        )
        first = Clause(subject=subject, verb=first_verb, tense="past", accusative=found)
        second = self.bare_clause(Gap(agreement=subject.agreement), second_verb)
        second = replace(second, accusative=IT[noun.gender])
        return _join(_main(first), ("and", "und"), _main(second))

    def copula(self) -> Sides:
        """ "The old car is very expensive"."""
        return _main(self.copula_clause())

    def copula_clause(self) -> Clause:
        """Say of a person, thing or place what it is like."""
        subject = self.subject() if self.chance(0.4) else self._described()
        tense = self.random.choice(["present", "past"])
        if not isinstance(subject, NounPhrase):
            return self._with_mood(subject, tense)
        fitting = [a for a in ADJECTIVES if a.classes & subject.noun.classes]
        subject = replace(subject, adjectives=()) if self.chance(0.7) else subject
        adjective = self.pick([a for a in fitting if a not in subject.adjectives])
        clause = self._predicate(subject, tense, adjective, self._degree(adjective))
        return replace(clause, negated=subject.is_definite and self.chance(0.15))

    def _described(self) -> Nominal:
        described = ["thing", "text", "clothing", "site", "room", "animal", "vehicle", "device"]
        return self.phrase(described, definite=True)

    def _with_mood(self, subject: Nominal, tense: str) -> Clause:
        adjective = self.pick(MOODS)
        degree = self.random.choice(DEGREES[:2])
        return self._predicate(subject, tense, adjective, degree)

    def _predicate(
        self, subject: Nominal, tense: str, adjective: Adjective, degree: Sides
    ) -> Clause:
        predicate = Fixed(
            english=f"{degree[0]} {adjective.english}".strip(),
            german=f"{degree[1]} {adjective.german}".strip(),
        )
        return Clause(subject=subject, verb=BE, tense=tense, complement=predicate)

    def _degree(self, adjective: Adjective) -> Sides:
        return self.random.choice(DEGREES if adjective.comparative else DEGREES[:1])

    def comparison(self) -> Sides:
        """ "The dog is bigger than the cat"."""
        adjective = self.pick([a for a in ADJECTIVES if a.comparative and _comparable(a)])
        semantic_class = self.random.choice(_comparable(adjective))
        nouns = self.random.sample(NOUNS_OF[semantic_class], 2)
        phrases = (self.noun_phrase(noun, definite=True) for noun in nouns)
        first, second = (replace(phrase, adjectives=()) for phrase in phrases)
        than = Prepositional(
            english=f"{english.comparative(adjective.english)} than",
            german=f"{adjective.comparative} als",
            case="nominative",
            nominal=second,
        )
        tense = self.random.choice(["present", "past"])
        return _main(Clause(subject=first, verb=BE, tense=tense, complement=than))

    def passive(self) -> Sides:
        """ "The letter was written by my brother"."""
        fitting = [v for v in VERBS if v.accusative and v.aspect == "action" and not v.dative]
        verb = self.pick([v for v in fitting if v.particle not in ("for", "at")])
        assert verb.accusative
        subject = self.phrase(verb.accusative.classes, definite=True)
        clause = Clause(subject=subject, verb=verb, tense="past", passive=True)
        agent = Prepositional(
            english="by", german="von", case="dative", nominal=self.person(definite=True)
        )
        return _main(self._timed(replace(clause, complement=agent), "past", 0.4))

    def existence(self) -> Sides:
        """ "There are three churches in Vienna"."""
        noun = self.noun(["site", "animal", "thing"])
        number, plural = self.number(), self.chance(0.7)
        word = self.random.choice(["many", "some", ""]) if plural else "a"
        phrase = NounPhrase(
            noun=noun,
            plural=plural,
            determiner=DETERMINERS[word] if word else None,
            number=None if word else number,
            adjectives=self.adjectives(noun),
        )
        place = self.location(
            ["town", "settlement"] if "site" in noun.classes else ["site", "room"]
        )
        past = self.chance(0.4)
        be = english.BE["past" if past else "present"][phrase.agreement]
        gibt = "gab" if past else "gibt"
        what, was = english.nominal(phrase), german.nominal(phrase, "accusative")
        where, wo = english.adverbial(place), german.adverbial(place)
        if self.chance(0.5):
            return f"{where} there {be} {what}", f"{wo} {gibt} es {was}"
        return f"there {be} {what} {where}", f"es {gibt} {wo} {was}"

    def price(self) -> Sides:
        """ "The hat costs 3.50 euros", with a decimal comma in German."""
        noun = self.noun(["thing", "text", "clothing", "food", "device"])
        subject = self.noun_phrase(noun, definite=True)
        amount = f"{self.random.randint(2, 30)}"
        cents = self.random.choice(["", "", ".50"])
        price = Fixed(
            english=f"{amount}{cents} euros", german=f"{amount}{cents} Euro".replace(".", ",")
        )
        return _main(Clause(subject=subject, verb=COST, tense="present", complement=price))

    def age(self) -> Sides:
        """ "Anna is twenty-three years old", "dreiundzwanzig" in German."""
        (one, ein), (ten, zehn) = self.pick(ONES), self.random.choice(TENS)
        years = Fixed(english=f"{ten}-{one} years old", german=f"{ein}und{zehn} Jahre alt")
        subject = self.singular_person()
        return _main(Clause(subject=subject, verb=BE, tense="present", complement=years))

    def birth(self) -> Sides:
        """ "Anna was born in Vienna in the year 1987"."""
        person, year = self.singular_person(), self.random.randint(1930, 2020)
        town = self.pick(TOWNS)
        who, wer = english.nominal(person), german.nominal(person, "nominative")
        return (
            f"{who} was born in {town.english} in the year {year}",
            f"{wer} wurde im Jahr {year} in {town.german} geboren",
        )

    def because(self) -> Sides:
        """ "Anna stayed at the hotel because she was tired"."""
        subject = self.singular_person()
        tense = self.random.choice(["past", "past", "progressive"])
        clause = self.clause(tense=tense, subject=subject, verb=self.action())
        return _attach(
            _main(clause), ("because", ", weil"), _subordinate(self._reason(subject, tense))
        )

    def although(self) -> Sides:
        """ "Although Anna was tired, she wrote a letter": the main clause starts with its verb."""
        subject = self.singular_person()
        first = self._reason(subject, "past", pronoun=False)
        second = self.bare_clause(pronoun_for(subject), self.action())
        return _after("although", "obwohl", first, second)

    def _reason(self, subject: NounPhrase | Name, tense: str, *, pronoun: bool = True) -> Clause:
        tense = "past" if tense == "past" else "present"
        who = pronoun_for(subject) if pronoun else subject
        kind = self.random.choice(["mood", "wish", "wish", "weather"])
        if kind == "mood" or (kind == "wish" and not pronoun):
            return self._with_mood(who, tense)
        if kind == "wish":
            modal = MODALS[self.random.choice(["want", "have"])]
            return replace(self.bare_clause(who, self.action()), tense=tense, modal=modal)
        return self._weather(tense) if pronoun else self._with_mood(who, tense)

    def _weather(self, tense: str) -> Clause:
        subject = IT["n"]
        if self.chance(0.5):
            simple = "past" if tense == "past" else "progressive"
            return Clause(subject=subject, verb=self.random.choice(WEATHER), tense=simple)
        word, wort = self.random.choice(WEATHER_ADJECTIVES)
        predicate = Fixed(english=word, german=wort)
        return Clause(subject=subject, verb=BE, tense=tense, complement=predicate)

    def condition(self) -> Sides:
        """ "If it rains, Anna will stay in the hotel"."""
        if self.chance(0.4):
            first = replace(self._weather("present"), tense="present")
        else:
            first = self.bare_clause(self.subject(), self.action(), "present")
        second = self.clause(tense="future", verb=self.action())
        return _after("if", "wenn", first, replace(second, time_first=False))

    def past_event(self) -> Sides:
        """ "When Anna arrived, Peter opened the door"."""
        first = self.bare_clause(self.subject(), self.verb(aspects=["moment"]))
        return _after("when", "als", first, self.bare_clause(self.subject(), self.action()))

    def report(self) -> Sides:
        """ "Anna says that ..."."""
        verb = self.random.choice(SAYING)
        past = self.chance(0.5)
        tense = "past" if past else self.random.choice(["past", "perfect", "future", "progressive"])
        outer = Clause(subject=self.subject(), verb=verb, tense="past" if past else "present")
        inner = replace(self.clause(tense=tense), time_first=False)
        inner = replace(inner, time=None) if inner.negated else inner
        return _attach(_main(outer), ("that", ", dass"), _subordinate(inner))

    def indirect_question(self) -> Sides:
        """ "I do not know whether ..."."""
        outer = Clause(subject=self.subject(), verb=SAYING[1], tense="present", negated=True)
        word = self.random.choice([("whether", ", ob"), ("why", ", warum"), ("when", ", wann")])
        inner = self.event(self.subject(), self.action())
        if inner.tense == "perfect":  # English "when" refuses it
            inner = replace(inner, tense="past")
        return _attach(_main(outer), word, _subordinate(inner))

    def attempt(self) -> Sides:
        """ "Anna tries to open the door": "zu" inside the separable verb."""
        verb = self.pick(TRYING)
        outer = Clause(subject=self.subject(), verb=verb, tense=self._simple_tense())
        inner = self.bare_clause(outer.subject, self.action())
        return _attach(_main(outer), ("", ","), _infinitive(inner))

    def purpose(self) -> Sides:
        """ "Anna went to the school to pick up her son"."""
        verb = self._verb_named("go", "drive", "travel", "fly")
        outer = self.bare_clause(self.subject(), verb)
        inner = self.bare_clause(outer.subject, self.verb(role="accusative", aspects=["action"]))
        return _attach(_main(outer), ("", ", um"), _infinitive(inner))

    def relative_subject(self) -> Sides:
        """ "The man who lives in Berlin bought a hat"."""
        noun = self.noun(["stranger"])
        verb = self.pick([v for v in VERBS if "person" in v.subjects])
        gap = Gap()
        inner = self.event(gap, verb)
        head = self._head(noun, Relative(clause=inner, role="nominative"))
        if self.chance(0.3):
            return _main(self._with_mood(head, "past"))
        return _main(self.event(head, self.action()))

    def relative_object(self) -> Sides:
        """ "Anna read the book that Peter bought"."""
        outer_verb = self.pick([v for v in VERBS if _takes_relative(v)])
        assert outer_verb.accusative
        fitting: list[Verb] = []
        while not fitting:
            noun = self.noun(_strangers(outer_verb.accusative.classes))
            fitting = [
                v for v in VERBS if _takes(v, noun) and v.infinitive != outer_verb.infinitive
            ]
        verb = self.pick(fitting)
        inner = replace(self.event(self.subject(), verb), accusative=Gap())
        head = self._head(noun, Relative(clause=inner, role="accusative"))
        outer = self.bare_clause(self.subject(), outer_verb)
        return _main(replace(outer, accusative=head))

    def relative_preposition(self) -> Sides:
        """ "The house in which we live is old"."""
        verb = self._verb_named("wait", "dance", "talk", "live", "think", "work")
        role = verb.complement
        assert role
        noun = self.noun(_strangers([n for n in role.classes if n in ("person", "home", "site")]))
        complement = Prepositional(
            english=role.english, german=role.german, case=role.case, nominal=Gap()
        )
        inner = replace(self.event(self.subject(), verb), complement=complement)
        head = self._head(noun, Relative(clause=inner, role="complement"))
        adjective = self.pick([a for a in ADJECTIVES if a.classes & noun.classes])
        return _main(self._predicate(head, "present", adjective, self._degree(adjective)))

    def _head(self, noun: Noun, relative: Relative) -> NounPhrase:
        return NounPhrase(
            noun=noun,
            determiner=DETERMINERS["the"],
            adjectives=self.adjectives(noun, 0.2),
            relative=relative,
        )

    def question(self) -> Sides:
        """ "Does Anna often read the newspaper?"."""
        clause = replace(self.clause(), negated=False, time_first=False)
        return _end(_question(clause), "?")

    def open_question(self) -> Sides:
        """ "Where does Anna live?", "Whom", "what", "which book", "why" and "when"."""
        kind = self.random.choice([self._why, self._where, self._who, self._whom, self._what])
        return _end(kind(), "?")

    def _why(self) -> Sides:
        clause = self.bare_clause(self.subject(), self.action(), self._simple_tense())
        return _question(clause, *self.random.choice([("why", "warum"), ("when", "wann")]))

    def _where(self) -> Sides:
        prepositions = {"in": "wo", "zu": "wohin", "nach": "wohin"}
        fitting = [v for v in VERBS if v.complement and v.complement.german in prepositions]
        verb = self.pick([v for v in fitting if v.infinitive != "gehen"])
        assert verb.complement
        clause = self.bare_clause(self.subject(), verb, self._simple_tense())
        word = prepositions[verb.complement.german]
        return _question(replace(clause, complement=None), "where", word)

    def _who(self) -> Sides:
        return _main(self.bare_clause(PRONOUNS["who"], self.action()))

    def _whom(self) -> Sides:
        fitting = [v for v in VERBS if not (v.accusative and v.dative)]
        verb = self.pick([v for v in fitting if _takes_person(v)])
        clause = self.bare_clause(self.subject(), verb)
        if verb.accusative:
            return _question(replace(clause, accusative=Gap()), "who", "wen")
        return _question(replace(clause, dative=Gap()), "who", "wem")

    def _what(self) -> Sides:
        verb = self.pick([v for v in VERBS if v.accusative and not _takes_person(v)])
        assert verb.accusative
        clause = replace(self.bare_clause(self.subject(), verb), accusative=Gap())
        if self.chance(0.5):
            return _question(clause, "what", "was")
        noun = self.noun(verb.accusative.classes)
        which = NounPhrase(noun=noun, determiner=DETERMINERS["which"])
        return _question(clause, english.nominal(which), german.nominal(which, "accusative"))

    def request(self) -> Sides:
        """ "Please open the window": "Bitte machen Sie das Fenster auf"."""
        verb = self.action()
        while verb.infinitive == "sitzen":  # a request would need "sich setzen"
            verb = self.action()
        clause = self.bare_clause(PRONOUNS["you"], verb, "present")
        return _end((f"please {english.imperative(clause)}", german.question(clause, "bitte")), ".")

    def event(self, subject: Nominal, verb: Verb) -> Clause:
        """Choose a clause without adverbials: a state, what happened, or what had to be done."""
        if verb.aspect == "state":
            return self.bare_clause(subject, verb, "present")
        clause = self.bare_clause(subject, verb)
        kind = self.random.choice(["past", "perfect", "modal", "modal"])
        if kind == "modal" and verb.aspect == "action":
            return replace(clause, modal=MODALS[self.random.choice(["can", "have", "want"])])
        return replace(clause, tense="perfect" if kind == "perfect" else "past")

    def action(self) -> Verb:
        """Choose a verb that a person does."""
        verb = self.verb(aspects=["action"])
        while "person" not in verb.subjects:
            verb = self.verb(aspects=["action"])
        return verb

    def _verb_named(self, *names: str) -> Verb:
        named = [v for v in VERBS if v.english in names and v.particle in ("", "along")]
        return self.pick(named)

    def _simple_tense(self) -> str:
        return "past" if self.chance(0.7) else "present"


def _comparable(adjective: Adjective) -> list[str]:
    """List the classes of which two nouns can be compared by the adjective."""
    return [name for name in sorted(adjective.classes) if len(NOUNS_OF[name]) > 1]


def _strangers(classes: Sequence[str]) -> list[str]:
    """Replace persons by those whom "the" can introduce."""
    return ["stranger" if name == "person" else name for name in classes]


def _takes(verb: Verb, noun: Noun) -> bool:
    return verb.accusative is not None and bool(noun.classes & set(verb.accusative.classes))


def _takes_person(verb: Verb) -> bool:
    role = verb.accusative or verb.dative
    return role is not None and role.classes[0] == "person"


def _takes_relative(verb: Verb) -> bool:
    """Whether a relative clause can end the clause: no prefix or complement comes after it."""
    return bool(verb.accusative) and not (verb.prefix or verb.complement or verb.dative)


def _main(clause: Clause) -> Sides:
    return english.main(clause), german.main(clause)


def _question(clause: Clause, word: str = "", wort: str = "") -> Sides:
    return english.question(clause, word), german.question(clause, wort)


def _subordinate(clause: Clause) -> Sides:
    return english.main(clause), german.subordinate(clause)


def _infinitive(clause: Clause) -> Sides:
    return english.infinitive(clause), german.infinitive(clause)


def _after(word: str, wort: str, first: Clause, second: Clause) -> Sides:
    """Put a subordinate clause first; it takes the first place before the German verb."""
    return (
        f"{word} {english.main(first)} , {english.main(second)}",
        f"{wort} {german.subordinate(first)} , {german.question(second)}",
    )


def _join(first: Sides, link: Sides, second: Sides) -> Sides:
    left, right = (german.join([*parts]) for parts in zip(first, link, second, strict=True))
    return left, right


def _attach(first: Sides, link: Sides, second: Sides) -> Sides:
    """Put a subordinate clause last, between commas in German; `finish` drops a needless one."""
    left, right = _join(first, link, second)
    return left, f"{right} ,"


def _end(sides: Sides, mark: str) -> Sides:
    return f"{sides[0]} {mark}", f"{sides[1]} {mark}"


def finish(text: str) -> str:
    """Drop commas that meet another mark, attach the marks, capitalise the first letter."""
    text = re.sub(r"(?: ,)+(?= [,.?])", "", text)
    text = re.sub(r" ([,.?])", r"\1", text)
    return text[0].upper() + text[1:]


Rule = Callable[[Writer], Sides]

# How often each rule is drawn among the statements, and among all sentences.
STATEMENTS: dict[Rule, int] = {
    Writer.statement: 17,
    Writer.copula: 6,
    Writer.comparison: 3,
    Writer.passive: 4,
    Writer.existence: 3,
    Writer.price: 2,
    Writer.age: 1,
    Writer.birth: 1,
    Writer.shared_subject: 4,
    Writer.it: 3,
    Writer.because: 9,
    Writer.although: 4,
    Writer.condition: 5,
    Writer.past_event: 4,
    Writer.report: 9,
    Writer.indirect_question: 4,
    Writer.attempt: 5,
    Writer.purpose: 4,
    Writer.relative_subject: 7,
    Writer.relative_object: 5,
    Writer.relative_preposition: 2,
}
RULES: dict[Rule, int] = {
    Writer.one_declarative: 62,
    Writer.coordination: 9,
    Writer.question: 7,
    Writer.open_question: 6,
    Writer.request: 3,
}
