"""What conventions of toolkits are worth, from made-up records."""

from pathlib import Path
from typing import Any

import invented
import made_up

import projects
from deepmt.report.fragments.convention_costs import COSTS, costs, later_costs
from deepmt.report.fragments.recorded_scale import RecordedScales

TABLE, SCALE = COSTS
SPECS = projects.plan(scale=SCALE, papers="unified", rows="all").specs


def seed(
    name: str, number: int, ppl: float, bleu: float, table: str = "unified.t8"
) -> dict[str, Any]:
    """A seed of a row."""
    return invented.record_of(
        SPECS[f"{table}.{name}"],
        number,
        scale=SCALE,
        perplexities={"test": ppl},
        scores={"test": {"bleu": {"value": bleu, "signature": "made up"}}},
    )


def test_a_convention_is_set_beside_the_same_seeds_without_it(tmp_path: Path) -> None:
    root = made_up.project(tmp_path)
    invented.write_archive(
        root,
        *(seed("post-usual", number, 10, 20) for number in (1, 2, 3)),
        *(seed("pre-usual", number, 8, 20) for number in (1, 2)),
        # 1.01 times the perplexity, then 1 / 1.01: none in the mean.
        seed("post-beta2", 1, 10 * 1.01, 21),
        seed("post-beta2", 2, 10 / 1.01, 23),
        seed("post-loss-pairs", 1, 12, 17),
        seed("post-loss-pairs", 2, 90, 1),
        seed("post-marian", 1, 90, 1),
        seed("pre-beta2", 1, 4, 26),
        name=SCALE,
    )
    recorded = RecordedScales(root)
    single, whole = (
        {name: cells for name, *cells in costs(recorded, of)} for of in ("convention", "toolkit")
    )
    # Two differences of ln 1.01 from their mean, one degree of freedom: 12.71 ln 1.01 = 0.1264.
    post = ["1.000 (0.881 to 1.135); 2 seeds", "+2.0 (-10.7 to +14.7)"]
    assert single["β2 0.999"] == [*post, "0.500; 1 seed", "+6.0"]
    lost = "1.200; 1 of 2 seeds ended below 5 BLEU"
    assert single["loss by pairs"][:2] == [lost, "-3.0"]
    assert whole["Marian 1.12"] == ["ended below 5 BLEU", "–", "*not run yet*", "–"]
    assert [*single][:2] == ["β2 0.999", "loss by pairs"]
    assert next(iter(whole)) == "Marian 1.12"
    assert [*whole].index("joeynmt 2.3.0") + 1 == [*whole].index("joeynmt 2.3.0, half the rate")


def test_what_is_left_after_all_updates_is_set_beside_what_it_was(tmp_path: Path) -> None:
    root = made_up.project(tmp_path)
    invented.write_archive(
        root,
        seed("post-usual", 2, 10, 20),
        seed("post-loss-pairs", 2, 15, 18),
        seed("shallow-post", 2, 5, 30, "unified.t1"),
        seed("shallow-pre", 2, 4, 30, "unified.t1"),
        seed("post-loss-pairs-long", 2, 6, 29),
        seed("pre-loss-pairs-long", 2, 6, 31),
        name=SCALE,
    )
    cells = {name: cells for name, *cells in later_costs(RecordedScales(root))}
    post, pre = (
        ["1.500; 1 seed", "1.200; 1 seed", "-1.0"],
        ["*not run yet*", "1.500; 1 seed", "+1.0"],
    )
    assert cells["loss by pairs"] == [*post, *pre]
    assert cells["*pre-norm*"][1:3] == ["0.800; 1 seed", "+0.0"]
