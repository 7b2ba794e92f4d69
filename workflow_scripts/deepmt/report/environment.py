"""Summarise the hardware and software versions of the records."""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from deepmt.results.records import Record


def environment(records: Sequence[Record]) -> list[tuple[str, str]]:
    """Return hardware, commits and program versions, each with its number of records."""
    programs = sorted({name for record in records for name in record.software})
    versions = {
        name.replace("_", " "): [str(r.software[name]) for r in records if name in r.software]
        for name in programs
    }
    # Sums of code serve programs, which read the records.
    versions = {name: own for name, own in versions.items() if not name.endswith(" code")}
    found = {
        "hardware": [describe_hardware(record.hardware) for record in records],
        "commit": [record.commit.removesuffix("+") for record in records],
        "uncommitted changes": ["yes" for record in records if "+" in record.commit],
    } | versions
    return [(name, counted(values)) for name, values in found.items() if values]


def describe_hardware(hardware: dict[str, Any]) -> str:
    """Return name, device, threads and other facts in one line, then earlier hardware."""
    if not hardware:
        return "not recorded"
    used = (hardware, *hardware.get("earlier", ()))
    return "; before that ".join(map(_one_machine, used))


def _one_machine(hardware: dict[str, Any]) -> str:
    known = {key: hardware[key] for key in ("name", "device", "threads") if key in hardware}
    others = {k: v for k, v in sorted(hardware.items()) if k not in known and k != "earlier"}
    name = [str(known.pop("name"))] if "name" in known else []
    return ", ".join([*name, *(f"{key} {value}" for key, value in (known | others).items())])


def counted(values: Iterable[str]) -> str:
    """Return the distinct values with their counts, the most frequent first."""
    counts = sorted(Counter(values).items(), key=lambda pair: (-pair[1], pair[0]))
    return "; ".join(f"{value} ({number})" for value, number in counts)
