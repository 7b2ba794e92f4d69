"""Imports point one way: `settings -> data, kernels -> model -> init -> train, decode`."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from deepmt.base import code_sums

SCRIPTS = Path(__file__).parents[1] / "workflow_scripts"
ALLOWED = {
    "base": {"base"},
    "settings": {"base", "settings"},
    "study": {"base", "settings", "study"},
    "data": {"base", "settings", "data"},
    "kernels": {"base", "kernels"},
    "model": {"base", "settings", "data", "kernels", "model"},
    "init": {"base", "settings", "data", "model", "init"},
    "train": {"base", "settings", "data", "kernels", "model", "init", "train"},
    "decode": {"base", "settings", "data", "kernels", "model", "decode"},
    "scores": {"base", "settings", "data", "scores"},
    "untrained": {
        *("base", "settings", "study", "data", "model", "init", "train", "decode", "untrained"),
    },
    "measured": {"base", "settings", "study", "data", "train", "scores", "measured"},
    "judge": {"base", "settings", "study", "scores", "measured", "judge"},
    "report": {"base", "settings", "study", "measured", "judge", "report"},
    "machines": {"base", "settings", "study", "kernels", "measured", "machines"},
}
"""Which packages each may import."""
JOBS = (
    "fetch extract monolingual join_synthetic encode back_translate initialise train average"
    " translate score record"
).split()
"""Scripts that make results: none of them is run again because planning reads otherwise."""


def imports(source: str) -> Iterator[str]:
    """Yield the dotted name of every module that a file imports."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{name.name}" for name in node.names)


def violations(file: Path) -> list[str]:
    """List the imports of a file of `deepmt` that point the wrong way."""
    place = file.relative_to(SCRIPTS / "deepmt")
    package = place.parts[0]
    found = []
    for name in imports(file.read_text(encoding="utf-8")):
        first, _, rest = name.partition(".")
        if first in ("jobs", "commands", "wings"):
            found.append(f"{place} imports {first}, which lies above it")
        if first == "torch" and package in ("settings", "study"):
            found.append(f"{place} imports torch")
        if first == "deepmt" and rest.partition(".")[0] not in ALLOWED.get(package, set()):
            found.append(f"{place} imports {name}")
    return found


FILES = sorted((SCRIPTS / "deepmt").glob("*/**/*.py"))
WINGS = sorted((SCRIPTS / "wings").rglob("*.py"))


def test_imports_point_one_way() -> None:
    assert [found for file in FILES for found in violations(file)] == []


def test_jobs_import_no_planning() -> None:
    """A job is told what to do by its inputs, which `deepmt/settings` reads and checks."""
    rules = "".join(path.read_text() for path in (SCRIPTS.parent / "rules").glob("*.smk"))
    roots = [SCRIPTS / f"jobs/{name}.py" for name in JOBS]
    assert all(f"/jobs/{name}.py " in rules for name in JOBS)
    roots += [*(SCRIPTS / "deepmt/model").glob("*.py"), *(SCRIPTS / "deepmt/init").glob("*.py")]
    planning = code_sums.SCRIPTS / "deepmt/study"
    assert [p.name for p in code_sums.closure(roots) if p.is_relative_to(planning)] == []


@pytest.mark.parametrize(
    ("jobs", "libraries"),
    [
        (("score", "record", "render", "tune"), {"torch", "safetensors"}),
        (("average",), {"torch"}),
    ],
)
def test_jobs_without_a_model_need_no_torch(jobs: tuple[str, ...], libraries: set[str]) -> None:
    """Reports are made where torch is not installed (envs/data.yaml), and it takes a second."""
    files = code_sums.closure([SCRIPTS / f"jobs/{name}.py" for name in jobs])
    found = [
        path.name
        for path in files
        if path.suffix == ".py"
        if {name.partition(".")[0] for name in imports(path.read_text(encoding="utf-8"))}
        & libraries
    ]
    assert found == []


def test_errors_that_we_raise_are_for_users() -> None:
    """Only a UserError ends a script with its message alone; a ValueError is a bug's."""
    raised = [
        f"{file.name}:{node.lineno}"
        for file in (*FILES, *WINGS, *SCRIPTS.glob("jobs/*.py"), *SCRIPTS.glob("commands/*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)
        if ast.unparse(node.exc.func) == "ValueError"
    ]
    assert raised == []


def test_every_package_has_its_place() -> None:
    folders = {path.parent.name for path in (SCRIPTS / "deepmt").glob("*/__init__.py")}
    assert folders == set(ALLOWED)


def test_no_two_files_or_classes_share_a_name() -> None:
    files = Counter(file.name for file in (*FILES, *WINGS) if not file.name.startswith("__"))
    classes = Counter(
        node.name
        for file in (*FILES, *WINGS)
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, times in (files + classes).items() if times > 1] == []
