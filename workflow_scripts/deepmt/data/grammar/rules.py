"""Write sentences by synchronous rules: each realises one abstract sentence in both languages."""

import re
from collections.abc import Sequence
from dataclasses import replace

from deepmt.data.grammar import english, german, lexicon
from deepmt.data.grammar.choices import Chooser, prepositional
from deepmt.data.grammar.lexicon import ADJECTIVES, BE, DETERMINERS, IT, MODALS, NOUNS_OF, PRONOUNS
from deepmt.data.grammar.phrases import (
    GAP,
    NOTHING,
    Adjective,
    Clause,
    Fixed,
    Name,
    Nominal,
    Noun,
    NounPhrase,
    Relative,
    Verb,
    conjugated,
    join,
)

Parts = list[Fixed]
"""A sentence in pieces of English and German, in the order in which they are joined."""

MOODS = [adjective for adjective in ADJECTIVES if adjective.english in lexicon.WORDS["moods"]]
AND, COMMA, STOP, QUESTION = (
    Fixed(*words) for words in (("and", "und"), ("", ","), (".", "."), ("?", "?"))
)


class Writer(Chooser):
    """Write one random sentence at a time, in English and German."""

    def sentence(self) -> tuple[str, str]:
        """Draw a rule and finish its two sides: spacing, commas, capital letter."""
        in_english, in_german = zip(*self._draw("sentences"), strict=True)
        return finish(join(in_english)), finish(join(in_german))

    def _draw(self, kind: str) -> Parts:
        """Draw a rule of a kind by the weights in words.yaml, and apply it."""
        weights = lexicon.WORDS[kind]
        rule = self.random.choices(list(weights), list(weights.values()))[0]
        parts: Parts = getattr(self, rule)()
        return parts

    def one_statement(self) -> Parts:
        """Write a statement with its full stop."""
        return [*self._draw("statements"), STOP]

    def coordination(self) -> Parts:
        """Write two statements: "..., but ...", "... and ..."."""
        first, second = self._draw("statements"), self._draw("statements")
        if self.chance(0.2):
            first = [*first, Fixed(",", ","), *self.plain()]
        link = AND if self.chance(0.6) else Fixed(", but", ", aber")
        return [*first, link, *second, STOP]

    def plain(self) -> Parts:
        """Write a main clause of any kind."""
        return [main(self.clause())]

    def shared_subject(self) -> Parts:
        """Write two predicates of one subject: "Anna opened the door and went home"."""
        subject = self.subject()
        first = self._event(subject, self._action())
        second = self.bare_clause(replace(GAP, agreement=subject.agreement), self._action())
        return [main(first), AND, main(replace(second, tense=first.tense, modal=first.modal))]

    def it(self) -> Parts:
        """Write a pronoun that agrees with its noun: "found a key and gave it to ..."."""
        subject = self.subject()
        first_verb = self._verb_named("buy", "find")
        second_verb = self.verb(lambda verb: verb.accusative and verb.dative)
        noun = self.noun(["thing", "flat"])
        found = NounPhrase(noun, DETERMINERS["a"], adjectives=self.adjectives(noun, 0.5))
        first = Clause(subject, first_verb, "past", accusative=found)
        second = self.bare_clause(replace(GAP, agreement=subject.agreement), second_verb)
        return [main(first), AND, main(replace(second, accusative=IT[noun.gender]))]

    def copula(self) -> Parts:
        """Write "The old car is very expensive"."""
        things = ["thing", "text", "clothing", "site", "room", "animal", "vehicle", "device"]
        subject = self.subject() if self.chance(0.4) else self.phrase(things, definite=True)
        tense = self.random.choice(["present", "past"])
        if isinstance(subject, Name):
            return [main(self._with_mood(subject, tense))]
        fitting = [word for word in ADJECTIVES if word.classes & subject.noun.classes]
        subject = replace(subject, adjectives=()) if self.chance(0.7) else subject
        adjective = self.pick([word for word in fitting if word not in subject.adjectives])
        clause = self._described(subject, tense, adjective, degrees(adjective))
        return [main(replace(clause, negated=subject.is_definite and self.chance(0.15)))]

    def _with_mood(self, subject: Nominal, tense: str) -> Clause:
        return self._described(subject, tense, self.pick(MOODS), lexicon.DEGREES[:2])

    def _described(
        self, subject: Nominal, tense: str, adjective: Adjective, degrees: list[Fixed]
    ) -> Clause:
        very, sehr = self.random.choice(degrees)
        described = Fixed(join([very, adjective.english]), join([sehr, adjective.german]))
        return Clause(subject, BE, tense, described)

    def comparison(self) -> Parts:
        """Write "The dog is bigger than the cat"."""
        adjective = self.pick([w for w in ADJECTIVES if w.comparative and comparable(w)])
        nouns = self.random.sample(NOUNS_OF[self.random.choice(comparable(adjective))], 2)
        first, second = (
            replace(self.noun_phrase(noun, definite=True), adjectives=()) for noun in nouns
        )
        than = (f"{adjective.comparative} than", f"{adjective.german_comparative} als")
        tense = self.random.choice(["present", "past"])
        return [main(Clause(first, BE, tense, prepositional(*than, "nominative", second)))]

    def passive(self) -> Parts:
        """Write "The letter was written by my brother"."""
        actions = [v for v in lexicon.VERBS if v.aspect == "action" and v.accusative]
        verb = self.pick([v for v in actions if not v.dative and v.particle not in ("for", "at")])
        subject = self.phrase(verb.accusative, definite=True)
        agent = prepositional("by", "von", "dative", self.person(definite=True))
        clause = Clause(subject, verb, "past", agent, passive=True)
        return [main(self.timed(clause, "past", 0.4))]

    def existence(self) -> Parts:
        """Write "There are three churches in Vienna"."""
        noun = self.noun(["site", "animal", "thing"])
        number, plural = self.pick(lexicon.NUMBERS), self.chance(0.7)
        word = self.random.choice(["many", "some", ""]) if plural else "a"
        phrase = NounPhrase(noun, DETERMINERS.get(word), plural, adjectives=self.adjectives(noun))
        phrase = phrase if word else replace(phrase, number=number)
        is_site = "site" in noun.classes
        where, wo = self.location(["town", "settlement"] if is_site else ["site", "room"])
        tense, gibt = ("past", "gab") if self.chance(0.4) else ("present", "gibt")
        there = f"there {conjugated(BE.english, Clause(phrase, BE, tense))}"
        what, was = english.nominal(phrase), german.nominal(phrase, "accusative")
        if self.chance(0.5):
            return [Fixed(f"{where} {there} {what}", f"{wo} {gibt} es {was}")]
        return [Fixed(f"{there} {what} {where}", f"es {gibt} {wo} {was}")]

    def price(self) -> Parts:
        """Write "The hat costs 3.50 euros", with a decimal comma in German."""
        noun = self.noun(["thing", "text", "clothing", "food", "device"])
        subject = self.noun_phrase(noun, definite=True)
        amount = f"{self.random.randint(2, 30)}" + self.random.choice(["", "", ".50"])
        price = Fixed(f"{amount} euros", f"{amount} Euro".replace(".", ","))
        return [main(Clause(subject, lexicon.COST, "present", price))]

    def age(self) -> Parts:
        """Write "Anna is twenty-three years old", "dreiundzwanzig" in German."""
        (one, ein), (ten, zehn) = self.pick(lexicon.ONES), self.random.choice(lexicon.TENS)
        years = Fixed(f"{ten}-{one} years old", f"{ein}und{zehn} Jahre alt")
        person, _ = self.man_or_woman()
        return [main(Clause(person, BE, "present", years))]

    def birth(self) -> Parts:
        """Write "Anna was born in Vienna in the year 1987"."""
        (person, _), year = self.man_or_woman(), self.random.randint(1930, 2020)
        town = self.pick(lexicon.TOWNS)
        who, wer = english.nominal(person), german.nominal(person, "nominative")
        born = f"{who} was born in {english.nominal(town)} in the year {year}"
        geboren = f"{wer} wurde im Jahr {year} in {german.nominal(town, 'dative')} geboren"
        return [Fixed(born, geboren)]

    def because(self) -> Parts:
        """Write "Anna stayed at the hotel because she was tired"."""
        subject, pronoun = self.man_or_woman()
        tense = self.random.choice(["past", "past", "progressive"])
        clause = self.clause(tense=tense, subject=subject, verb=self._action())
        reason = self._reason(pronoun, "past" if tense == "past" else "present")
        return [main(clause), Fixed("because", ", weil"), subordinate(reason), COMMA]

    def although(self) -> Parts:
        """Write "Although Anna was tired, she slept": the main clause starts with its verb."""
        subject, pronoun = self.man_or_woman()
        first = self._reason(subject, "past")
        return after("although", "obwohl", first, self.bare_clause(pronoun, self._action()))

    def _reason(self, subject: Nominal, tense: str) -> Clause:
        """Give a person's mood as the reason; for a pronoun, also a wish or the weather."""
        kind = self.random.choice(["mood", "wish", "wish", "weather"])
        if kind == "mood" or subject.kind != "pronoun":
            return self._with_mood(subject, tense)
        if kind == "weather":
            return self._weather(tense)
        modal = MODALS[self.random.choice(["want", "have"])]
        return replace(self.bare_clause(subject, self._action(), tense), modal=modal)

    def _weather(self, tense: str) -> Clause:
        if self.chance(0.5):
            simple = "past" if tense == "past" else "progressive"
            return Clause(IT["n"], self.random.choice(lexicon.WEATHER), simple)
        return Clause(IT["n"], BE, tense, self.random.choice(lexicon.WEATHER_ADJECTIVES))

    def condition(self) -> Parts:
        """Write "If it rains, Anna will stay in the hotel"."""
        if self.chance(0.4):
            first = replace(self._weather("present"), tense="present")
        else:
            first = self.bare_clause(self.subject(), self._action(), "present")
        second = self.clause(tense="future", verb=self._action())
        return after("if", "wenn", first, replace(second, time_first=False))

    def past_event(self) -> Parts:
        """Write "When Anna arrived, Peter opened the door"."""
        moment = self.bare_clause(self.subject(), self.verb(lambda verb: verb.aspect == "moment"))
        return after("when", "als", moment, self.bare_clause(self.subject(), self._action()))

    def report(self) -> Parts:
        """Write "Anna says that ..."."""
        verb = self.random.choice(lexicon.SAYING)
        past = self.chance(0.5)
        tense = "past" if past else self.random.choice(["past", "perfect", "future", "progressive"])
        outer = Clause(self.subject(), verb, "past" if past else "present")
        inner = replace(self.clause(tense=tense), time_first=False)
        inner = replace(inner, time=NOTHING) if inner.negated else inner
        return [main(outer), Fixed("that", ", dass"), subordinate(inner), COMMA]

    def indirect_question(self) -> Parts:
        """Write "I do not know whether ..."."""
        outer = Clause(self.subject(), lexicon.SAYING[1], "present", negated=True)
        word = self.random.choice([("whether", ", ob"), ("why", ", warum"), ("when", ", wann")])
        inner = self._event(self.subject(), self._action())
        if inner.tense == "perfect":  # English "when" refuses it
            inner = replace(inner, tense="past")
        return [main(outer), Fixed(*word), subordinate(inner), COMMA]

    def attempt(self) -> Parts:
        """Write "Anna tries to open the door": "zu" inside the separable verb."""
        verb = self.pick(lexicon.TRYING)
        outer = Clause(self.subject(), verb, self._simple_tense())
        inner = self.bare_clause(outer.subject, self._action())
        return [main(outer), Fixed("to", ","), infinitive(inner), COMMA]

    def purpose(self) -> Parts:
        """Write "Anna went to the school to pick up her son"."""
        verb = self._verb_named("go", "drive", "travel", "fly")
        outer = self.bare_clause(self.subject(), verb)
        deed = self.verb(lambda verb: verb.accusative and verb.aspect == "action")
        inner = self.bare_clause(outer.subject, deed)
        return [main(outer), Fixed("to", ", um"), infinitive(inner), COMMA]

    def relative_subject(self) -> Parts:
        """Write "The man who lives in Berlin bought a hat"."""
        noun = self.noun(["stranger"])
        inner = self._event(GAP, self.verb(lambda verb: "person" in verb.subjects))
        head = self._head(noun, Relative(inner, "nominative"))
        if self.chance(0.3):
            return [main(self._with_mood(head, "past"))]
        return [main(self._event(head, self._action()))]

    def relative_object(self) -> Parts:
        """Write "Anna read the book that Peter bought"."""
        # German has nothing after the relative clause: no prefix, no complement.
        outer_verb = self.verb(
            lambda verb: verb.accusative and not (verb.prefix or verb.complement or verb.dative)
        )
        fitting: list[Verb] = []
        while not fitting:
            noun = self.noun(strangers(outer_verb.accusative))
            taking = [verb for verb in lexicon.VERBS if noun.classes.intersection(verb.accusative)]
            fitting = [verb for verb in taking if verb.german != outer_verb.german]
        verb = self.pick(fitting)
        inner = replace(self._event(self.subject(), verb), accusative=GAP)
        head = self._head(noun, Relative(inner, "accusative"))
        return [main(replace(self.bare_clause(self.subject(), outer_verb), accusative=head))]

    def relative_preposition(self) -> Parts:
        """Write "The house in which we live is old"."""
        verb = self._verb_named("wait", "dance", "talk", "live", "think", "work")
        noun = self.noun(strangers([c for c in verb.complement if c in ("person", "home", "site")]))
        in_, in_de, case = verb.preposition
        inner = replace(self._event(self.subject(), verb), complement=NOTHING)
        head = self._head(noun, Relative(inner, case, Fixed(in_, in_de)))
        adjective = self.pick([word for word in ADJECTIVES if word.classes & noun.classes])
        return [main(self._described(head, "present", adjective, degrees(adjective)))]

    def _head(self, noun: Noun, relative: Relative) -> NounPhrase:
        adjectives = self.adjectives(noun, 0.2)
        return NounPhrase(noun, DETERMINERS["the"], adjectives=adjectives, relative=relative)

    def question(self) -> Parts:
        """Write "Does Anna often read the newspaper?"."""
        return [question(replace(self.clause(), negated=False, time_first=False)), QUESTION]

    def open_question(self) -> Parts:
        """Write "Where does Anna live?", "Whom", "what", "which book", "why" and "when"."""
        kind = self.random.choice([self._why, self._where, self._who, self._whom, self._what])
        return [kind(), QUESTION]

    def _why(self) -> Fixed:
        clause = self.bare_clause(self.subject(), self._action(), self._simple_tense())
        return question(clause, *self.random.choice([("why", "warum"), ("when", "wann")]))

    def _where(self) -> Fixed:
        words = {"in": "wo", "zu": "wohin", "nach": "wohin"}
        verb = self.verb(lambda v: v.preposition[1] in words and v.german["infinitive"] != "gehen")
        clause = self.bare_clause(self.subject(), verb, self._simple_tense())
        return question(replace(clause, complement=NOTHING), "where", words[verb.preposition[1]])

    def _who(self) -> Fixed:
        return main(self.bare_clause(PRONOUNS["who"], self._action()))

    def _whom(self) -> Fixed:
        verb = self.verb(lambda v: not (v.accusative and v.dative) and takes_person(v))
        clause = self.bare_clause(self.subject(), verb)
        if verb.accusative:
            return question(replace(clause, accusative=GAP), "who", "wen")
        return question(replace(clause, dative=GAP), "who", "wem")

    def _what(self) -> Fixed:
        verb = self.verb(lambda verb: verb.accusative and not takes_person(verb))
        clause = replace(self.bare_clause(self.subject(), verb), accusative=GAP)
        if self.chance(0.5):
            return question(clause, "what", "was")
        which = NounPhrase(self.noun(verb.accusative), DETERMINERS["which"])
        return question(clause, english.nominal(which), german.nominal(which, "accusative"))

    def request(self) -> Parts:
        """Write "Please open the window": "Bitte machen Sie das Fenster auf"."""
        verb = self._action()
        while verb.german["infinitive"] == "sitzen":  # a request would need "sich setzen"
            verb = self._action()
        clause = self.bare_clause(PRONOUNS["you"], verb, "present")
        please = Fixed(f"please {english.imperative(clause)}", german.question(clause, "bitte"))
        return [please, STOP]

    def _event(self, subject: Nominal, verb: Verb) -> Clause:
        """Choose a clause without adverbials: a state, what happened, or what had to be done."""
        if verb.aspect == "state":
            return self.bare_clause(subject, verb, "present")
        clause = self.bare_clause(subject, verb)
        kind = self.random.choice(["past", "perfect", "modal", "modal"])
        if kind == "modal" and verb.aspect == "action":
            return replace(clause, modal=MODALS[self.random.choice(["can", "have", "want"])])
        return replace(clause, tense="perfect" if kind == "perfect" else "past")

    def _action(self) -> Verb:
        """Choose a verb that a person does."""
        while True:
            verb = self.verb(lambda verb: verb.aspect == "action")
            if "person" in verb.subjects:
                return verb

    def _verb_named(self, *names: str) -> Verb:
        return self.verb(lambda v: v.english["infinitive"] in names and v.particle in ("", "along"))

    def _simple_tense(self) -> str:
        return "past" if self.chance(0.7) else "present"


