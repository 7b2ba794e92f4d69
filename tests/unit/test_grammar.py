"""The embedded corpus: its German is German, its splits are apart, its baseline is low."""

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import sacrebleu

import generate as generate_script
from deepmt.data.grammar import english, generate, german, tokens
from deepmt.data.grammar.choices import prepositional
from deepmt.data.grammar.lexicon import (
    ADJECTIVES,
    DETERMINERS,
    FIRST_NAMES,
    MODALS,
    NOUNS,
    NOUNS_OF,
    PRONOUNS,
    SURNAMES,
    TOWNS,
    VERBS,
)
from deepmt.data.grammar.phrases import GAP, Clause, Fixed, NounPhrase, Relative, Verb

pytestmark = pytest.mark.xdist_group("grammar")
CORPORA = """
archives: {}
corpora:
  small.de-en:
    source: de
    target: en
    title: Small
    licence: none
    citation: none
    note: none
    generator: grammar
    seed: 1
"""
SAMPLES = Path(__file__).parent / "grammar_samples.txt"
SIZES = {"train": 20_000, "dev": 500, "test": 500}
ANNA = next(name for name in FIRST_NAMES if name.english[0] == "Anna")
YESTERDAY = Fixed("yesterday", "gestern")


@pytest.fixture(scope="module")
def corpus() -> dict[str, list[tuple[str, str]]]:
    return generate(1, SIZES)


def phrase(determiner: str, adjective: str, name: str, *, plural: bool = False) -> NounPhrase:
    return NounPhrase(
        noun=next(noun for noun in NOUNS if noun.english == name),
        plural=plural,
        determiner=DETERMINERS[determiner] if determiner else None,
        adjectives=tuple(word for word in ADJECTIVES if word.english == adjective),
    )


def verb(infinitive: str) -> Verb:
    return next(verb for verb in VERBS if verb.german["infinitive"] == infinitive)


def opening(**changes: Any) -> Clause:
    settings: dict[str, Any] = {"subject": ANNA, "verb": verb("aufmachen"), "tense": "past"}
    return Clause(**(settings | {"accusative": phrase("the", "", "door")} | changes))


def going(**changes: Any) -> Clause:
    school = prepositional("to", "zu", "dative", phrase("the", "", "school"))
    settings: dict[str, Any] = {"subject": ANNA, "verb": verb("gehen"), "tense": "past"}
    return Clause(**(settings | {"complement": school} | changes))


def test_the_same_seed_gives_the_same_corpus_and_another_seed_another() -> None:
    small = {"train": 50, "dev": 5, "test": 5}
    assert generate(7, small) == generate(7, small)
    assert generate(7, small) != generate(8, small)


def test_held_out_splits_do_not_depend_on_the_size_of_the_training_split() -> None:
    assert (
        generate(1, {"train": 30, "test": 9})["test"]
        == generate(1, {"train": 90, "test": 9})["test"]
    )


def test_no_sentence_of_either_language_occurs_twice_in_any_split(
    corpus: dict[str, list[tuple[str, str]]],
) -> None:
    for side in (0, 1):
        sentences = [pair[side] for pairs in corpus.values() for pair in pairs]
        assert len(sentences) == len(set(sentences)) == sum(SIZES.values())


def test_sentences_have_4_to_40_tokens_and_reach_both_ends(
    corpus: dict[str, list[tuple[str, str]]],
) -> None:
    lengths = [len(tokens(side)) for pair in corpus["train"] for side in pair]
    assert min(lengths) == 4
    assert max(lengths) == 40
    assert 10 < sum(lengths) / len(lengths) < 15


def test_every_sentence_is_cased_closed_and_free_of_stray_marks(
    corpus: dict[str, list[tuple[str, str]]],
) -> None:
    for sentence in (side for pair in corpus["train"] for side in pair):
        assert sentence[0].isupper()
        assert sentence[-1] in ".?"
        assert not any(bad in sentence for bad in ("  ", " ,", " .", " ?", ",,", ",.", "{"))


def test_every_class_that_a_verb_or_adjective_names_has_nouns() -> None:
    taken = [(*v.accusative, *v.dative, *v.complement, *v.subjects, *v.places) for v in VERBS]
    named = {name for classes in taken for name in classes}
    named |= {name for adjective in ADJECTIVES for name in adjective.classes}
    assert named - {"town"} <= set(NOUNS_OF)


