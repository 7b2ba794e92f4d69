import json
import math
import random
import re
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from texts import texts_of

import job_files
import projects
from deepmt.base.files import sha256, write_json
from deepmt.data.manifest import SplitSizes
from deepmt.measured.scored import Scored
from deepmt.scores.score import Score
from deepmt.scores.scored_texts import read_texts
from deepmt.scores.scores import MEASURES, score_texts
from deepmt.scores.tokenised_bleu import MultiBleu
from deepmt.settings.spec import Data
from deepmt.study import measures
from tiny_runs import run_here

BY_OTHERS = {
    "bleu_tok": "61.57",
    "bleu_tok_lc": "76.22",
    "bleu_atat": "65.84",
    "chrf": "76.8949",
    "chrfpp": "76.9120",
    "chrf3": "76.0463",
}
"""Scores of `noisy_copies` by multi-bleu.perl of Moses, the same with -lc, the same after
tensor2tensor's split of compounds in Perl, and by chrF++.py of its author."""
FILES = ("hypotheses", "detokenised", "reference", "tokenised_reference")


def value(measure: str, hypotheses: list[str], reference: list[str]) -> float:
    return MEASURES[measure].score(texts_of(hypotheses, reference)).value


def noisy_copies() -> tuple[list[str], list[str]]:
    """Hypotheses with words left out and cases exchanged, and references with compounds."""
    draw = random.Random(1)
    hypotheses, references = [], []
    for line in projects.toy_text("test", "de").decode().splitlines()[:200]:
        words = re.findall(r"[\w-]+|[^\w\s]", line)
        reference = [f"{word}-{word}" if draw.random() < 0.1 else word for word in words]
        references.append(" ".join(reference))
        kept = [word for word in reference if draw.random() > 0.1]
        changed = [word.swapcase() if draw.random() < 0.1 else word for word in kept]
        hypotheses.append(" ".join(changed))
    return hypotheses, references


@pytest.mark.parametrize("measure", BY_OTHERS)
def test_scores_are_those_of_the_original_programs(measure):
    decimals = len(BY_OTHERS[measure].partition(".")[2])
    assert f"{value(measure, *noisy_copies()):.{decimals}f}" == BY_OTHERS[measure]


def perl_words(line: str, lowercase: bool) -> list[bytes]:
    words = line.encode().split()
    return [word.lower() for word in words] if lowercase else words


def plain_multi_bleu(hypotheses: list[str], references: list[str], lowercase: bool) -> float:
    """multi-bleu.perl restated: it splits at ASCII spaces and lower-cases ASCII letters only."""
    correct, total, length, reference_length = Counter(), Counter(), 0, 0
    for hypothesis, reference in zip(hypotheses, references, strict=True):
        ours, theirs = perl_words(hypothesis, lowercase), perl_words(reference, lowercase)
        length, reference_length = length + len(ours), reference_length + len(theirs)
        for n in (1, 2, 3, 4):
            counts, limits = (
                Counter(zip(*(words[i:] for i in range(n)), strict=False))
                for words in (ours, theirs)
            )
            correct[n] += sum(min(count, limits[gram]) for gram, count in counts.items())
            total[n] += sum(counts.values())
    if not all(correct[n] for n in (1, 2, 3, 4)):
        return 0.0
    log_precision = sum(math.log(correct[n] / total[n]) for n in (1, 2, 3, 4)) / 4
    return 100 * math.exp(min(0.0, 1 - reference_length / length) + log_precision)


WORDS = st.sampled_from(["der", "Der", "Ä", "ä", "a\u00a0b", "\u2028", ".", "x-y", "中"])
SENTENCES = st.lists(WORDS, max_size=9).map(" ".join)


@given(st.lists(st.tuples(SENTENCES, SENTENCES), min_size=1, max_size=30), st.booleans())
def test_multi_bleu_follows_the_definition_of_the_perl_script(pairs, lowercase):
    hypotheses, references = map(list, zip(*pairs, strict=True))
    expected = plain_multi_bleu(hypotheses, references, lowercase)
    ours = MultiBleu(lowercase=lowercase).corpus_score(hypotheses, [references]).score
    assert f"{ours:.2f}" == f"{expected:.2f}"


def test_lower_cased_bleu_leaves_umlauts_as_multi_bleu_does():
    assert value("bleu_tok_lc", ["DAS IST EIN TEST"], ["das ist ein test"]) == pytest.approx(100)
    assert value("bleu_tok_lc", ["Ä B C D E"], ["ä b c d e"]) < 90


