"""Imports point one way: `spec -> data, kernels -> model -> init -> train, decode -> measure`."""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from deepmt import code_sums

SCRIPTS = Path(__file__).parents[1] / "workflow_scripts"
SCRIPT_NAMES = {path.stem for path in SCRIPTS.glob("*.py")}
BASE = {path.stem for path in (SCRIPTS / "deepmt").glob("*.py")}
"""Modules at the top of `deepmt/`, which every package may import."""
ALLOWED = {
    "spec": {"spec"},
    "config": {"spec", "config"},
    "data": {"spec", "data"},
    "kernels": {"kernels"},
    "model": {"spec", "data", "kernels", "model"},
    "init": {"spec", "data", "model", "init"},
    "train": {"spec", "data", "kernels", "model", "init", "train"},
    "decode": {"spec", "data", "kernels", "model", "decode"},
    "scores": {"spec", "data", "scores"},
    "measure": {"spec", "config", "data", "model", "init", "train", "decode", "measure"},
    "results": {"spec", "config", "scores", "results"},
    "judge": {"spec", "config", "scores", "results", "judge"},
    "estimate": {"spec", "config", "kernels", "estimate"},
    "text": {"spec", "config", "data", "measure", "estimate", "text"},
    "report": {"spec", "config", "results", "judge", "text", "report"},
    "export": {"spec", "config", "data", "model", "init", "decode", "export"},
    "status": {"results", "status"},
}
"""Which packages each may import."""
JOBS = (
    "fetch extract monolingual join_synthetic encode training_sample back_translate initialise"
    " train average translate score record"
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
    """List the imports of a file that point the wrong way."""
    parts = file.relative_to(SCRIPTS).parts
    package = parts[1] if len(parts) > 2 else ""
    found = []
    for name in imports(file.read_text(encoding="utf-8")):
        first, _, rest = name.partition(".")
        if first in SCRIPT_NAMES:
            found.append(f"{file.name} imports the script {first}")
        if first == "torch" and package in ("spec", "config"):
            found.append(f"{file.name} imports torch")
        other = rest.partition(".")[0]
        if first == "deepmt" and other not in BASE | ALLOWED.get(package, set()):
            found.append(f"{'/'.join(parts[1:])} imports {name}")
    return found


FILES = sorted((SCRIPTS / "deepmt").rglob("*.py"))


def test_imports_point_one_way() -> None:
    assert [found for file in FILES for found in violations(file)] == []


def test_jobs_import_no_planning() -> None:
    """A job is told what to do by its inputs, which `deepmt/spec` reads and checks."""
    rules = "".join(path.read_text() for path in (SCRIPTS.parent / "rules").glob("*.smk"))
    roots = [SCRIPTS / f"{name}.py" for name in JOBS]
    assert all(f"/{name}.py " in rules for name in JOBS)
    roots += [*(SCRIPTS / "deepmt/model").glob("*.py"), *(SCRIPTS / "deepmt/init").glob("*.py")]
    planning = code_sums.SCRIPTS / "deepmt/config"
    assert [p.name for p in code_sums.closure(roots) if p.is_relative_to(planning)] == []


def test_errors_that_we_raise_are_for_users() -> None:
    """Only a UserError ends a script with its message alone; a ValueError is a bug's."""
    raised = [
        f"{file.name}:{node.lineno}"
        for file in (*FILES, *SCRIPTS.glob("*.py"))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)
        if ast.unparse(node.exc.func) == "ValueError"
    ]
    assert raised == []


def test_every_package_has_its_place() -> None:
    folders = {path.parent.name for path in (SCRIPTS / "deepmt").glob("*/__init__.py")}
    assert folders == set(ALLOWED)


def test_no_two_files_or_classes_share_a_name() -> None:
    files = Counter(file.name for file in FILES if file.name != "__init__.py")
    classes = Counter(
        node.name
        for file in FILES
        for node in ast.parse(file.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    )
    assert [name for name, times in (files + classes).items() if times > 1] == []
