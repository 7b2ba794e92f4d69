"""One translation under every convention, in one table."""

from texts import texts_of

from deepmt.metrics.conventions import reconciliation
from deepmt.metrics.scores import MEASURES, Score, measures_for, score_texts

LINES = ["Das Haus ist groß .", "Die Ost-West-Frage bleibt offen ."]
OTHERS = ["Das Haus war groß .", "Die Ost-West-Frage bleibt bis heute offen ."]
SCORES = score_texts(texts_of(LINES, OTHERS))


def lines() -> dict[str, list[str]]:
    """Cells by measure."""
    text = reconciliation(measures_for("de"), SCORES, title="hyp.test.txt")
    rows = [
        line.replace("\\|", "¦").strip("| ").split(" | ")
        for line in text.split("\n")
        if "|" in line
    ]
    return {row[0].strip("*"): row for row in rows[2:]}


def test_every_measure_is_in_the_table_with_value_and_signature() -> None:
    found = lines()
    assert found.keys() == SCORES.keys()
    for name, row in found.items():
        assert row[1] == f"{SCORES[name].value:.2f}"
        assert row[5].strip("`").replace("¦", "|") == SCORES[name].signature


def test_what_a_paper_prints_is_marked_with_its_name() -> None:
    text = reconciliation(measures_for("de"), SCORES, title="hyp.test.txt")
    marked = {name for name in SCORES if f"| **{name}** |" in text}
    assert marked == {name for name in SCORES if MEASURES[name].printed_by}
    assert lines()["bleu_wang"][3] == "wang2019: WMT16"


def test_differences_are_those_of_one_kind_of_score_from_sacrebleu() -> None:
    scores = {name: Score(float(i), "s") for i, name in enumerate(("bleu", "bleu_tok", "chrf"))}
    text = reconciliation(MEASURES, scores, title="t")
    assert "| **bleu_tok** | 1.00 | +1.00 |" in text
    assert "| **chrf** | 2.00 |  |" in text