def test_split_compounds_count_as_several_words():
    hypotheses, reference = ["eine Ost-West-Frage der Zeit"], ["eine Ost-West-Sache der Zeit"]
    assert value("bleu_tok", hypotheses, reference) == 0
    assert value("bleu_atat", hypotheses, reference) > 40


def test_one_wrong_word_in_four_is_a_quarter_of_translation_edits():
    assert value("ter", ["der Hund schläft hier"], ["der Hund schläft dort"]) == pytest.approx(25)


def test_a_perfect_translation_gets_the_best_value_of_every_measure():
    lines = ["Das Haus ist „ groß “ , sagte er .", "Die Ost-West-Frage bleibt bis heute offen ."]
    values = {name: score.value for name, score in score_texts(texts_of(lines, lines)).items()}
    assert values == pytest.approx({name: 0.0 if name == "ter" else 100.0 for name in values})


@pytest.mark.parametrize(
    ("language", "left_out"),
    [
        ("de", set()),
        ("zh", {"bleu_wang", "bleu_intl"}),
        ("ja", {"bleu_wang", "bleu_intl"}),
        ("th", {"bleu_wang", "bleu_intl", "ter"}),
        ("ko", {"bleu_wang"}),
        ("en", {"bleu_wang"}),
    ],
)
def test_measures_of_one_language_are_left_out_for_others(language, left_out):
    scores = score_texts(texts_of(["我 喜欢 猫 。"], ["我 喜欢 狗 。"], language))
    assert scores.keys() == MEASURES.keys() - left_out


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("zh", "他来到了网易杭研大厦。"),
        ("ja", "猫が庭で静かに眠っている。"),
        ("th", "แมวนอนหลับอยู่ในสวน"),
    ],
)
def test_one_character_in_many_costs_little_without_spaces(code, line):
    other = ("狗" if code == "zh" else "犬" if code == "ja" else "ก") + line[1:]
    scores = score_texts(texts_of([other], [line], code))
    assert scores["bleu_lc"].value == scores["bleu"].value > 60
    assert "ter" not in scores or 0 < scores["ter"].value < 20


def test_every_signature_is_distinct_and_names_the_version():
    lines = ["ein Test mit Wörtern"]
    signatures = [score.signature for score in score_texts(texts_of(lines, lines, "de")).values()]
    assert len(set(signatures)) == len(MEASURES)
    assert all(re.search(r"\|(v|sacrebleu):\d", text) for text in signatures)


def test_empty_hypotheses_are_counted_and_cost_score():
    reference = ["ein langer Satz mit Wörtern", "noch ein Satz mit Wörtern"]
    some = texts_of(["", reference[1]], reference)
    assert some.empty_hypotheses == 1
    assert 0 < score_texts(some)["bleu"].value < 100


def test_nothing_but_empty_hypotheses_scores_zero():
    scores = score_texts(texts_of(["", ""], ["ein Satz", "noch ein Satz"]))
    worst = {name: 100.0 if name == "ter" else 0.0 for name in scores}
    assert {name: score.value for name, score in scores.items()} == worst


@pytest.fixture
def files(tmp_path):
    paths = {role: tmp_path / role for role in FILES}
    for path in paths.values():
        path.write_bytes("Ein Satz .\nZwei\u2028Sätze\u0085hier .\n".encode())
    return paths


def test_only_line_feeds_end_a_segment(files):
    texts = read_texts(target_language="de", **files)
    assert texts.hypotheses == ["Ein Satz .", "Zwei\u2028Sätze\u0085hier ."]


FAULTS = [
    (b"one line\n", r"has [12] lines and .* [12]; all files must contain the same segments"),
    (b"Ein Satz .\nZwei S\xe4tze .\n", "line 2, byte 7: 0xe4 is not UTF-8"),
    (b"", r"is empty: it must have a segment a line"),
]


@pytest.mark.parametrize("role", FILES)
@pytest.mark.parametrize(("content", "message"), FAULTS)
def test_a_faulty_file_is_refused_by_name(files, role, content, message):
    files[role].write_bytes(content)
    with pytest.raises(ValueError, match=message) as error:
        read_texts(target_language="de", **files)
    assert str(files[role]) in str(error.value)


