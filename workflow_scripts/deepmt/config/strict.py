"""Define the types of settings, strict and finite, and word the errors that pydantic finds."""

import difflib
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import ConfigDict, Field

STRICT = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False)
"""No text in place of a number, no unknown key, no NaN, no infinity."""

Count = Annotated[int, Field(ge=1)]
"""1, 2, ..."""
CountOrNone = Annotated[int, Field(ge=0)]
"""0, 1, 2, ..., where 0 means none, or no limit."""
Positive = Annotated[float, Field(gt=0)]
NotNegative = Annotated[float, Field(ge=0)]
Probability = Annotated[float, Field(ge=0, lt=1)]

_LIMITS = {
    "greater_than": "must be above {gt:g}",
    "greater_than_equal": "must be at least {ge:g}",
    "less_than": "must be below {lt:g}",
    "less_than_equal": "must be at most {le:g}",
}
_EXPECTED = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "string_type": "text",
    "dataclass_type": "a mapping",
    "dict_type": "a mapping",
    "tuple_type": "a list",
    "list_type": "a list",
}
_KINDS = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "a mapping",
    list: "a list",
    type(None): "empty",
}


def message(error: Mapping[str, Any]) -> str:
    """Return one of pydantic's errors as a message about the value."""
    kind, value, context = error["type"], error["input"], error.get("ctx", {})
    if kind in _LIMITS:
        return f"{value} " + _LIMITS[kind].format(**context)
    if kind in _EXPECTED:
        shown = "" if isinstance(value, dict | list) or value is None else f" ({value!r})"
        return f"must be {_EXPECTED[kind]}, but is {_KINDS.get(type(value), type(value))}{shown}"
    match kind:
        case "missing" | "union_tag_not_found":
            return "is required and not set"
        case "literal_error":
            allowed = context["expected"].replace("'", "").replace(" or ", ", ")
            return f"{value!r} is not one of {allowed}"
        case "union_tag_invalid":
            allowed = context["expected_tags"].replace("'", "")
            return f"{context['tag']!r} is not one of {allowed}"
        case "finite_number":
            return f"{value} must be a finite number"
        case "value_error":
            return str(context["error"])
    return str(error["msg"])


def unknown(key: str, known: Iterable[str]) -> str:
    """Return the message for a key that does not exist."""
    close = difflib.get_close_matches(key, list(known), n=1, cutoff=0.6)
    return "is not a setting" + (f"; did you mean {close[0]}?" if close else "")
