"""A project with made-up results that were rendered, and its crate."""

import hashlib
import json
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import made_up

from deepmt.base.files import write_hashed_json, write_json, write_text
from deepmt.settings.spec import Spec
from deepmt.study.plan import Plan
from deepmt.study.requested_text import requested_splits
from wings.export import crate

CODE = ("CITATION.cff", "LICENSE", "README.md", "Snakefile", "requirements.lock", "rules")
HYPOTHESIS = "Ein Hund .\n"


def clone(folder: Path) -> Path:
    """The real settings, and an empty archive."""
    folder.mkdir()
    for name in CODE:
        (folder / name).symlink_to(made_up.ROOT / name)
    return made_up.project(folder)


def train(root: Path, plan: Plan) -> None:
    """Put made-up results of two seeds of every run where the workflow leaves them."""
    asked = requested_splits(plan)
    digest = hashlib.sha256(HYPOTHESIS.encode()).hexdigest()
    for run, spec in plan.runs.items():
        for seed in (1, 2):
            record = made_up.record(spec, seed, asked.get(run, ()), plan.scale.name)
            write_seed(root, spec, record | {"hypotheses": {"test": digest}})


def write_seed(root: Path, spec: Spec, record: dict[str, Any]) -> Path:
    """A spec, and the record of a seed with what lies beside it; returns the seed's folder."""
    runs = root / "results" / record["scale"] / "runs"
    folder = runs / spec.run / f"seed{record['seed']}"
    write_json(runs / spec.run / "spec.json", spec.sections)
    write_hashed_json(folder / "record.json", record)
    write_text(folder / "log.jsonl", json.dumps({"event": "end"}) + "\n")
    write_text(folder / "hyp.test.txt", HYPOTHESIS)
    return folder


def bundle(root: Path, papers: tuple[str, ...], output: Path, **options: Any) -> Path:
    """The crate of the rendered papers."""
    asked = ("scale=toy", "rows=all", "seeds=1,2", f"papers={','.join(papers)}")
    crate.main(config=asked, output=output, root=root, date=date(2026, 1, 2), **options)
    return output


def unpack(crate_file: Path, folder: Path) -> Path:
    """Unpack a crate."""
    with zipfile.ZipFile(crate_file) as archive:
        archive.extractall(folder)
    return folder
