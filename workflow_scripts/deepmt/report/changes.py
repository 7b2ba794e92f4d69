"""Find changes of code and data behind a record."""

from collections.abc import Iterator
from pathlib import Path

from deepmt.base.files import commit, read_json
from deepmt.measured.records import Record


def checks(record: Record, root: Path) -> Iterator[tuple[str, str]]:
    """Yield code, data and commit of a record, each same, changed or unknown today.

    A record of other settings is one of another run. Another commit makes no number stale: what
    matters of it is in the sums of the code.
    """
    yield from (_code(record, key, today) for key, today in record.code_today.items())
    yield _data(record, root / "data/encoded" / record.data.dataset / "manifest.json")
    if "unknown" in record.commit.split():
        yield "unknown", f"commit: {record.commit}: part of the code is unknown"
    elif "+" in record.commit:
        yield "unknown", f"commit: {record.commit}: with uncommitted changes"
    else:
        now = commit(root)
        yield "same" if record.commit == now else "other", f"commit: {record.commit}; today {now}"


def _code(record: Record, key: str, today: str) -> tuple[str, str]:
    name = key.replace("_", " ")
    if key not in record.software:
        return "unknown", f"{name}: not in the record; today {today}"
    if record.software[key] == today:
        return "same", f"{name}: {today}"
    return "changed", f"{name}: {record.software[key]} then, {today} today"


def _data(record: Record, manifest: Path) -> tuple[str, str]:
    if not manifest.exists():
        return "unknown", f"data: {record.data.dataset} has not been built here"
    today = read_json(manifest)["sha256"]
    # Records of earlier versions name the segmented text, too.
    files = sorted(today.keys() & record.data.sha256.keys())
    changed = [name for name in files if today[name] != record.data.sha256[name]]
    if changed:
        return "changed", f"data: {manifest}: {len(changed)} files differ: {', '.join(changed)}"
    return "same", f"data: {manifest}: {len(files)} files with the hashes of the record"
