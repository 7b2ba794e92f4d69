"""Made-up text: as much as is asked for, the same every time, with no end of rare words."""

from collections import Counter
from pathlib import Path

import numpy as np

from bench import made_up_text
from bench.made_up_text import Args, Language, main


def write(folder: Path, pairs: int) -> dict[str, list[str]]:
    main(Args(pairs=pairs, folder=folder))
    sides = {name: (folder / f"train.{name}").read_text(encoding="utf-8") for name in ("en", "de")}
    return {name: text.removesuffix("\n").split("\n") for name, text in sides.items()}


def test_both_sides_have_as_many_lines_as_asked_and_like_lengths(
    tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(made_up_text, "CHUNK", 70)
    sides = write(tmp_path, 150)
    assert [len(lines) for lines in sides.values()] == [150, 150]
    lengths = zip(*(map(len, map(str.split, lines)) for lines in sides.values()), strict=True)
    assert all(abs(a - b) <= 2 for a, b in lengths)


def test_it_is_the_same_every_time(tmp_path: Path) -> None:
    assert write(tmp_path / "a", 50) == write(tmp_path / "b", 50)


def test_every_rank_has_a_word_of_its_own_and_small_ranks_short_ones() -> None:
    language = Language("de", np.random.default_rng(1))
    words = [language.spell(rank) for rank in range(20_000)]
    assert len(set(words)) == len(words)
    assert len(words[79]) == 2
    assert len(words[-1]) == 6


def test_most_words_are_rare_and_more_text_brings_more_of_them(tmp_path: Path) -> None:
    lines = write(tmp_path, 4000)["en"]
    counts = Counter(word.strip(".,").lower() for line in lines for word in line.split())
    half = {word.strip(".,").lower() for line in lines[:2000] for word in line.split()}
    assert sum(count == 1 for count in counts.values()) > len(counts) / 2
    assert 1.5 < len(counts) / len(half) < 2