@pytest.fixture
def seed(tmp_path: Path, files: dict[str, Path]) -> tuple[Path, Path]:
    """The texts where the workflow has them; returns the folders of the seed and the dataset."""
    data = Data(corpus="mine", source="en", target="de")
    seed, dataset = tmp_path / "seed1", tmp_path / "data/encoded" / data.dataset
    places = {
        "hypotheses": seed / "hyp.test.tok.txt",
        "detokenised": seed / "hyp.test.txt",
        "reference": tmp_path / "data/raw/mine/test.de",
        "tokenised_reference": dataset / "tok/test.de",
    }
    for role, place in places.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        files[role].rename(place)
    write_json(dataset / "data.json", asdict(data))
    job_files.manifest(splits={"test": SplitSizes(sentences=2, tokens={}, unknown={})}).write(
        dataset / "manifest.json"
    )
    write_json(tmp_path / "data/raw/mine/counts.json", {})
    report_on(seed)
    return seed, dataset


def report_on(seed: Path) -> None:
    """Write what translate.py says of the hypotheses."""
    sums = {name: sha256(seed / name) for name in ("hyp.test.txt", "hyp.test.tok.txt")}
    job_files.decoded("test", sha256=sums).write(seed / "decoding.test.json")


def test_the_script_writes_scores_with_signatures_and_counts_empty_hypotheses(seed, capsys):
    folder, dataset = seed
    (folder / "hyp.test.tok.txt").write_bytes(b"\nZwei .\n")
    report_on(folder)
    output = folder / "scores.test.json"
    run_here("jobs.score", f"--dataset={dataset}", "--split=test", f"--output={output}")
    assert f"{output}: 1 of 2 hypotheses are empty" in capsys.readouterr().err
    report = json.loads(output.read_text(encoding="utf-8"))
    assert (report["segments"], report["empty_hypotheses"]) == (2, 1)
    assert report["split"] == "test"
    assert report["scores"]["bleu"]["signature"].startswith("BLEU|#:1|c:mixed|e:no|tok:13a|")


def test_comet_is_measured_with_the_raw_source_where_a_checkpoint_is_given(seed, monkeypatch):
    folder, dataset = seed
    calls = []
    monkeypatch.setattr("jobs.score.comet_score", lambda *all_: calls.append(all_) or Score(1, "s"))
    (dataset.parents[1] / "raw/mine/test.en").write_text("One sentence.\nTwo dogs.\n")
    output, checkpoint = folder / "scores.test.json", folder / "model.ckpt"
    flags = (f"--dataset={dataset}", "--split=test", f"--output={output}")
    run_here("jobs.score", *flags, f"--comet={checkpoint}")
    [(path, source, texts)] = calls
    assert (path, source) == (checkpoint, ["One sentence.", "Two dogs."])
    assert len(texts.detokenised) == 2
    assert Scored.read(output).scores["comet"] == Score(1, "s")


def test_another_translation_than_the_reported_one_is_refused(seed):
    folder, dataset = seed
    (folder / "hyp.test.txt").write_text("Ein Satz.\nZwei Hunde hier.\n")
    with pytest.raises(ValueError, match=r"hyp\.test\.txt is damaged"):
        run_here(
            "jobs.score", f"--dataset={dataset}", "--split=test", f"--output={folder}/scores.json"
        )


def test_the_script_refuses_bad_input_and_leaves_what_was_there(seed):
    folder, dataset = seed
    output = folder / "scores.test.json"
    output.write_text("earlier")
    (dataset.parents[1] / "raw/mine/test.de").unlink()
    with pytest.raises(FileNotFoundError, match=r"raw/mine/test\.de"):
        run_here("jobs.score", f"--dataset={dataset}", "--split=test", f"--output={output}")
    assert output.read_text() == "earlier"


def test_papers_may_name_the_scores_that_are_computed() -> None:
    assert set(measures.SCORES) == {*MEASURES, "meteor", "comet"}


def test_bleu_is_left_out_where_no_reference_has_four_words() -> None:
    words = [f"Wort{n}" for n in range(20)]
    found = score_texts(texts_of(words, words))
    assert not [name for name in found if name.startswith("bleu")]
    assert found["chrf"].value == 100
    longer = [*words[:-1], "Das ist ein Satz"]
    assert score_texts(texts_of(longer, longer))["bleu"].value == pytest.approx(100)
    assert list(score_texts(texts_of(longer, longer), ["bleu", "chrf"])) == ["bleu", "chrf"]


def test_four_characters_are_enough_where_bleu_counts_them() -> None:
    found = score_texts(texts_of(["世界杯今天"], ["世界杯今天"], "zh"))
    assert found["bleu"].value == pytest.approx(100)
    assert "bleu_tok" not in found
