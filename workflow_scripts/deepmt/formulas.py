"""Keep spreadsheets from running text cells of CSV files as formulas."""

import re
from typing import Any

from deepmt.printable import printable

NUMBER = r"[+-](?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\Z"
FORMULA = re.compile(rf"'*(?!{NUMBER})[=+\-@\t].", re.DOTALL)
"""Text that begins like a formula, and is neither a number nor a single sign such as +."""


def quote(value: Any) -> Any:
    """Return text with a leading ' if it begins like a formula, and any other value as it is.

    Control characters are escaped: a carriage return, which Python 3.11 writes without quotes,
    would begin a new line.
    """
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if FORMULA.match(text) else text


def unquote(value: Any) -> Any:
    """Return a value as it was before `quote`."""
    quoted = isinstance(value, str) and value.startswith("'") and FORMULA.match(value[1:])
    return value[1:] if quoted else value


def quote_frame(frame: Any) -> Any:
    """Return a data frame with all text quoted."""
    texts = frame.select_dtypes(["object", "str"]).columns
    return frame.assign(**{name: frame[name].map(quote) for name in texts})
