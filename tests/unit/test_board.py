"""The board: every system beside the baseline and the first, seeds as blocks."""

import math

import numpy as np
import pytest
from quality import system

from deepmt.judge.board import Board, with_baseline, with_first

BLOCKS = {1: 0.0, 2: 0.3, 3: -0.2}


def noisy(name: str, mean: float, seeds: tuple[int, ...] = (1, 2, 3)):
    random = np.random.default_rng([*name.encode()])
    return system(name, {s: mean + BLOCKS[s] + random.normal(0, 0.005) for s in seeds})


SYSTEMS = [noisy("shallow-post", 2.0), noisy("near", 2.002), noisy("far", 1.8), noisy("b", 2.2)]


def test_a_system_with_one_seed_is_not_judged_by_what_that_seed_does_to_all() -> None:
    lucky = noisy("lucky", 2.0, (3,))
    board = Board([*SYSTEMS, lucky])
    assert board.log_perplexities[4] == pytest.approx(board.log_perplexities[0], abs=0.02)
    mean = board.log_perplexities[0]
    assert mean == pytest.approx(2.0 + sum(BLOCKS.values()) / 3, abs=0.02)


def test_what_a_gpu_does_to_a_seed_is_not_a_systems() -> None:
    on_gpu = system("on-gpu", {1: 2.0, 2: 2.3, 3: 2.5}, gpu=(3,))
    other = system("other", {1: 2.1, 3: 2.6}, gpu=(3,))
    board = Board([*SYSTEMS, on_gpu, other])
    assert board.log_perplexities[4] == pytest.approx(board.log_perplexities[0], abs=0.02)
    assert board.log_perplexities[5] == pytest.approx(board.log_perplexities[4] + 0.1, abs=0.02)


def test_a_seed_alone_borrows_the_spread_of_all_systems_but_decides_nothing() -> None:
    found = Board([*SYSTEMS, noisy("lucky", 1.5, (3,))]).against(0, with_baseline)
    assert math.isfinite(found[4].log.half)
    assert found[4].log.half > found[2].log.half
    assert (found[4].verdict, found[4].log.why) == ("undecided", "1 of 3 pairs")


def test_what_is_far_is_told_apart_and_what_is_near_is_not() -> None:
    found = Board(SYSTEMS).against(0, with_baseline)
    verdicts = {number: one.verdict for number, one in found.items()}
    assert verdicts == {
        1: "undecided",
        2: "better in perplexity only",
        3: "worse in perplexity only",
    }


def test_the_choice_of_the_first_costs_more_than_a_baseline_that_was_named() -> None:
    board = Board(SYSTEMS)
    assert board.against(0, with_first)[2].log.half > board.against(0, with_baseline)[2].log.half


def test_one_seed_of_each_tells_nothing() -> None:
    found = Board([noisy("shallow-post", 2.0, (1,)), noisy("far", 1.0, (1,))]).against(
        0, with_baseline
    )
    assert found[1].log.value == pytest.approx(-1.0, abs=0.03)
    assert math.isinf(found[1].log.half)