def test_no_english_noun_or_adjective_has_two_translations() -> None:
    for lemmas in (NOUNS, ADJECTIVES):
        names = [lemma.english for lemma in lemmas]
        assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "forms",
    [
        "the small dog: der kleine Hund, den kleinen Hund, dem kleinen Hund, des kleinen Hundes",
        "a small dog: ein kleiner Hund, einen kleinen Hund, einem kleinen Hund,"
        " eines kleinen Hundes",
        "a old woman: eine alte Frau, eine alte Frau, einer alten Frau, einer alten Frau",
        "the old woman: die alte Frau, die alte Frau, der alten Frau, der alten Frau",
        "a new car: ein neues Auto, ein neues Auto, einem neuen Auto, eines neuen Autos",
        "the new car: das neue Auto, das neue Auto, dem neuen Auto, des neuen Autos",
    ],
)
def test_noun_phrases_have_four_cases(forms: str) -> None:
    words, _, expected = forms.partition(": ")
    cases = ("nominative", "accusative", "dative", "genitive")
    found = [german.nominal(phrase(*words.split()), case) for case in cases]
    assert found == expected.split(", ")


@pytest.mark.parametrize(
    ("words", "case", "expected"),
    [
        (("my", "old", "uncle"), "nominative", "mein alter Onkel"),
        (("our", "old", "aunt"), "dative", "unserer alten Tante"),
        (("this", "big", "house"), "nominative", "dieses große Haus"),
        (("every", "tired", "boy"), "accusative", "jeden müden Jungen"),
        (("the", "young", "student"), "accusative", "den jungen Studenten"),
        (("the", "young", "student"), "genitive", "des jungen Studenten"),
        (("", "hot", "coffee"), "nominative", "heißer Kaffee"),
        (("", "hot", "coffee"), "accusative", "heißen Kaffee"),
        (("", "hot", "coffee"), "dative", "heißem Kaffee"),
        (("", "cold", "milk"), "nominative", "kalte Milch"),
        (("", "cold", "milk"), "dative", "kalter Milch"),
        (("", "cold", "water"), "accusative", "kaltes Wasser"),
        (("", "cold", "water"), "dative", "kaltem Wasser"),
        (("a", "expensive", "hat"), "accusative", "einen teuren Hut"),
        (("the", "dark", "kitchen"), "dative", "der dunklen Küche"),
    ],
)
def test_singular_noun_phrases_are_declined(
    words: tuple[str, str, str], case: str, expected: str
) -> None:
    assert german.nominal(phrase(*words), case) == expected


@pytest.mark.parametrize(
    ("words", "case", "expected"),
    [
        (("the", "small", "child"), "nominative", "die kleinen Kinder"),
        (("the", "small", "child"), "dative", "den kleinen Kindern"),
        (("the", "small", "child"), "genitive", "der kleinen Kinder"),
        (("my", "small", "child"), "nominative", "meine kleinen Kinder"),
        (("", "small", "child"), "nominative", "kleine Kinder"),
        (("", "small", "child"), "dative", "kleinen Kindern"),
        (("many", "new", "car"), "dative", "vielen neuen Autos"),
        (("some", "old", "woman"), "accusative", "einige alte Frauen"),
        (("all", "old", "woman"), "nominative", "alle alten Frauen"),
    ],
)
def test_plural_noun_phrases_are_declined(
    words: tuple[str, str, str], case: str, expected: str
) -> None:
    assert german.nominal(phrase(*words, plural=True), case) == expected


def test_prepositions_contract_with_the_article() -> None:
    places = {"station": ("an", "am Bahnhof"), "school": ("zu", "zur Schule")}
    places |= {"garden": ("in", "im Garten"), "baker": ("von", "vom Bäcker")}
    for name, (preposition, expected) in places.items():
        assert german.prepositional(preposition, "dative", phrase("the", "", name)) == expected


def test_a_preposition_does_not_contract_before_a_relative_clause() -> None:
    coming = Relative(Clause(GAP, verb("zurückkommen"), "past"), "nominative")
    baker = NounPhrase(phrase("", "", "baker").noun, DETERMINERS["the"], relative=coming)
    expected = "von dem Bäcker , der zurückkam ,"
    assert german.prepositional("von", "dative", baker) == expected


def test_owners_are_in_the_genitive() -> None:
    car = phrase("", "new", "car")
    owned = NounPhrase(noun=car.noun, adjectives=car.adjectives, owner=phrase("my", "", "brother"))
    assert german.nominal(owned, "dative") == "dem neuen Auto meines Bruders"
    assert english.nominal(owned) == "my brother's new car"
    named = NounPhrase(noun=car.noun, adjectives=car.adjectives, owner=ANNA)
    assert german.nominal(named, "dative") == "Annas neuem Auto"


def test_the_verb_is_second_and_the_subject_follows_a_fronted_adverbial() -> None:
    assert german.main(going(time=YESTERDAY)) == "Anna ging gestern zur Schule"
    assert german.main(going(time=YESTERDAY, time_first=True)) == "gestern ging Anna zur Schule"


def test_the_verb_is_last_in_a_subordinate_clause() -> None:
    assert german.subordinate(going()) == "Anna zur Schule ging"
    assert german.subordinate(going(tense="perfect")) == "Anna zur Schule gegangen ist"
    assert german.subordinate(opening(modal=MODALS["can"])) == "Anna die Tür aufmachen konnte"


