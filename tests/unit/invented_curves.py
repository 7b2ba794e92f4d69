"""Made-up training curves of the invented paper's runs."""

import json
from pathlib import Path
from typing import Any

import invented


def curves_of(row: str, seed: int = 1, **changes: Any) -> dict[str, Any]:
    """The JSON object of a seed in which nothing was measured but what `changes` names."""
    spec = invented.SPECS[row]
    return {
        "schema": "curves/1",
        "run": spec.run,
        "spec_sha256": spec.sha256,
        "seed": seed,
        "scale": "toy",
        "updates": 20,
    } | changes


def write_archived_curves(folder: Path, *found: dict[str, Any]) -> Path:
    """Put training curves into the archive, one a line."""
    path = folder / "records" / "curves" / "toy.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(each)}\n" for each in found))
    return path
