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


def test_the_code_that_translated_is_named_as_far_as_it_is_known() -> None:
    assert record.search_code([{"code": "abc"}, {"code": "abc"}]) == {"search_code": "abc"}
    assert record.search_code([{"seconds": 1.0}]) == {}


def test_values_are_grouped_in_their_order() -> None:
    pairs = [("dev", 1.0), ("test", 2.0), ("dev", 3.0)]
    assert record.grouped(pairs) == {"dev": [1.0, 3.0], "test": [2.0]}


def test_a_killed_translation_s_sentences_are_not_among_those_that_were_timed() -> None:
    assert record.timed({"sentences": 500}) == 500
    assert record.timed({"sentences": 500, "resumed_sentences": 120}) == 380
