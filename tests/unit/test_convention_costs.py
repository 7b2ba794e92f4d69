"""What conventions of toolkits are worth, from made-up records."""

from pathlib import Path
from typing import Any

import invented
import made_up

import projects
from deepmt.report.fragments.convention_costs import COSTS, costs
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
    cells = {name: cells for name, *cells in costs(RecordedScales(root))}
    # Two differences of ln 1.01 from their mean, one degree of freedom: 12.71 ln 1.01 = 0.1264.
    assert cells["β2 0.999"][:2] == ["1.000 (0.881 to 1.135)", "+2.0"]
    lost = "1.200 (1.004 to 1.435); 1 of 2 seeds ended below 5 BLEU"
    assert cells["loss by pairs"][:2] == [lost, "-3.0"]
    assert cells["Marian 1.12"] == ["ended below 5 BLEU", "–", "*not run yet*", "–"]
    # Of one pair, nobody knows the spread.
    assert cells["β2 0.999"][2:] == ["0.500", "+6.0"]
    assert list(cells)[:2] == ["Marian 1.12", "β2 0.999"]


def test_rows_of_all_updates_are_set_beside_the_system_of_all_updates(tmp_path: Path) -> None:
    root = made_up.project(tmp_path)
    invented.write_archive(
        root,
        seed("post-usual", 2, 10, 20),
        seed("shallow-post", 2, 5, 30, "unified.t1"),
        seed("shallow-pre", 2, 4, 30, "unified.t1"),
        seed("post-loss-pairs-long", 2, 6, 29),
        seed("pre-loss-pairs-long", 2, 6, 31),
        name=SCALE,
    )
    cells = {name: cells for name, *cells in costs(RecordedScales(root))}
    assert cells["loss by pairs, 6,000 updates"] == ["1.200", "-1.0", "1.500", "+1.0"]
    assert cells["*pre-norm*, 6,000 updates"][:2] == ["0.800", "+0.0"]
