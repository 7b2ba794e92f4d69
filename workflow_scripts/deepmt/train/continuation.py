"""Continue a finished run that has the same settings but fewer updates."""

import shutil
from pathlib import Path

from deepmt.base.errors import UserError
from deepmt.base.files import replacing
from deepmt.base.printable import say
from deepmt.settings.seed_folder import SeedFolder
from deepmt.settings.spec import Spec, readable_specs
from deepmt.train.checkpoint import Checkpoints
from deepmt.train.outcome import Outcome
from deepmt.train.run_paths import RunPaths
from deepmt.train.saved_file import SavedFile


def continue_finished(paths: RunPaths, spec: Spec) -> str:
    """Copy log and checkpoints of the longest such run; return its name, or an empty string.

    Runs are searched for beside this one, with the same seed, and must have an intact state. The
    newest comes last: until it is there, this run has none and begins with the copies again.

    Raises:
        ValueError: a checkpoint that this run averages or scores is missing or damaged.
    """
    checkpoints = Checkpoints.of(paths.folder, spec.training)
    if not spec.training.continuable or checkpoints.list("state"):
        return ""
    for other, folder in _finished(paths, spec):
        kept = Checkpoints.of(folder, spec.training)
        state, damaged = kept.newest_state()
        for path in damaged:
            say(f"{path} is damaged: an older state is continued, if there is one")
        if state:
            saved = [*_weights(kept, state, spec), *_milestones(kept, state), state]
            for path in (*_log(folder), *(one.path for one in saved)):
                _copy(path, paths.folder / path.relative_to(folder))
            return other.run
        say(f"{kept.folder} holds no intact state: {other.run} cannot be continued")
    return ""


def _finished(paths: RunPaths, spec: Spec) -> list[tuple[Spec, Path]]:
    """Return the specs and folders of finished runs that this one can continue, longest first."""
    seed = paths.folder.relative_to(paths.spec.parent)
    beside = paths.spec.parent.parent.glob(f"*/{seed / paths.output.name}")
    folders = {path.parents[len(seed.parts)] / paths.spec.name: path.parent for path in beside}
    others = readable_specs(path for path in folders if path != paths.spec)
    found = [
        (other, folders[path])
        for path, other in others.items()
        if other.training.updates < spec.training.updates
        and other.sha256_of_updates == spec.sha256_of_updates
        and _outcome(folders[path]) == "finished"
    ]
    return sorted(found, key=lambda run: run[0].training.updates, reverse=True)


def _outcome(folder: Path) -> str:
    remedy = "finish that run again, or delete its folder to train all updates here"
    return Outcome.read(SeedFolder(folder).outcome, remedy).outcome


def _weights(kept: Checkpoints, state: SavedFile, spec: Spec) -> list[SavedFile]:
    """Return the weights that later means need, and more if they are intact.

    Those between two checkpoints are left out, as a run of this length would not have kept them.
    """
    *needed, _ = kept.averaged_updates(state.update + 1)
    scored = {saved.update for saved in kept.list("milestone")}
    if state.update in set(spec.training.milestones) - scored:
        needed = kept.averaged_updates(state.update)
    found = kept.intact(needed, f"delete {kept.folder} to train all updates here")
    older = [saved for saved in kept.list("weights") if saved.update < min(needed, default=0)]
    return found + [one for one in older if one.update % kept.every == 0 and one.intact]


def _milestones(kept: Checkpoints, state: SavedFile) -> list[SavedFile]:
    there = kept.list("milestone") + kept.list("best")
    found = [saved for saved in there if saved.update <= state.update]
    for saved in found:
        if not saved.intact:
            raise UserError(f"{saved.path} is damaged: delete it to train up to it again")
    return found


def _log(folder: Path) -> list[Path]:
    log = SeedFolder(folder).log
    if not log.exists():
        say(f"{log} is gone: the curves of this run begin where that one ended")
    return [log] if log.exists() else []


def _copy(source: Path, target: Path) -> None:
    with replacing(target) as temporary:
        shutil.copyfile(source, temporary)
