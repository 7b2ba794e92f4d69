"""Names that a setting of a spec may have: tests that try all of them see a new one."""

from typing import get_args, get_type_hints


def choices(section: type, key: str) -> tuple[str, ...]:
    """As the type of the setting lists them, its default first."""
    return get_args(get_type_hints(section)[key])
