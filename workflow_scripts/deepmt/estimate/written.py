"""The plan as files: Markdown to read, JSON with everything, CSV with a line a run."""

from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd

from deepmt.estimate.measured import factors
from deepmt.estimate.outlook import Outlook
from deepmt.estimate.plan_memory import parts
from deepmt.estimate.runs import Run
from deepmt.estimate.schedule import Schedule
from deepmt.estimate.section import Section, markdown
from deepmt.estimate.sharing import saved, shares
from deepmt.files import replacing, write_json, write_text


def write(found: Outlook, sections: Iterable[Section], folder: Path) -> None:
    """Write plan.md, plan.json and plan.csv."""
    write_text(folder / "plan.md", "\n".join(map(markdown, sections)))
    write_json(folder / "plan.json", as_json(found))
    with replacing(folder / "plan.csv") as temporary:
        pd.DataFrame(map(line, found.runs.values())).to_csv(temporary, index=False)


def as_json(found: Outlook) -> dict[str, Any]:
    """Everything, in the units of the names: hours are GPU hours or, without GPUs, core hours."""
    machines, config = found.machines, found.plan.config
    papers = [paper.key for paper in found.plan.papers]
    return {
        "schema": "plan/1",
        "estimate": True,
        "scale": config.scale,
        "papers": papers,
        "rows": len(found.plan.selected),
        "seeds": list(config.seeds),
        "hardware": {
            "name": machines.hardware.key,
            "count": machines.count,
            "unit": machines.unit,
            "basis": machines.hardware.basis,
        },
        "jobs": {rule: {"jobs": n, "left": left} for rule, (n, left) in found.rules.items()},
        "downloads": [asdict(one) for one in found.downloads],
        "disk": [asdict(stage) for stage in found.stages],
        "runs": [line(run) | {"rows": list(run.use.rows)} for run in found.runs.values()],
        "hours": found.hours,
        "text_core_hours": found.text_hours,
        "shares": [asdict(share) for share in shares(found.runs, papers)],
        "hours_saved": saved(found.runs),
        "wall": wall(found.schedule),
        "budget": asdict(found.budget) | {"wall": wall(found.kept)} if found.budget else None,
        "measured": [asdict(one) | {"ratio": one.ratio} for one in found.measured],
        "factors": factors(found.measured),
    }


def wall(found: Schedule) -> dict[str, float]:
    """Hours that it takes, and the least."""
    return {"runs_at_once": found.machines, "hours": found.hours, "at_least": found.least}


def line(run: Run) -> dict[str, Any]:
    """One run."""
    cost = run.cost
    return {
        "run": run.spec.run,
        "papers": " ".join(run.use.papers),
        "rows": " ".join(run.use.rows),
        "cells": run.use.cells,
        "headline": run.use.headline,
        "seeds_left": len(run.left),
        "updates": run.spec.training.updates,
        "parameters": cost.parameters,
        "train_flops": cost.train_flops,
        "train_seconds": run.factor * cost.train_seconds,
        "factor": run.factor,
        "other_seconds": cost.other_seconds,
        "decode_seconds_per_1000": cost.decode_seconds_per_1000,
        "hours": run.hours,
        "train_memory_mb": cost.train_memory_mb,
        "micro_batches": parts(run),
        "host_memory_mb": cost.host_memory_mb,
        "disk_mb": cost.disk_mb,
        "corpus_known": cost.basis,
    }