def degrees(adjective: Adjective) -> list[Fixed]:
    """List the words like "very" that an adjective can have before it."""
    return lexicon.DEGREES if adjective.comparative else lexicon.DEGREES[:1]


def comparable(adjective: Adjective) -> list[str]:
    """List the classes with two nouns that the adjective can compare."""
    return [name for name in sorted(adjective.classes) if len(NOUNS_OF[name]) > 1]


def strangers(classes: Sequence[str]) -> list[str]:
    """Replace persons by those whom "the" can introduce."""
    return ["stranger" if name == "person" else name for name in classes]


def takes_person(verb: Verb) -> bool:
    """Check whether the verb's first object is a person."""
    return (verb.accusative or verb.dative or [""])[0] == "person"


def main(clause: Clause) -> Fixed:
    """Realise a main clause."""
    return Fixed(english.main(clause), german.main(clause))


def question(clause: Clause, word: str = "", wort: str = "") -> Fixed:
    """Realise a question, after its question words."""
    return Fixed(english.question(clause, word), german.question(clause, wort))


def subordinate(clause: Clause) -> Fixed:
    """Realise a subordinate clause."""
    return Fixed(english.main(clause), german.subordinate(clause))


def infinitive(clause: Clause) -> Fixed:
    """Realise an infinitive clause, without its "to"."""
    return Fixed(english.imperative(clause), german.infinitive(clause))


def after(word: str, wort: str, first: Clause, second: Clause) -> Parts:
    """Put a subordinate clause first; it takes the first place before the German verb."""
    inverted = Fixed(english.main(second), german.question(second))
    return [Fixed(word, wort), subordinate(first), Fixed(",", ","), inverted]


def finish(text: str) -> str:
    """Drop commas that meet another mark, attach the marks, capitalise the first letter."""
    text = re.sub(r"(?: ,)+(?= [,.?])", "", text)
    text = re.sub(r" ([,.?])", r"\1", text)
    return text[0].upper() + text[1:]
