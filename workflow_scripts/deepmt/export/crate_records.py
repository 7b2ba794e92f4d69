"""What a crate brings, laid beside what a clone's records/ holds already."""

import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from deepmt.results.record_archive import Key, key, part_with_room, parts


@dataclass(frozen=True, kw_only=True)
class Merge:
    """What a file of a clone becomes."""

    path: Path
    text: str
    told: str
    changes: bool
    conflicts: tuple[str, ...] = ()
    """Each names a place that holds something else; in `text` the crate's stands instead."""
    replaced: frozenset[Key] = frozenset()


def merge_shelf(
    shelf: Path, scale: str, found: Iterable[str], gone: Collection[Key] = ()
) -> list[Merge]:
    """All files of a scale: what a file has stays in it, and what none has goes to the last one."""
    brought = {key(line): line for line in found}
    last = part_with_room(shelf, scale)
    merges = []
    for path in dict.fromkeys([*parts(shelf, scale), last]):
        here = {place for _, _, place in _lines(path)}
        own = [brought.pop(place) for place in list(brought) if place in here]
        if path == last:
            own += brought.values()
        merges.append(merge_lines(path, own, gone))
    return merges


def merge_lines(path: Path, found: Iterable[str], gone: Collection[Key] = ()) -> Merge:
    """Lines of JSON, one a run and seed, on a shelf; what stands there of `gone` leaves it.

    Raises:
        ValueError: a line that stands there already cannot be read; names file and line.
    """
    brought = {key(line): line for line in found}
    there: set[Key] = set()
    conflicts: dict[Key, str] = {}
    kept = []
    for number, line, place in _lines(path):
        if place in brought and _same(line, brought[place]):
            there.add(place)
        elif place in brought:
            run, seed = place
            conflicts[place] = f"{path}:{number}: seed {seed} of {run} is not that of the crate"
            continue
        elif place in gone:
            continue
        kept.append(line)
    added = [line for place, line in brought.items() if place not in there]
    new = len(added) - len(conflicts)
    return Merge(
        path=path,
        text="".join(f"{line}\n" for line in sorted([*kept, *added])),
        told=f"{new} added, {len(there)} there already, {len(conflicts)} replaced",
        changes=bool(added) or len(kept) < sum(1 for _ in _lines(path)),
        conflicts=tuple(conflicts.values()),
        replaced=frozenset(conflicts),
    )


def merge_table(path: Path, source: Path) -> Merge:
    """A CSV file: the one that has all lines of the other stays, in whatever order they stand."""
    text = source.read_text(encoding="utf-8")
    there = path.read_text(encoding="utf-8") if path.exists() else ""
    old, new = set(there.splitlines()), set(text.splitlines())
    told = "there already" if new <= old else "put there" if old <= new else "replaced"
    apart = f"{path}: {len(new - old)} lines of the crate's are not in it"
    return Merge(
        path=path,
        text=text,
        told=told,
        changes=not new <= old,
        conflicts=(apart,) if told == "replaced" else (),
    )


def _lines(path: Path) -> Iterator[tuple[int, str, Key]]:
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for number, line in enumerate(text.split("\n"), 1):
        try:
            if line.strip():
                yield number, line, key(line)
        except (ValueError, TypeError, KeyError) as error:
            raise ValueError(f"{path}:{number}: no record of a run and seed: {error!r}") from error


def _same(line: str, other: str) -> bool:
    return bool(json.loads(line) == json.loads(other))
