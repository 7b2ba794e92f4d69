"""What happened while seeds trained: read, checked, and refused one by one where it is bad."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import MISSING, dataclass, fields
from itertools import pairwise
from math import isfinite
from pathlib import Path
from typing import Any

from deepmt.config.spec import Spec
from deepmt.results.record_archive import parts
from deepmt.results.seed_files import Refusal

SCHEMA = "course/1"
SECTIONS = {
    "progress": {"loss": 0, "ppl": 0},
    "dev": {"ppl": 0},
    "gradients": {"encoder": 1, "decoder": 1},
    "signals": {"encoder": 1},
    "mixtures": {"memory": 2, "encoder": 2, "decoder": 2},
}
"""Section -> what it has beside `update`, and how many lists deep one look at it is."""
FORMS = ("one a look", "a list a look", "a list of lists a look")


@dataclass(frozen=True, kw_only=True)
class Course:
    """One seed of a run while it trained, as in course.json.

    A section holds `update` and one value a look under every other name, from the lowest layer on;
    null is what was no number. A section that a run has nothing for is None.
    """

    schema: str
    run: str
    spec_sha256: str
    seed: int
    scale: str
    updates: int
    progress: dict[str, list[Any]] | None = None
    """Loss and, without label smoothing, perplexity of the training text since the last look."""
    dev: dict[str, list[Any]] | None = None
    gradients: dict[str, list[Any]] | None = None
    """L2 norm of the gradient of each layer's parameters (Zhang 2019, Figure 4)."""
    signals: dict[str, list[Any]] | None = None
    """L2 norm of the gradient with respect to each encoder layer's output (Bapna 2018, r_t)."""
    mixtures: dict[str, list[Any]] | None = None
    """Shares of h^0..h^N by reader (Bapna 2018), rows W_i0..W_ii of DLCL (Wang 2019)."""

    def __post_init__(self) -> None:
        """Check what the types cannot say."""
        if self.schema != SCHEMA:
            raise ValueError(f"schema: {self.schema!r} is not {SCHEMA}")
        for name, kind in (("run", str), ("spec_sha256", str), ("scale", str)):
            if not isinstance(getattr(self, name), kind):
                raise ValueError(f"{name}: must be text")
        for name in ("seed", "updates"):
            if type(getattr(self, name)) is not int or getattr(self, name) < 0:
                raise ValueError(f"{name}: must be a whole number from 0 on")
        for name, depths in SECTIONS.items():
            if getattr(self, name) is not None:
                _check_section(name, getattr(self, name), depths, self.updates)


@dataclass(frozen=True)
class Courses:
    """What could be read, and what was refused."""

    entries: tuple[Course, ...]
    refusals: tuple[Refusal, ...]

    def of(self, run: str) -> tuple[Course, ...]:
        """The seeds of a run in order."""
        return tuple(course for course in self.entries if course.run == run)

    def refused(self, run: str) -> tuple[str, ...]:
        """Why courses of a run were refused."""
        return tuple(refusal.message for refusal in self.refusals if refusal.run == run)


def read_courses(*, results: Path, shelf: Path, specs: Iterable[Spec], scale: str) -> Courses:
    """Read `results`/runs/*/seed*/course.json and `shelf`/courses/<scale>*.jsonl.

    Where a seed of a run is on the shelf and was also trained here, the one trained here is used.
    """
    known = {spec.sha256: spec.run for spec in specs}
    refusals: list[Refusal] = []
    entries: dict[tuple[str, int], Course] = {}
    for path in sorted(results.glob("runs/*/seed*/course.json")):
        run, folder = path.parts[-3:-1]
        try:
            course = read_course(path.read_bytes(), known, scale)
            if (course.run, f"seed{course.seed}") != (run, folder):
                found = f"seed {course.seed} of {course.run}"
                raise ValueError(f"{found} lies in the folder {run}/{folder}")
            entries[course.run, course.seed] = course
        except ValueError as error:
            refusals.append(Refusal(run, f"{path}:1: {error}"))
    trained_here = set(entries)
    for path, number, line in _shelf_lines(shelf / "courses", scale):
        try:
            course = read_course(line, known, scale)
            place = (course.run, course.seed)
            if entries.setdefault(place, course) is not course and place not in trained_here:
                raise ValueError(f"seed {course.seed} of {course.run} stands above already")
        except ValueError as error:
            refusals.append(Refusal(_run_named_in(line), f"{path}:{number}: {error}"))
    return Courses(tuple(entries[key] for key in sorted(entries)), tuple(refusals))


def read_course(line: bytes, known: dict[str, str], scale: str) -> Course:
    """One course; `known` holds the runs by the hashes of their specs.

    Raises:
        ValueError: a field is missing or bad, or the course is of another scale or of settings that
            no row has.
    """
    try:
        value = json.loads(line)
    except ValueError as error:
        raise ValueError(f"not valid JSON: {error}") from None
    if not isinstance(value, dict):
        raise ValueError("must be a mapping")
    for field in fields(Course):
        if field.default is MISSING and field.name not in value:
            raise ValueError(f"missing key '{field.name}'")
    names = [field.name for field in fields(Course) if field.name in value]
    course = Course(**{name: value[name] for name in names})
    if course.scale != scale:
        raise ValueError(f"scale: {course.scale} is another scale than {scale}")
    if course.spec_sha256 not in known:
        raise ValueError(
            f"spec_sha256: no row has this spec at the {scale} scale: its settings have changed"
            " since, or its paper is not asked for"
        )
    if known[course.spec_sha256] != course.run:
        raise ValueError(f"run: a run of this spec is called {known[course.spec_sha256]}")
    return course


def _shelf_lines(shelf: Path, scale: str) -> Iterator[tuple[Path, int, bytes]]:
    for path in parts(shelf, scale):
        for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
            if line.strip():
                yield path, number, line


def _run_named_in(line: bytes) -> str:
    """What a bad line says of its run, if it says anything."""
    try:
        return str(json.loads(line)["run"])
    except (ValueError, TypeError, KeyError):
        return ""


def _check_section(name: str, section: Any, depths: dict[str, int], last: int) -> None:
    """Raise ValueError if looks are out of order, or their values of wrong number or form."""
    if not isinstance(section, dict) or "update" not in section:
        raise ValueError(f"{name}: must be a mapping with `update`")
    updates = section["update"]
    if not isinstance(updates, list) or not all(type(u) is int for u in updates):
        raise ValueError(f"{name}.update: must be a list of whole numbers")
    if not all(a < b for a, b in pairwise([0, *updates, last + 1])):
        raise ValueError(f"{name}.update: must rise from 1 to at most {last}")
    for key, values in section.items():
        if key == "update":
            continue
        if key not in depths:
            raise ValueError(f"{name}.{key}: unknown; allowed are {', '.join(depths)}")
        if not isinstance(values, list) or len(values) != len(updates):
            raise ValueError(f"{name}.{key}: must have one value for each update")
        if not all(_is_well_formed(value, depths[key]) for value in values):
            raise ValueError(
                f"{name}.{key}: must hold finite numbers or null, {FORMS[depths[key]]}"
            )
        if depths[key] and len({len(value) for value in values}) > 1:
            raise ValueError(f"{name}.{key}: must have as many layers at every look")


def _is_well_formed(value: Any, depth: int) -> bool:
    if depth:
        return isinstance(value, list) and all(_is_well_formed(v, depth - 1) for v in value)
    return value is None or (type(value) in (int, float) and isfinite(value))
