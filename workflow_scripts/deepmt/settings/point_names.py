"""Name the folder of what other weights than those of a run's end translate, and read its name."""

import re

NAMES = {"checkpoint": "checkpoint", "milestone": "update"}
"""Option of average.py that chooses the weights -> the name, without its number."""
OPTIONS = {name: option for option, name in NAMES.items()}
POINT = rf"({'|'.join(OPTIONS)})(\d+)"


def point_name(option: str, number: int) -> str:
    """Return e.g. "update1200" for milestone 1200."""
    return f"{NAMES[option]}{number}"


def weights_at(point: str) -> dict[str, int]:
    """Return e.g. {"milestone": 1200} for "update1200", and nothing for any other folder."""
    found = re.fullmatch(POINT, point)
    return {OPTIONS[found[1]]: int(found[2])} if found else {}
