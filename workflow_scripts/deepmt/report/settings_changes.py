"""How two sets of settings differ, setting by setting."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from deepmt.config.papers import Paper, settings_of
from deepmt.config.spec import Spec

Changes = dict[str, tuple[Any, Any]]
"""Settings by dotted key: what they were and what they are."""


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> Changes:
    """Return the settings that two specs do not share."""
    old, new = dict(_flat(before)), dict(_flat(after))
    keys = sorted({*old, *new})
    return {key: (old.get(key), new.get(key)) for key in keys if old.get(key) != new.get(key)}


def changes_by_scale(paper: Paper, system: str, spec: Spec, full: Spec | str) -> Changes:
    """Return what `spec` has otherwise than `full`, the spec at the paper's own scale.

    A system without one is compared with what the paper's file states.
    """
    if isinstance(full, Spec):
        return differences(asdict(full), asdict(spec))
    stated, own = settings_of(paper, system), dict(_flat(asdict(spec)))
    return {
        key: (stated[key], own[key])
        for key in sorted(stated)
        if key in own and stated[key] != own[key]
    }


def describe_changes(changes: Changes) -> list[str]:
    """Return one line a setting."""
    return [f"{key}: {before} -> {after}" for key, (before, after) in changes.items()]


def _flat(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in settings.items():
        if key == "name":
            yield prefix[:-1], value
        elif isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value
