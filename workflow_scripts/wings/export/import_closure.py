"""Find the modules and packages that translation with one method imports."""

import ast
import sys
from ast import walk
from collections.abc import Iterable, Iterator
from importlib.metadata import packages_distributions, version
from pathlib import Path

from deepmt.base.code_sums import SCRIPTS, SETTINGS, files_of, parse, path_of
from deepmt.base.files import visible
from deepmt.base.languages import language
from deepmt.settings.method import model_modules
from deepmt.settings.spec import Spec
from wings.export import standalone_program

PROGRAM = Path(standalone_program.__file__)


def needed_files(spec: Spec) -> dict[str, Path]:
    """Return the files to copy by their name in the folder.

    Options of all methods are among them, since a spec is read by their union.
    """
    options = visible(SETTINGS / "methods", "*.py")
    found: set[Path] = set()
    waiting = [PROGRAM, *map(path_of, model_modules(spec.method)), *options]
    while waiting:
        if (file := waiting.pop()) not in found:
            found.add(file)
            waiting += files_of(parse(file.read_bytes())[1])
            waiting += packages_around(file)
    names = {str(file.relative_to(SCRIPTS)): file for file in sorted(found - {PROGRAM})}
    return {"translate.py": PROGRAM, "deepmt/LICENSE": SCRIPTS.parent / "LICENSE"} | names


def packages_around(file: Path) -> Iterator[Path]:
    """Yield the files of the packages that a module of `deepmt` lies in."""
    for folder in file.parents:
        if (package := folder / "__init__.py").exists() and folder.is_relative_to(
            SCRIPTS / "deepmt"
        ):
            yield package


def pinned_packages(files: Iterable[Path], spec: Spec) -> str:
    """Return requirements.txt: what the files import, but for libraries of other text steps."""
    modules = (file for file in files if file.suffix == ".py")
    names = {name for file in modules for name in imported(file)} - unused_libraries(spec)
    known = packages_distributions()
    wanted = {known[name][0] for name in names if name in known}
    return "".join(f"{name}=={version(name).partition('+')[0]}\n" for name in sorted(wanted))


def imported(file: Path) -> Iterator[str]:
    """Yield the first part of the names that a file imports from other packages."""
    for node in walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        else:
            modules = [str(node.module)] if isinstance(node, ast.ImportFrom) else []
        firsts = {module.partition(".")[0] for module in modules}
        yield from firsts - {"deepmt"} - sys.stdlib_module_names


def unused_libraries(spec: Spec) -> set[str]:
    """Return the libraries of text steps and subwords that this model does without."""
    data = spec.data
    chinese = language(data.source).tokeniser == "zh"
    used = {
        "sentencepiece": data.subword == "sentencepiece",
        "subword_nmt": data.subword == "bpe",
        "sacremoses": data.tokenise == "moses" or data.normalise,
        "jieba": data.tokenise == "moses" and chinese,
    }
    return {name for name, wanted in used.items() if not wanted}
