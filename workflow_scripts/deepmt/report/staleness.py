"""What has changed since a record was made: what would make its numbers stale."""

import json
from collections.abc import Iterator
from pathlib import Path

from deepmt.code_sums import search_code, training_code
from deepmt.config.method import modules_of
from deepmt.config.spec import Spec, from_sections
from deepmt.results.records import Record


def checks(record: Record, today: Spec | str, root: Path) -> Iterator[tuple[str, str]]:
    """Yield spec, code, data and commit beside today's: same, changed or unknown."""
    same = isinstance(today, Spec) and today.sha256 == record.spec_sha256
    yield "same" if same else "changed", f"spec: sha256 {record.spec_sha256}"
    modules = modules_of(from_sections(record.spec).method)
    yield _code(record, "training_code", training_code(modules))
    yield _code(record, "search_code", search_code(modules))
    yield _data(record, root / "data/encoded" / record.data.encoding / "manifest.json")
    if "+" in record.commit:
        yield "unknown", f"commit: {record.commit}: with changes that were not committed"
    elif "unknown" in record.commit.split():
        yield "unknown", f"commit: {record.commit}: not all of the code is known"
    else:
        yield "same", f"commit: {record.commit}, nothing uncommitted"


def _code(record: Record, key: str, today: str) -> tuple[str, str]:
    name = key.replace("_", " ")
    if key not in record.software:
        return "unknown", f"{name}: not in the record; today {today}"
    if record.software[key] == today:
        return "same", f"{name}: {today}"
    return "changed", f"{name}: {record.software[key]} then, {today} today"


def _data(record: Record, manifest: Path) -> tuple[str, str]:
    if not manifest.exists():
        return "unknown", f"data: {record.data.encoding} has not been built here"
    today = json.loads(manifest.read_text())["sha256"]
    files = sorted({*today, *record.data.sha256})
    changed = [name for name in files if today.get(name) != record.data.sha256.get(name)]
    if changed:
        return "changed", f"data: {manifest}: {len(changed)} files differ: {', '.join(changed)}"
    return "same", f"data: {manifest}: {len(files)} files with the sums of the record"
