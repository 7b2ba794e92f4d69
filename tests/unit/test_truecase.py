"""Sets whose training text came true-cased are true-cased too."""

from pathlib import Path

import pytest

from deepmt.data.truecase import spellings, truecase, truecase_files

TRAINING = ["the man saw London .", "London saw the man .", "a man , the man"]


def spelling(*words: str) -> dict[str, str]:
    return spellings(TRAINING, set(words))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("The man saw The .", "the man saw The ."),
        ("London slept .", "London slept ."),
        ("&quot; The man . The", "&quot; the man . the"),
        ("Unknown Man", "Unknown Man"),
        ("", ""),
    ],
)
def test_only_what_starts_a_sentence_takes_its_usual_spelling(line: str, expected: str) -> None:
    assert truecase(line, spelling("the", "london", "man")) == expected


def test_the_usual_spelling_is_the_most_frequent_one() -> None:
    assert spelling("the", "london", "absent") == {"the": "the", "london": "London"}


def test_sets_are_rewritten_line_for_line(tmp_path: Path) -> None:
    (tmp_path / "train.en").write_text("\n".join(TRAINING) + "\n")
    (tmp_path / "dev.en").write_text("The man\n\nLONDON\n")
    truecase_files([tmp_path / "dev.en"], tmp_path / "train.en")
    assert (tmp_path / "dev.en").read_text() == "the man\n\nLondon\n"
