"""Find the files that a stage runs, and hash their code without comments and layout."""

import ast
import hashlib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from deepmt.base.files import visible

SCRIPTS = Path(__file__).resolve().parents[2]
SETTINGS = SCRIPTS / "deepmt/settings"
"""Checks what jobs are told, which is in their inputs: a new option changes no job's code. A spec
leaves defaults of methods out, so these count beside the code."""
PACKAGES = ("deepmt", "wings")
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def closure(roots: Iterable[Path]) -> list[Path]:
    """Return `roots` and all project files that they import, directly or indirectly.

    Data files beside an imported module are included. `SETTINGS` is left out, along with everything
    that only it imports.
    """
    found: set[Path] = set()
    waiting = [root.absolute() for root in roots]
    while waiting:
        file = waiting.pop()
        if file in found or file.is_relative_to(SETTINGS):
            continue
        found.add(file)
        waiting += _imported(file)
    folders = {file.parent for file in found if file.suffix == ".py"} - {
        SCRIPTS,
        SCRIPTS / "deepmt",
    }
    return sorted(found.union(*map(_data_beside, folders)))


def code_sum(files: Iterable[Path], defaults: Iterable[str] = ()) -> str:
    """Return a hash of the code of `files`, and of defaults, as 16 hexadecimal digits."""
    return hashlib.sha256("".join(lines(files, defaults)).encode()).hexdigest()[:16]


def training_code(modules: Iterable[str], defaults: Iterable[str]) -> str:
    """Return the sum of what trains a model: the code of `modules`, and its method's defaults."""
    return _sum_of("deepmt/train/run.py", tuple(modules), tuple(defaults))


def search_code(modules: Iterable[str], defaults: Iterable[str]) -> str:
    """Return the sum of what translates with a model, likewise."""
    return _sum_of("deepmt/decode/translate.py", tuple(modules), tuple(defaults))


@cache
def _sum_of(root: str, modules: tuple[str, ...], defaults: tuple[str, ...]) -> str:
    roots = [SCRIPTS / root, *map(path_of, modules)]
    return code_sum(closure(roots), defaults)


def path_of(module: str) -> Path:
    """Return the file of a project module, e.g. deepmt.model.dlcl."""
    return SCRIPTS.joinpath(*module.split(".")).with_suffix(".py")


def files_of(names: Iterable[str]) -> list[Path]:
    """Return the files of the project's modules among these names."""
    paths = [SCRIPTS.joinpath(*name.split(".")) for name in names]
    files = [path.with_suffix(".py") for path in paths] + [path / "__init__.py" for path in paths]
    return [file for file in files if file.is_file()]


def lines(files: Iterable[Path], defaults: Iterable[str] = ()) -> Iterator[str]:
    """Yield one line for each file, with its sum and its name, then one for each default."""
    for file in files:
        yield f"{_parsed(file)[0]}  {file.relative_to(SCRIPTS)}\n"
    yield from (f"{one}\n" for one in defaults)


@cache
def _imported(file: Path) -> list[Path]:
    return files_of(_parsed(file)[1])


@cache
def _parsed(file: Path) -> tuple[str, list[str]]:
    content = file.read_bytes()
    if file.suffix == ".py":
        return parse(content)
    return hashlib.sha256(content).hexdigest()[:16], []


def parse(source: bytes) -> tuple[str, list[str]]:
    """Return the sum of a module without comments, docstrings and layout, and its own imports.

    Empty and absent fields are left out, so that every supported Python gives the same sum.
    """
    text: list[str] = []
    names: set[str] = set()
    _read(ast.parse(source), text, names)
    ours = sorted(name for name in names if name.split(".")[0] in PACKAGES)
    return hashlib.sha256("\n".join(text).encode()).hexdigest()[:16], ours


@cache
def _data_beside(folder: Path) -> set[Path]:
    there = visible(folder, "*")
    plain = [path for path in there if path.is_dir() and not (path / "__init__.py").exists()]
    files = [*there, *(file for path in plain for file in visible(path, "**/*"))]
    return {file for file in files if file.is_file() and file.suffix not in (".py", ".pyc")}


def _read(node: object, text: list[str], names: set[str]) -> None:
    """Append the syntax tree below `node` to `text`, and what it imports to `names`."""
    if isinstance(node, list):
        for part in node:
            _read(part, text, names)
    elif not isinstance(node, ast.AST):
        text.append(repr(node))
        return
    else:
        text.append(type(node).__name__)
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.update((str(node.module), *(f"{node.module}.{a.name}" for a in node.names)))
        for field in node._fields:
            value = getattr(node, field, None)
            if field == "body" and isinstance(node, DOCUMENTED):
                # Drop docstrings, also those below constants.
                value = [part for part in node.body if not _is_docstring(part)]
            if value is not None and value != []:
                text.append(field)
                _read(value, text, names)
    text.append(")")


def _is_docstring(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)
