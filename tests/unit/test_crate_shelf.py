"""What a crate brings joins what a clone has, and takes the place of nothing unasked."""

import json
from pathlib import Path

import pytest

from deepmt.export.crate_records import Merge, merge_lines, merge_shelf, merge_table


def line(run: str, seed: int, bleu: float = 1.0) -> str:
    return json.dumps({"bleu": bleu, "run": run, "seed": seed}, separators=(",", ":"))


def shelf(folder: Path, *lines: str) -> Path:
    (folder / "toy.jsonl").write_text("".join(f"{found}\n" for found in lines))
    return folder / "toy.jsonl"


def table(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{found}\n" for found in ("row,ours", *lines)))
    return path


def merged(folder: Path, here: tuple[str, ...], crate: tuple[str, ...]) -> Merge:
    """Two CSV files of a clone and a crate."""
    return merge_table(table(folder / "here.csv", *here), table(folder / "crate.csv", *crate))


def test_new_seeds_stand_among_those_that_are_there(tmp_path: Path) -> None:
    path = shelf(tmp_path, line("a", 1), line("c", 1))
    found = merge_lines(path, [line("b", 1), line("a", 2)])
    assert found.text.splitlines() == [line("a", 1), line("a", 2), line("b", 1), line("c", 1)]
    assert (found.changes, found.told) == (True, "2 added, 0 there already, 0 replaced")


def test_an_equal_record_changes_nothing_however_it_is_written(tmp_path: Path) -> None:
    there = '{"seed": 1, "run": "a", "bleu": 1.0}'
    found = merge_lines(shelf(tmp_path, there), [line("a", 1)])
    assert (found.changes, found.conflicts) == (False, ())
    assert found.text == f"{there}\n"


def test_another_record_of_the_same_seed_is_a_conflict_with_its_place(tmp_path: Path) -> None:
    path = shelf(tmp_path, line("a", 1), line("b", 1, bleu=2.0))
    found = merge_lines(path, [line("b", 1, bleu=3.0)])
    assert found.conflicts == (f"{path}:2: seed 1 of b is not that of the crate",)
    assert found.text.splitlines() == [line("a", 1), line("b", 1, bleu=3.0)]


def test_the_course_of_a_replaced_record_leaves_with_it(tmp_path: Path) -> None:
    path = shelf(tmp_path, line("a", 1), line("b", 1))
    found = merge_lines(path, [], gone={("a", 1)})
    assert (found.changes, found.text) == (True, line("b", 1) + "\n")


def test_nothing_is_lost_of_a_shelf_with_one_seed_twice(tmp_path: Path) -> None:
    twice = (line("a", 1), line("a", 1, bleu=2.0))
    found = merge_lines(shelf(tmp_path, *twice), [line("b", 1)])
    assert sorted(found.text.splitlines()) == sorted([*twice, line("b", 1)])


def test_what_a_part_of_the_shelf_has_stays_there_and_the_rest_goes_to_the_last(
    tmp_path: Path,
) -> None:
    shelf(tmp_path, line("a", 1), line("b", 1))
    second = tmp_path / "toy.2.jsonl"
    second.write_text(line("c", 1) + "\n")
    one, two = merge_shelf(tmp_path, "toy", [line("a", 1), line("b", 1, 2.0), line("d", 1)])
    assert one.conflicts == (f"{tmp_path / 'toy.jsonl'}:2: seed 1 of b is not that of the crate",)
    assert one.text.splitlines() == [line("a", 1), line("b", 1, 2.0)]
    assert (two.path, two.text.splitlines()) == (second, [line("c", 1), line("d", 1)])


def test_a_shelf_that_cannot_be_read_is_named_with_its_line(tmp_path: Path) -> None:
    path = shelf(tmp_path, line("a", 1), "{")
    with pytest.raises(ValueError, match=rf"{path}:2: no record of a run and seed"):
        merge_lines(path, [line("b", 1)])


def test_a_first_record_makes_the_shelf(tmp_path: Path) -> None:
    found = merge_lines(tmp_path / "toy.jsonl", [line("a", 1)])
    assert (found.changes, found.text) == (True, line("a", 1) + "\n")


@pytest.mark.parametrize("crate", [("a,1", "b,2"), ("b,2", "a,1"), ("b,2",), ()])
def test_a_table_that_has_every_line_stays(tmp_path: Path, crate: tuple[str, ...]) -> None:
    found = merged(tmp_path, ("a,1", "b,2"), crate)
    assert (found.changes, found.conflicts) == (False, ())


@pytest.mark.parametrize("here", [(), ("b,2",)])
def test_a_table_of_fewer_lines_gives_way(tmp_path: Path, here: tuple[str, ...]) -> None:
    found = merged(tmp_path, here, ("a,1", "b,2"))
    assert (found.changes, found.conflicts) == (True, ())
    assert found.text == "row,ours\na,1\nb,2\n"


def test_tables_with_other_values_are_a_conflict(tmp_path: Path) -> None:
    found = merged(tmp_path, ("a,1", "b,2"), ("a,1", "b,3"))
    assert found.conflicts == (f"{found.path}: 1 lines of the crate's are not in it",)
