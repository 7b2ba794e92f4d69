"""Made-up courses of the invented paper's runs."""

from pathlib import Path
from typing import Any

import invented

from deepmt.results.record_archive import one_line


def course_of(row: str, seed: int = 1, **changes: Any) -> dict[str, Any]:
    """The JSON object of a seed in which nothing was looked at but what `changes` names."""
    spec = invented.SPECS[row]
    return {
        "schema": "course/1",
        "run": spec.run,
        "spec_sha256": spec.sha256,
        "seed": seed,
        "scale": "toy",
        "updates": 20,
    } | changes


def write_course(folder: Path, found: dict[str, Any]) -> Path:
    """Put a course where the workflow would."""
    path = folder / "results" / "runs" / found["run"] / f"seed{found['seed']}" / "course.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(one_line(found))
    return path


def write_shelved_courses(folder: Path, *found: dict[str, Any]) -> Path:
    """Put courses on the shelf, one a line."""
    path = folder / "records" / "courses" / "toy.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{one_line(each)}\n" for each in found))
    return path
