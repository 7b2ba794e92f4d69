"""Word F1 by frequency and BLEU by length, in compare-mt's buckets."""

import csv
from pathlib import Path

import pytest
from texts import texts_of

from deepmt.scores.breakdown import Bucket, by_frequency, by_length
from deepmt.scores.tokenised_bleu import MultiBleu
from jobs import breakdown


def named(buckets: list[Bucket]) -> dict[str, Bucket]:
    return {bucket.bucket: bucket for bucket in buckets}


def test_f1_of_a_bucket_is_of_words_that_occur_so_often_in_training() -> None:
    found = named(
        by_frequency(
            texts_of(["das Haus das Boot", "neu"], ["das Haus am See", "alt"]),
            {"das": 2000, "Haus": 3, "am": 50, "See": 3, "Boot": 3},
        )
    )
    assert found[">=1000"].value == pytest.approx(100 * 2 * 1 / (1 + 2))  # one of two "das"
    assert found["3"].value == pytest.approx(100 * 2 * 1 / (2 + 2))
    assert (found["<1"].value, found["<1"].count) == (0.0, 1)
    assert (found["[10,100)"].value, found["[10,100)"].count) == (0.0, 1)
    assert (found["2"].value, found["2"].count) == (None, 0)


def test_sentences_are_sorted_by_the_length_of_their_reference() -> None:
    short, long = "a b c d e", " ".join(f"w{i}" for i in range(25))
    found = named(by_length(texts_of([short, "nichts davon", long], [short, short, long])))
    assert [(b.bucket, b.count) for b in found.values() if b.count] == [("<10", 2), ("[20,30)", 1)]
    expected = MultiBleu().corpus_score([short, "nichts davon"], [[short, short]]).score
    assert found["<10"].value == pytest.approx(expected)
    assert found["[20,30)"].value == pytest.approx(100)
    assert found["[30,40)"].value is None


def test_a_bucket_without_a_common_four_gram_scores_nothing() -> None:
    found = named(by_length(texts_of(["a b c x"], ["a b c d"])))
    assert found["<10"].value == 0


def test_the_script_says_what_was_not_run(tmp_path: Path) -> None:
    breakdown.main(
        figure="liu2020.fig3",
        scale="toy",
        results=tmp_path / "results",
        output=tmp_path / "fig3.csv",
        root=Path(__file__).parents[2],
        data=tmp_path,
    )
    with (tmp_path / "fig3.csv").open() as file:
        lines = list(csv.DictReader(file))
    systems = ["enfr-base-6l-6l-default", "enfr-base-60l-12l-admin"]
    assert [line["system"] for line in lines] == systems
    assert {(line["note"], line["value"]) for line in lines} == {("not run", "")}
