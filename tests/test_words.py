"""Names and phrases are the field's own and plain English; a private vocabulary does not return."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CODE = sorted(
    path for folder in ("workflow_scripts", "bench") for path in (ROOT / folder).rglob("*.py")
)
TEXTS = sorted(
    [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "config.yaml", "Makefile")]
    + [
        path
        for folder in ("docs", "rules", "papers", "scales")
        for path in (ROOT / folder).glob("*.*")
        if path.suffix not in (".png", ".svg")
    ]
    + list((ROOT / "workflow_scripts").rglob("*.j2"))
)

BANNED_PARTS = set(
    "shelf shelve shelved shelves ledger ledgers sheet sheets course courses sight sights surprise "
    "lineage wiring shrink outlook doing wanted signs told stands".split()
)
"""Never part of a name."""
BANNED_NAMES = set(
    "answer answers look looks watch stall_share turn place places position engine moment entries "
    "way_forward way_back set sets encoding encodings skip branch inputs memory decay life left "
    "material encoded_set encoded_sets decoded_sets sets_asked_for".split()
)
"""Never a whole name of a module, class, function, setting or column."""
BANNED_PHRASES = [
    r"\b(is|are|was|were|be|been) told\b",
    r"\b(?<!re)stands?\b(?!-)",
    r"\bso many\b",
    r"\bof which\b",
    r"\bway (forward|back)\b",
    r"\bshel(f|ves?|ved)\b",
    r"\bledgers?\b",
    r"(?<!\bof )\bcourses?\b",
    r"\bsights?\b",
    r"\bsurprise\b",
]
NO_VERBS = set(
    "What Whether Of Whatever Whose Who How Why Which Where When The A An All Any Some Each Every "
    "Both One Two No None Nothing Neither Either Only If For From In As By With To Its".split()
)
"""First words that do not begin a sentence with a verb."""


def split(name: str) -> str:
    """Return DivergenceDetector as divergence_detector."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower().strip("_")


def names(path: Path) -> Iterator[str]:
    """Yield the names of a module, its classes and functions, and its classes' fields."""
    yield path.stem
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ClassDef):
            fields = [part.target for part in node.body if isinstance(part, ast.AnnAssign)]
            written = {"config", "results"} & set(path.parts)  # settings and columns
            yield from (name.id for name in fields if written and isinstance(name, ast.Name))
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node.name


def documented(path: Path) -> Iterator[tuple[ast.AST, str]]:
    """Yield what has a docstring, and the docstring."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            text = ast.get_docstring(node)
            if text is not None:
                yield node, text


def phrases(text: str) -> list[str]:
    """Return the banned phrases of a text."""
    flat = " ".join(text.split())
    return [found[0] for phrase in BANNED_PHRASES for found in re.finditer(phrase, flat, re.I)]


def texts_of(path: Path) -> str:
    """Return docstrings, messages and comments of a module, or the whole of another file."""
    text = path.read_text()
    if path.suffix != ".py":
        return text
    strings = [
        node.value
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    return "\n".join([*strings, *re.findall(r"#.*", text)])


def test_names_are_those_of_the_field() -> None:
    assert not [
        f"{path.relative_to(ROOT)}: {name}"
        for path in CODE
        for name in map(split, names(path))
        if name in BANNED_NAMES or BANNED_PARTS & set(name.split("_"))
    ]


def test_english_is_plain() -> None:
    found = {path.relative_to(ROOT): phrases(texts_of(path)) for path in [*CODE, *TEXTS]}
    assert not {path: each for path, each in found.items() if each}


def test_a_docstring_begins_with_a_verb() -> None:
    assert not [
        f"{path.relative_to(ROOT)}: {text.splitlines()[0]}"
        for path in CODE
        for node, text in documented(path)
        if not begins_with_a_verb(text, isinstance(node, ast.FunctionDef))
    ]


def begins_with_a_verb(text: str, of_a_function: bool) -> bool:
    """Check the first word, as far as a list of words that are no verbs can tell."""
    first = text.split()[0].rstrip(",.:")
    if not of_a_function:
        return first not in {"What", "Whether", "Of"}
    return bool(re.fullmatch(r"[A-Z][a-z]+(-[a-z]+)?", first)) and first not in NO_VERBS


@pytest.mark.parametrize("text", ["Whether it runs.", "The rows.", "[B, T] -> [B, T]."])
def test_a_docstring_without_a_verb_is_found(text) -> None:
    assert not begins_with_a_verb(text, True)


@pytest.mark.parametrize(
    "text", ["a mistake is told before a job", "What stands so far.", "the ledger", "so many rows"]
)
def test_a_banned_phrase_is_found(text) -> None:
    assert phrases(text)
