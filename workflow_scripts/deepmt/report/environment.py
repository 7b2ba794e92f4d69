"""What the records say of the machines, programs and times that made them."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from deepmt.results.records import Record

Counts = list[tuple[str, int]]
"""Values, the most frequent first, and of how many records."""


@dataclass(frozen=True, kw_only=True)
class Environment:
    """All records together."""

    records: int
    first: str
    """The day on which the first of them was started."""
    last: str
    """The day on which the last of them was finished."""
    rows: list[tuple[str, Counts]]
    """What was recorded: hardware, commit, versions by program."""


def environment(records: Sequence[Record]) -> Environment | None:
    """Count what records say; None if there is none."""
    if not records:
        return None
    programs = sorted({name for record in records for name in record.software})
    return Environment(
        records=len(records),
        first=min(record.started for record in records)[:10],
        last=max(record.finished for record in records)[:10],
        rows=[
            ("hardware", _count(describe_hardware(record.hardware) for record in records)),
            ("commit; + = with changes", _count(record.commit for record in records)),
            *(
                (
                    name.replace("_", " "),
                    _count(str(r.software[name]) for r in records if name in r.software),
                )
                for name in programs
            ),
        ],
    )


def describe_hardware(hardware: dict[str, Any]) -> str:
    """Return one line: name, device, threads, what else the record says, and earlier hardware."""
    if not hardware:
        return "not recorded"
    used = (hardware, *hardware.get("earlier", ()))
    return "; before that ".join(map(_one_machine, used))


def _one_machine(hardware: dict[str, Any]) -> str:
    known = {key: hardware[key] for key in ("name", "device", "threads") if key in hardware}
    others = {k: v for k, v in sorted(hardware.items()) if k not in known and k != "earlier"}
    name = [str(known.pop("name"))] if "name" in known else []
    return ", ".join([*name, *(f"{key} {value}" for key, value in (known | others).items())])


def _count(values: Iterable[str]) -> Counts:
    return sorted(Counter(values).items(), key=lambda pair: (-pair[1], pair[0]))
