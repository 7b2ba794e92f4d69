"""Imports point one way: `config -> data, kernels -> model -> init -> train, decode -> metrics`."""

import ast
import importlib
import inspect
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import get_type_hints

from deepmt.code_sums import closure
from deepmt.config.corpora import Corpora, Corpus, HeldOut, Part
from deepmt.config.spec import Spec

SCRIPTS = Path(__file__).parents[1] / "workflow_scripts"
SCRIPT_NAMES = {path.stem for path in SCRIPTS.glob("*.py")}
BASE = {path.stem for path in (SCRIPTS / "deepmt").glob("*.py")}
"""Modules at the top of `deepmt/`, which every package may import."""
ALLOWED = {
    "config": {"config"},
    "data": {"config", "data"},
    "kernels": {"config", "kernels"},
    "model": {"config", "data", "kernels", "model"},
    "init": {"config", "data", "kernels", "model", "init"},
    "train": {"config", "data", "kernels", "model", "init", "train"},
    "decode": {"config", "data", "kernels", "model", "init", "decode"},
    "metrics": {"config", "data", "kernels", "model", "init", "train", "decode", "metrics"},
    "results": {"config", "data", "metrics", "results"},
    "judge": {"config", "data", "metrics", "results", "judge"},
    "report": {"config", "data", "metrics", "results", "judge", "report"},
    "estimate": {"config", "kernels", "estimate"},
    "export": {"config", "data", "kernels", "model", "init", "decode", "export"},
    "status": {"results", "status"},
}
"""Which packages each may import."""
DERIVED = set(
    "archives continuable dataset languages name names origin run section sections sha256"
    " sha256_of_updates".split()
)
"""Properties of settings that jobs may read: names, and what rules and inputs hold as well."""
READERS = {
    "load_corpora", "read_spec", "readable_specs", "read_file", "check_folder_name", "modules_of",
    "initialisation_module", "Corpora.archive", "Corpora.corpus",
}  # fmt: skip
"""Functions of `config` that jobs may call: their results are among a job's inputs and parameters,
or in its name.
"""


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
        if first == "torch" and package == "config":
            found.append(f"{file.name} imports torch")
        other = rest.partition(".")[0]
        if first == "deepmt" and other not in BASE | ALLOWED.get(package, set()):
            found.append(f"{'/'.join(parts[1:])} imports {name}")
    return found


FILES = sorted((SCRIPTS / "deepmt").rglob("*.py"))


def test_imports_point_one_way() -> None:
    assert [found for file in FILES for found in violations(file)] == []


def logic(source: str) -> list[str]:
    """List what a file takes from `config` besides classes of settings and readers."""
    found = []
    for name in imports(source):
        module, _, attribute = name.rpartition(".")
        if module.startswith("deepmt.config"):
            value = getattr(importlib.import_module(module), attribute)
            called = [attribute]
            if inspect.isclass(value):
                called = [
                    f"{attribute}.{key}"
                    for key, method in vars(value).items()
                    if inspect.isfunction(method) and not key.startswith("_")
                    if len(inspect.signature(method).parameters) > 1
                ]
            found += [f"{module}: {each}" for each in called if each not in READERS]
    read = {node.attr for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)}
    return found + sorted(read & properties() - DERIVED)


@cache
def properties() -> set[str]:
    """Return the properties of all settings that a spec or a corpus holds."""
    classes = [*get_type_hints(Spec).values(), Spec, Corpora, Corpus, Part, HeldOut]
    members = [item for each in classes for item in vars(each).items()]
    return {key for key, value in members if isinstance(value, property | cached_property)}


def test_jobs_take_decisions_from_config_and_no_logic() -> None:
    """`code_of(..., without=("config",))` then leaves out nothing that a job computes."""
    rules = "".join(path.read_text() for path in (SCRIPTS.parent / "rules").glob("*.smk"))
    names = re.findall(r'code_of\("(\w+\.py)".*without', rules)
    roots = [SCRIPTS / name for name in names]
    roots += [*(SCRIPTS / "deepmt/model").glob("*.py"), *(SCRIPTS / "deepmt/init").glob("*.py")]
    jobs = [path for path in closure(roots, without=["config"]) if path.suffix == ".py"]
    assert len(names) > 10
    assert {path.name: found for path in jobs if (found := logic(path.read_text()))} == {}


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
