"""How a system comes to its spec: from which other systems, and what the scale changed."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from deepmt.config.papers import Paper, System, settings_of
from deepmt.config.settings import Plan, load_scale, resolve
from deepmt.config.spec import Spec
from deepmt.report.branch import Branch
from deepmt.results.verdict import FULL_SCALE


def explain_spec(paper: Paper, system: str, spec: Spec, plan: Plan, root: Path) -> Branch:
    """The systems that a spec is made of, each with its line, and the settings of the scale."""
    systems = [
        Branch(f"{paper.path}:{each.line}: {each.name}: {_settings(each.change)}")
        for each in chain(paper, system)
    ]
    scale = root / "scales" / f"{plan.scale.name}.yaml"
    changes = explain_changes(_by_scale(paper, system, spec, plan, root))
    changed = Branch(f"{scale}: {len(changes)} settings are its own", changes)
    return Branch(f"spec: sha256 {spec.sha256}", [*systems, changed])


def explain_changes(found: Mapping[str, tuple[Any, Any]]) -> list[Branch]:
    """One line a setting."""
    return [Branch(f"{key}: {before} -> {after}") for key, (before, after) in found.items()]


def chain(paper: Paper, name: str) -> Iterator[System]:
    """A system and those that it comes from, nearest first; `papers.load` has refused rings."""
    current: str | None = name
    while current is not None:
        system = paper.systems[current]
        yield system
        current = system.base


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Settings by dotted key that two specs do not share: what they were and what they are."""
    old, new = dict(_flat(before)), dict(_flat(after))
    keys = sorted({*old, *new})
    return {key: (old.get(key), new.get(key)) for key in keys if old.get(key) != new.get(key)}


def _by_scale(
    paper: Paper, system: str, spec: Spec, plan: Plan, root: Path
) -> dict[str, tuple[Any, Any]]:
    """What the paper's own scale would have; of a system without one, what the file states."""
    full = resolve(
        paper, system, load_scale(root / f"scales/{FULL_SCALE}.yaml", plan.corpora), plan.corpora
    )
    if isinstance(full, Spec):
        return differences(asdict(full), asdict(spec))
    stated, own = settings_of(paper, system), dict(_flat(asdict(spec)))
    return {
        key: (stated[key], own[key])
        for key in sorted(stated)
        if key in own and stated[key] != own[key]
    }


def _settings(change: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}: {value}" for key, value in change.items()) or "nothing of its own"


def _flat(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield prefix + key, value