def test_a_separable_prefix_is_last_joins_a_final_verb_and_takes_zu_inside() -> None:
    assert german.main(opening()) == "Anna machte die Tür auf"
    assert german.subordinate(opening()) == "Anna die Tür aufmachte"
    assert german.infinitive(opening()) == "die Tür aufzumachen"
    assert german.main(opening(tense="perfect")) == "Anna hat die Tür aufgemacht"


def test_verbs_of_motion_form_the_perfect_with_sein() -> None:
    assert german.main(going(tense="perfect")) == "Anna ist zur Schule gegangen"
    assert english.main(going(tense="perfect")) == "Anna has gone to the school"


def test_modals_and_the_future_put_the_infinitive_last() -> None:
    future = opening(tense="present", modal=MODALS["will"], subject=PRONOUNS["they"])
    assert german.main(future) == "sie werden die Tür aufmachen"
    assert german.question(opening(modal=MODALS["have"])) == "musste Anna die Tür aufmachen"


def test_negation_is_nicht_after_a_definite_and_kein_with_an_indefinite_object() -> None:
    assert german.main(opening(negated=True)) == "Anna machte die Tür nicht auf"
    assert english.main(opening(negated=True)) == "Anna did not open the door"
    indefinite = opening(negated=True, accusative=phrase("a", "", "suitcase"))
    assert german.main(indefinite) == "Anna machte keinen Koffer auf"


def test_english_questions_use_do_unless_there_is_an_auxiliary() -> None:
    assert english.question(opening()) == "did Anna open the door"
    assert english.question(opening(tense="perfect")) == "has Anna opened the door"
    assert english.question(going(tense="present", modal=MODALS["want"])) == (
        "does Anna want to go to the school"
    )


def test_names_are_copied_and_towns_with_a_german_name_translated(
    corpus: dict[str, list[tuple[str, str]]],
) -> None:
    names = [*FIRST_NAMES, *SURNAMES, *TOWNS]
    for in_english, in_german in corpus["test"]:
        for name in names:
            *_, word = name.english[0].split(" ")
            if word in tokens(in_english):
                assert name.german[0].split(" ")[-1] in in_german, (in_english, in_german)


def word_for_word(pairs: list[tuple[str, str]], lines: list[str]) -> list[str]:
    """Replace each word by the one whose sentences are most nearly the same (Dice 1945)."""
    words = [tuple({*tokens(side)} for side in pair) for pair in pairs]
    in_english, in_german = (Counter(w for pair in words for w in pair[k]) for k in (0, 1))
    together = Counter((e, g) for ours, theirs in words for e in ours for g in theirs)
    best: dict[str, tuple[float, str]] = {}
    for (source, target), count in together.items():
        share = count / (in_english[source] + in_german[target])
        best[source] = max(best.get(source, (0.0, "")), (share, target))
    return [" ".join(best.get(w, (0.0, w))[1] for w in tokens(line)) for line in lines]


@pytest.mark.slow
def test_the_word_for_word_baseline_scores_below_20_bleu(
    corpus: dict[str, list[tuple[str, str]]],
) -> None:
    sources, references = map(list, zip(*corpus["test"], strict=True))
    translations = word_for_word(corpus["train"][:4000], sources)
    assert 5 < sacrebleu.corpus_bleu(translations, [references], force=True).score < 20


def test_the_samples_for_the_reader_are_what_the_grammar_writes() -> None:
    pairs = generate(1, {"sample": 20})["sample"]
    lines = [line for pair in pairs for line in (*pair, "")]
    assert SAMPLES.read_text(encoding="utf-8") == "\n".join(lines)


def test_the_script_writes_aligned_files_and_leaves_no_temporary_ones(tmp_path: Path) -> None:
    sizes = {"train": 30, "dev": 5, "test": 5}
    (tmp_path / "corpora.yaml").write_text(CORPORA + f"    sizes: {json.dumps(sizes)}\n")
    (tmp_path / "raw").mkdir()
    args = generate_script.Args(
        corpora_file=tmp_path / "corpora.yaml",
        corpus="small.de-en",
        output=tmp_path / "raw" / "counts.json",
    )
    generate_script.main(args)
    written = {path.name: path.read_text(encoding="utf-8") for path in args.output.parent.iterdir()}
    sides = {f"{split}.{language}" for split in sizes for language in ("en", "de")}
    assert set(written) == sides | {"counts.json"}
    for name, pairs in generate(1, sizes).items():
        for side, language in enumerate(("en", "de")):
            assert written[f"{name}.{language}"] == "".join(f"{pair[side]}\n" for pair in pairs)
    sums = json.loads(written["counts.json"])["sha256"]
    assert sums["dev.en"] == hashlib.sha256(written["dev.en"].encode()).hexdigest()
