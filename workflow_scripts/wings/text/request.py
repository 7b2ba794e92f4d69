"""Check what a user asks for: a text, its languages, methods and hours."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from deepmt.base.errors import UserError
from deepmt.base.languages import language
from deepmt.settings.strict import shown
from deepmt.study.papers import Paper, find_table

TABLES = ("unified.table6", "unified.table1")
"""Tables whose rows are the methods; where both have a method, it is that of the last."""
BASELINE = "unified.t1.shallow-post"
"""Row that every text trains besides the methods: it shows what depth is worth."""
SYSTEM = re.compile(r"deep-(encoder-)?(?P<deep>.+)|(?P<shallow>shallow-.+)")
"""A deep system is asked for by the name of its method, a shallow one by its own."""
ALIASES = {"dlcl": "dlcl-pre"}
"""Wang et al. 2019 propose DLCL for pre-norm Transformers."""
USUAL = ("pre", "post")
"""Methods that people look for, named first."""
METHODS = "shallow-transparent,pre,dlcl-pre,tfixup"
"""Methods of a text for which none are named."""
LONGEST_NAME = 100
"""Characters of the name of a text: files that hold it, and more, may have 255."""


@dataclass(frozen=True, kw_only=True)
class TextRequest:
    """Hold what the user asks for; the text and the hours decide all other settings."""

    text: Path
    source: str
    target: str
    name: str
    methods: str
    hours: float
    more: bool
    """The hours come on top of those of before."""

    @property
    def languages(self) -> tuple[str, str]:
        """Return the source and target languages."""
        return self.source, self.target

    @property
    def scale(self) -> str:
        """Return the name of the scale."""
        return f"text-{self.name}-{self.source}-{self.target}"

    @property
    def corpus(self) -> str:
        """Return the key of the corpus."""
        return f"{self.scale}.{self.source}-{self.target}"

    @property
    def title(self) -> str:
        """Return the title of the text."""
        return f"{self.name}, {self.source} to {self.target}"


def request(text: str, direction: str, *, methods: str, hours: str, name: str) -> TextRequest:
    """Check what is requested; methods are known later, by the papers.

    Raises:
        ValueError: names the setting and what it must be.
    """
    if not text:
        raise UserError("text: none is given: make text DIR=folder/of/text DIRECTION=en-de")
    path = Path(text).expanduser()
    source, target = _languages(direction)
    name = name or _name_of(path)
    _check_name(name)
    found = re.fullmatch(r"(\+?)(\d+(\.\d*)?|\.\d+)", hours)
    if not found:
        raise UserError(f"hours={hours}: must be a number, such as 2, or +2 to continue")
    return TextRequest(
        text=path,
        source=source,
        target=target,
        name=name,
        methods=methods,
        hours=float(found[2]),
        more=bool(found[1]),
    )


def _languages(direction: str) -> tuple[str, str]:
    found = re.fullmatch(r"([a-z]{2,3})-([a-z]{2,3})", direction)
    try:
        codes = {language(code).code for code in found.groups()} if found else set()
    except ValueError as error:
        raise UserError(f"direction={direction}: {error}") from None
    if not found or len(codes) < 2:
        raise UserError(
            f"direction={direction}: must be two languages of two or three small letters each,"
            " such as direction=en-de"
        )
    return found[1], found[2]


def _name_of(path: Path) -> str:
    """Return the name of a folder, or that of a file up to its first dot."""
    name = path.resolve().name
    return name if path.is_dir() else name.partition(".")[0]


def _check_name(name: str) -> None:
    if wrong := re.search(r"[^A-Za-z0-9_+-]", name) or re.match(r"[^A-Za-z0-9]|$", name):
        character = f"{wrong[0]!r} (U+{ord(wrong[0]):04X})" if wrong[0] else "an empty name"
        raise UserError(
            f"name={name}: {character} cannot be there, since it names files; give NAME=... of"
            " letters from A to z, digits, _, + and -, with a letter or digit first"
        )
    if len(name) > LONGEST_NAME:
        raise UserError(f"name={name}: has over {LONGEST_NAME} characters; give NAME=...")


def method_rows(unified: Paper) -> dict[str, str]:
    """Map the methods that may be requested to their rows in papers/unified.yaml."""
    rows = [row for name in TABLES for row in find_table(unified, name).rows]
    found = ((SYSTEM.fullmatch(str(row.system)), row.id) for row in rows)
    return {match["deep"] or match["shallow"]: row for match, row in found if match}


def requested_rows(methods: str, known: Mapping[str, str]) -> list[str]:
    """Return the rows of methods with commas between.

    Raises:
        ValueError: a method is unknown; names all.
    """
    words = [word.strip() for word in methods.split(",")]
    for method in words:
        if ALIASES.get(method, method) not in known:
            others = sorted({*known, *ALIASES} - {*USUAL})
            raise UserError(
                f"methods: unknown method {shown(method)}; there are {', '.join([*USUAL, *others])}"
            )
    return [known[ALIASES.get(method, method)] for method in words]
