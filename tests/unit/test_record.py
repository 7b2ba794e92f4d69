"""What a record says where several checkpoints were scored."""

import record


def test_a_score_is_the_mean_over_checkpoints_and_says_so() -> None:
    scores = [{"bleu": {"value": value, "signature": "BLEU|13a"}} for value in (10.0, 11.0, 15.0)]
    assert record.mean(scores) == {
        "bleu": {"value": 12.0, "signature": "BLEU|13a|mean of 3 checkpoints"}
    }


def test_the_score_of_one_translation_is_left_as_it_is() -> None:
    scores = [{"bleu": {"value": 10.0, "signature": "BLEU|13a", "details": {}}}]
    assert record.mean(scores) == {"bleu": {"value": 10.0, "signature": "BLEU|13a"}}


def test_values_are_grouped_in_their_order() -> None:
    pairs = [("dev", 1.0), ("test", 2.0), ("dev", 3.0)]
    assert record.grouped(pairs) == {"dev": [1.0, 3.0], "test": [2.0]}
