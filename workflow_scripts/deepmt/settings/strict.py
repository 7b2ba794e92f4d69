"""Define the types of settings, strict and finite, and word the errors that pydantic finds."""

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, TypeVar

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, ValidationError

from deepmt.base.errors import UserError

STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
"""No text in place of a number, no unknown key, no NaN, no infinity."""
CHECKED = STRICT | ConfigDict(extra="ignore")
"""The same of a file that may have keys that are not read."""
IF_GIVEN = Field(exclude_if=lambda value: value in (None, ()))
"""Of a key that a file lacks where there is nothing to say."""

MOST = 2**31 - 1
Count = Annotated[int, Field(ge=1, le=MOST)]
"""1, 2, ..."""
CountOrNone = Annotated[int, Field(ge=0, le=MOST)]
"""0, 1, 2, ..., where 0 means none, or no limit."""
Tokens = Annotated[int, Field(ge=0, le=10**18)]
"""Tokens of all updates: 100,000 of 25,000 are more than 2^31."""
Few = Annotated[int, Field(ge=1, le=1000)]
"""A number of layers, jobs, threads or other things that cost time or memory each."""
Size = Annotated[int, Field(ge=1, le=2**16)]
"""A dimension of a matrix."""
FewOrNone = Annotated[int, Field(ge=0, le=1000)]
OneOrNone = Annotated[int, Field(ge=0, le=1)]
Seed = Annotated[int, Field(ge=0, lt=2**32)]
Decimals = Annotated[int, Field(ge=0, le=10)]
Number = Annotated[float, Field(ge=-1e18, le=1e18)]
Positive = Annotated[float, Field(gt=0, le=1e18)]
NotNegative = Annotated[float, Field(ge=0, le=1e18)]
Perplexity = Annotated[float, Field(ge=1)]
Probability = Annotated[float, Field(ge=0, lt=1)]


def _check_ratio(value: float) -> float:
    if 0 < value < 1:
        raise UserError(f"{value:g} must be 0 (no limit) or at least 1")
    return value


Ratio = Annotated[float, Field(ge=0, le=1000), AfterValidator(_check_ratio)]
"""The length of the longer side over that of the shorter; 0 = no limit."""
NAME = r"[A-Za-z0-9][A-Za-z0-9._+-]*"
Name = Annotated[str, Field(pattern=f"^{NAME}$")]
"""A plain word: it becomes part of a file name, a command or a wildcard."""
NameInPaper = Annotated[str, Field(pattern=f"^{NAME}(/{NAME})?$")]
"""A name, or <paper>/<name>."""
T = TypeVar("T")


def one_of(words: Iterable[str]) -> Any:
    """Return what bounds a text to some words: Annotated[str, one_of(("a", "b"))]."""
    return Field(pattern=f"^({'|'.join(words)})$")


def _check_distinct(values: tuple[T, ...]) -> tuple[T, ...]:
    if repeated := [value for value in values if values.count(value) > 1]:
        raise UserError(f"{repeated[0]} is given twice")
    return values


def _check_some(values: tuple[T, ...]) -> tuple[T, ...]:
    if not values:
        raise UserError("needs at least one")
    return values


def as_tuple(value: Any) -> tuple[Any, ...]:
    """Return a list as a tuple, and any other value as a tuple of one."""
    return tuple(value) if isinstance(value, list | tuple) else (value,)


OneOrSeveral = Annotated[tuple[T, ...], BeforeValidator(as_tuple)]
"""A list, or one value without brackets."""
Some = Annotated[tuple[T, ...], AfterValidator(_check_some)]
Distinct = Annotated[tuple[T, ...], AfterValidator(_check_distinct)]
DistinctSome = Annotated[Some[T], AfterValidator(_check_distinct)]

MOST_LISTED = 20
"""Choices that a message lists."""


def shown(value: object) -> str:
    """Return a value as code, cut to a length that fits into a message."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def message(error: Mapping[str, Any]) -> str:
    """Return one of pydantic's errors as a message about the value."""
    context = error.get("ctx", {})
    match error["type"]:
        case "missing" | "union_tag_not_found":
            return "is required and not set"
        case "literal_error":
            return unknown("value", str(error["input"]), _quoted(context["expected"]))
        case "union_tag_invalid":
            return unknown("value", context["tag"], _quoted(context["expected_tags"]))
        case "value_error":
            return str(context["error"])
    return re.sub("^(Input|String)", lambda _: shown(error["input"]), str(error["msg"]))


def _quoted(words: str) -> list[str]:
    """Return the words that one of pydantic's messages quotes."""
    return re.findall(r"'([^']*)'", words)


def unknown(kind: str, word: str, allowed: Iterable[str]) -> str:
    """Return the message about a word that is not allowed, with a suggestion."""
    return f"unknown {kind} {shown(word)}{did_you_mean(word, sorted(set(allowed)))}"


def look_up(kind: str, key: str, known: Mapping[str, T], where: str = "") -> T:
    """Return the entry of a key; raise ValueError, with a suggestion, if there is none."""
    if key not in known:
        raise UserError(f"{where}{unknown(kind, key, known)}")
    return known[key]


def nearest(word: str, choices: Sequence[str]) -> str:
    """Return the end of a message that names the nearest choice, or nothing if none is near."""
    near = difflib.get_close_matches(word, choices, n=1)
    return f"; did you mean '{near[0]}'?" if near else ""


def did_you_mean(word: str, choices: Iterable[str]) -> str:
    """Return the end of a message about an unknown word: the nearest choice, and all if few."""
    choices = list(choices)
    guess = nearest(word, choices)
    if guess and len(choices) > MOST_LISTED:
        return guess
    more = f" and {len(choices) - MOST_LISTED} more" if len(choices) > MOST_LISTED else ""
    return f"{guess} (allowed: {', '.join(choices[:MOST_LISTED]) or 'none'}{more})"


def message_of(error: ValueError) -> str:
    """Return all problems of an entry in one line."""
    if not isinstance(error, ValidationError):
        return str(error)
    found = ((".".join(map(str, each["loc"])), message(dict(each))) for each in error.errors())
    return "; ".join(dict.fromkeys(": ".join(filter(None, problem)) for problem in found))
