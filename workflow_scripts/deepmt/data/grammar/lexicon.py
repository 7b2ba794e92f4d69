"""Read the words of the grammar from the YAML files beside this one."""

from pathlib import Path
from typing import Any

import yaml

from deepmt.data.grammar.phrases import Adjective, Determiner, Fixed, Name, Noun, Verb


def _read(name: str) -> Any:
    text = (Path(__file__).parent / f"{name}.yaml").read_text(encoding="utf-8")
    return yaml.load(text, yaml.CSafeLoader)


def pairs(words: dict[str, str]) -> list[Fixed]:
    """Pair English words with their German translations."""
    return [Fixed(*entry) for entry in words.items()]


WORDS, _VERBS = _read("words"), _read("verbs")
NOUNS = [
    Noun(**entry | {"classes": frozenset([entry["english"], *entry["classes"]])})
    for entry in _read("nouns")
]
ADJECTIVES = [
    Adjective(**entry | {"classes": frozenset(entry["classes"])}) for entry in _read("adjectives")
]
DETERMINERS = {word: Determiner(word, **entry) for word, entry in WORDS["determiners"].items()}
VERBS, SAYING, TRYING, WEATHER, (BE,), (COST,), _MODALS = (
    [Verb(**entry) for entry in _VERBS[kind]]
    for kind in ("verbs", "saying", "trying", "weather", "copula", "cost", "modals")
)
MODALS = {verb.english["infinitive"]: verb for verb in _MODALS}
AUXILIARIES = _VERBS["auxiliaries"]
FIRST_NAMES, SURNAMES, TOWNS = (
    [Name(**entry) for entry in WORDS[kind]] for kind in ("first_names", "surnames", "towns")
)
PRONOUNS = {word: Name(**entry, kind="pronoun") for word, entry in WORDS["pronouns"].items()}
IT = {gender: Name(**entry, kind="pronoun") for gender, entry in WORDS["it"].items()}
NUMBERS, WEEKDAYS, ONES, TENS, DEGREES, WEATHER_ADJECTIVES = (
    pairs(WORDS[kind])
    for kind in ("numbers", "weekdays", "ones", "tens", "degrees", "weather_adjectives")
)
TIMES = {kind: pairs(words) for kind, words in WORDS["times"].items()}

NOUNS_OF = {
    name: [noun for noun in NOUNS if name in noun.classes]
    for name in {name for noun in NOUNS for name in noun.classes}
}
# Persons who need no word like "my": not "every sister", not "the son who ...".
NOUNS_OF["stranger"] = [noun for noun in NOUNS_OF["person"] if "own" not in noun.classes]
