"""Continue a finished run that has the same settings but fewer updates."""

import shutil
from pathlib import Path

from deepmt.config.spec import Spec, read_spec
from deepmt.files import read_json, replacing
from deepmt.train.checkpoint import Checkpoints
from deepmt.train.run_paths import RunPaths


def continue_finished(paths: RunPaths, spec: Spec) -> str:
    """Copy log and checkpoints of the longest such run; return its name, or an empty string.

    Runs are searched for beside this one, with the same seed. Weights between two checkpoints are
    left out, as a run of this length would not have kept them. The state comes last: until it is
    there, this run has none and begins with the copies again.
    """
    checkpoints = Checkpoints(paths.folder / "resume", spec.training.average_last)
    if not spec.training.continuable or checkpoints.list("state"):
        return ""
    found = {s.training.updates: (s.run, folder) for s, folder in _finished(paths, spec)}
    if not found:
        return ""
    run, folder = found[max(found)]
    kept = Checkpoints(folder / "resume", spec.training.average_last)
    every = spec.training.checkpoint_every
    weights = [saved for saved in kept.list("weights") if saved.update % every == 0]
    _copy(folder / "log.jsonl", paths.folder / "log.jsonl")
    for saved in [*weights, *kept.list("milestone"), *kept.list("state")[:1]]:
        _copy(saved.path, checkpoints.folder / saved.path.name)
    return run


def _finished(paths: RunPaths, spec: Spec) -> list[tuple[Spec, Path]]:
    """Return the specs and folders of finished runs that this one can continue."""
    seed = paths.folder.relative_to(paths.spec.parent)
    found = []
    for path in paths.spec.parent.parent.glob("*/spec.json"):
        outcome = path.parent / seed / "outcome.json"
        if path == paths.spec or not outcome.exists():
            continue
        other = read_spec(path)
        shorter = other.training.updates < spec.training.updates
        same = other.sha256_of_updates == spec.sha256_of_updates
        if shorter and same and read_json(outcome)["outcome"] == "finished":
            found.append((other, outcome.parent))
    return found


def _copy(source: Path, target: Path) -> None:
    with replacing(target) as temporary:
        shutil.copyfile(source, temporary)
