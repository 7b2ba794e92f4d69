"""Tells the state of every seed below results/ from the files in its folder."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from deepmt.status.heartbeat import Observer, observe
from deepmt.status.training_log import TrainingProgress, read_progress

State = Literal["running", "failed", "stopped", "waiting", "trained", "recorded"]
STATES: tuple[State, ...] = ("running", "failed", "stopped", "waiting", "trained", "recorded")
"""In the order in which they are shown."""


@dataclass(frozen=True, kw_only=True)
class SeedStatus:
    """One seed of a run; what is not known is None or empty."""

    scale: str
    run: str
    seed: int
    state: State
    updates: int | None = None
    """Updates that its spec asks for."""
    progress: TrainingProgress | None = None
    silence: float | None = None
    """Seconds since the log was written."""
    diverged: str = ""
    note: str = ""

    @property
    def remaining(self) -> float | None:
        """Seconds of training left at the present pace."""
        at = self.progress
        if at is None or at.update_seconds is None or self.updates is None:
            return None
        return max(0, self.updates - at.update) * at.update_seconds


def survey(root: Path, scale: str = "*") -> list[SeedStatus]:
    """Read every seed of a scale, those that need attention first."""
    observer = observe(root / "results")
    folders = sorted(root.glob(f"results/{scale}/runs/*/seed*"))
    found = [
        read_seed(folder, root / "logs", observer)
        for folder in folders
        if folder.name.removeprefix("seed").isdigit()
    ]
    return sorted(found, key=lambda seed: STATES.index(seed.state))


def read_seed(folder: Path, logs: Path, observer: Observer) -> SeedStatus:
    """Read the folder of a seed, results/<scale>/runs/<run>/seed<k>."""
    scale, run, seed = folder.parts[-4], folder.parts[-2], folder.name.removeprefix("seed")
    known: dict[str, Any] = {"scale": scale, "run": run, "seed": int(seed)}
    try:
        known["updates"] = json.loads((folder.parent / "spec.json").read_text())["training"][
            "updates"
        ]
        for name in ("record.json", "outcome.json"):
            if (folder / name).exists():
                return SeedStatus(**known, **ended(folder / name))
        progress = read_progress(folder / "log.jsonl")
    except FileNotFoundError:
        return SeedStatus(**known, state="waiting")
    except (ValueError, KeyError, TypeError) as error:
        note = f"spec.json or an outcome is damaged ({error!r}): delete it, run the workflow again"
        return SeedStatus(**known, state="failed", note=note)
    state = training_state(folder, progress, observer)
    note = last_line(logs / "train" / scale / f"{run}.seed{seed}.log") if state == "failed" else ""
    silence = observer.age(progress.changed)
    return SeedStatus(**known, state=state, progress=progress, silence=silence, note=note)


def ended(path: Path) -> dict[str, Any]:
    """Read how a training ended from its record.json or outcome.json."""
    found = json.loads(path.read_text())
    why = found["diverged"]
    return {
        "state": "recorded" if path.name == "record.json" else "trained",
        "progress": TrainingProgress(
            changed=path.stat().st_mtime, update=found["updates"], loss=found["train_loss"]
        ),
        "diverged": f"at update {why['update']}: {why['reason']}" if why else "",
    }


def training_state(folder: Path, progress: TrainingProgress, observer: Observer) -> State:
    """Judge a training without an outcome."""
    if observer.holds(folder / "lock"):
        return "running"
    if progress.last_event in ("stopped", "end"):
        return "stopped"
    patience = observer.patience(progress.host, progress.update_seconds or 0.0)
    return "running" if observer.age(progress.changed) < patience else "failed"


def last_line(path: Path) -> str:
    """Return the last line of a log with text in it."""
    try:
        lines = path.read_bytes()[-4096:].decode(errors="replace").splitlines()
    except FileNotFoundError:
        return ""
    return next((line.strip() for line in reversed(lines) if line.strip()), "")
