"""Courses are read whole or refused with file and line."""

import json
from pathlib import Path
from typing import Any

import invented
import pytest
from invented_courses import course_of, write_course, write_shelved_courses

import course
from deepmt.results.training_curves import Courses, read_courses


def read(folder: Path) -> Courses:
    return read_courses(
        results=folder / "results",
        shelf=folder / "records",
        specs=invented.SPECS.values(),
        scale="toy",
    )


def refusal(folder: Path) -> str:
    [found] = read(folder).refusals
    return found.message


def test_a_course_of_a_trained_seed_is_read(tmp_path: Path) -> None:
    write_course(tmp_path, course_of("p.r1", dev={"update": [2, 4], "ppl": [9.0, None]}))
    [found] = read(tmp_path).of(invented.SPECS["p.r1"].run)
    assert found.dev == {"update": [2, 4], "ppl": [9.0, None]}
    assert found.signals is None


@pytest.mark.parametrize("field", ["schema", "run", "spec_sha256", "seed", "scale", "updates"])
def test_a_missing_field_is_refused_with_file_and_line(tmp_path: Path, field: str) -> None:
    broken = {key: value for key, value in course_of("p.r1", 2).items() if key != field}
    path = write_shelved_courses(tmp_path, course_of("p.r1"), broken)
    assert refusal(tmp_path) == f"{path}:2: missing key '{field}'"
    assert len(read(tmp_path).entries) == 1


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ({"update": [2, 2], "ppl": [9.0, 8.0]}, "must rise"),
        ({"update": [2, 99], "ppl": [9.0, 8.0]}, "at most 20"),
        ({"update": [0], "ppl": [9.0]}, "must rise"),
        ({"update": [2], "ppl": [9.0, 8.0]}, "one value for each update"),
        ({"update": [2], "ppl": ["high"]}, "finite numbers"),
        ({"update": [2], "ppl": [True]}, "finite numbers"),
        ({"update": [2], "ppl": [[9.0]]}, "finite numbers"),
        ({"update": [2.5], "ppl": [9.0]}, "whole numbers"),
        ({"update": [2], "blue": [9.0]}, "unknown"),
        ({"ppl": [9.0]}, "with `update`"),
        ([9.0], "must be a mapping"),
    ],
)
def test_looks_of_another_form_are_refused(tmp_path: Path, section: Any, message: str) -> None:
    write_course(tmp_path, course_of("p.r1", dev=section))
    assert ":1: dev" in refusal(tmp_path)
    assert message in refusal(tmp_path)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "1e999"])
def test_what_is_no_finite_number_is_refused(tmp_path: Path, number: str) -> None:
    path = write_course(tmp_path, course_of("p.r1", dev={"update": [2], "ppl": [9.5]}))
    path.write_text(path.read_text().replace("9.5", number))
    assert "finite numbers" in refusal(tmp_path)


def test_layers_that_come_and_go_are_refused(tmp_path: Path) -> None:
    looks = {"update": [1, 2], "encoder": [[1.0, 2.0], [1.0]]}
    write_course(tmp_path, course_of("p.r1", signals=looks))
    assert "as many layers" in refusal(tmp_path)


def test_a_course_of_another_scale_is_refused(tmp_path: Path) -> None:
    write_course(tmp_path, course_of("p.r1", scale="paper"))
    assert "paper is another scale than toy" in refusal(tmp_path)


def test_a_course_of_settings_that_no_row_has_is_refused(tmp_path: Path) -> None:
    write_shelved_courses(tmp_path, course_of("p.r1", spec_sha256="0" * 64))
    assert "no row has this spec" in refusal(tmp_path)


def test_a_course_in_the_folder_of_another_seed_is_refused(tmp_path: Path) -> None:
    path = write_course(tmp_path, course_of("p.r1"))
    path.parent.rename(path.parent.with_name("seed2"))
    assert "lies in the folder" in refusal(tmp_path)


def test_a_second_course_of_a_seed_on_the_shelf_is_refused(tmp_path: Path) -> None:
    path = write_shelved_courses(tmp_path, course_of("p.r1"), course_of("p.r1"))
    assert refusal(tmp_path).startswith(f"{path}:2: ")


@pytest.mark.parametrize("text", ["", "{", "3", "null", "[]"])
def test_a_broken_file_is_refused_and_the_rest_is_read(tmp_path: Path, text: str) -> None:
    path = write_course(tmp_path, course_of("p.r1"))
    path.write_text(text)
    write_course(tmp_path, course_of("p.r2"))
    assert refusal(tmp_path).startswith(f"{path}:1: ")
    assert len(read(tmp_path).entries) == 1


def test_what_was_trained_here_wins_over_the_shelf(tmp_path: Path) -> None:
    write_shelved_courses(tmp_path, course_of("p.r1", updates=5))
    write_course(tmp_path, course_of("p.r1", updates=6))
    assert [found.updates for found in read(tmp_path).entries] == [6]
    assert not read(tmp_path).refusals


def test_the_script_writes_what_is_read(tmp_path: Path) -> None:
    path = write_course(tmp_path, course_of("p.r1"))
    spec, outcome = path.with_name("spec.json"), path.with_name("outcome.json")
    spec.write_text(json.dumps(invented.record("p.r1")["spec"]))
    outcome.write_text('{"updates": 20}')
    look = {"event": "signals", "update": 5, "encoder": [0.5, 0.25]}
    path.with_name("log.jsonl").write_text('{"event": "start"}\n' + json.dumps(look) + "\n")
    course.main(course.Args(spec=spec, outcome=outcome, scale="toy", seed=1, output=path))
    [found] = read(tmp_path).entries
    assert found.signals == {"update": [5], "encoder": [[0.5, 0.25]]}
    assert path.read_text().count("\n") == 1
    assert path.read_text().endswith("}\n")
