"""Write checkpoints atomically and name them by their hash, so that damage is detected."""

import errno
import re
from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file
from torch import Tensor

from deepmt.base.errors import UserError
from deepmt.base.files import replacing, sha256, sync_folder
from deepmt.kernels.limits import BEST_KEPT, STATES_KEPT
from deepmt.model.weight_file import explained
from deepmt.settings.seed_folder import SeedFolder
from deepmt.settings.spec import Training
from deepmt.train.saved_file import SavedFile


class Checkpoints:
    """Manage the folder `resume/` of a run: training states, and weights to average.

    It is not a declared output, because Snakemake deletes those before a job starts.
    """

    def __init__(self, folder: Path, average_last: int, every: int) -> None:
        self.folder = folder
        self.average_last = average_last
        self.every = every
        """Updates between two checkpoints; 0 = at the end of every epoch."""

    @classmethod
    def of(cls, run: Path, recipe: Training) -> "Checkpoints":
        """Return those of one seed of a run, in its folder."""
        every = 0 if recipe.patience else recipe.checkpoint_every
        return cls(SeedFolder(run).states, recipe.average_last, every)

    def save_state(self, update: int, state: dict[str, Any]) -> None:
        """Save everything needed to resume after `update`; keep the newest two states."""
        self._save("state", ".pt", update, lambda path: torch.save(state, path))
        self._prune("state", STATES_KEPT)

    def save_weights(self, update: int, weights: dict[str, Tensor]) -> None:
        """Save weights after `update`; keep only those to be averaged."""
        self._save("weights", ".safetensors", update, lambda path: save_file(weights, path))
        self._prune("weights", self.average_last)

    def save_scored(self, kind: str, update: int, weights: dict[str, Tensor]) -> str:
        """Save weights to score after `update`; return the name of the file.

        Milestones stay for good, and of the best so far those that a kept state may name.
        """
        name = self._save(kind, ".safetensors", update, lambda path: save_file(weights, path))
        self._prune("best", BEST_KEPT)
        return name

    def newest_state(self) -> tuple[SavedFile | None, list[Path]]:
        """Return the newest intact state, if any, and the files of damaged newer ones."""
        damaged: list[Path] = []
        for saved in self.list("state"):
            if saved.intact:
                return saved, damaged
            damaged.append(saved.path)
        return None, damaged

    def weights(self, until: int) -> list[SavedFile]:
        """Return the weights to average at an update, oldest first.

        Raises:
            ValueError: a file is missing or damaged.
        """
        return self.intact(self.averaged_updates(until), f"delete {self.folder} and train again")

    def averaged_updates(self, until: int) -> list[int]:
        """Return the updates whose weights a mean needs: its own and the checkpoints before.

        Raises:
            ValueError: weights of an epoch are missing.
        """
        if not self.every:
            return self._ends_of_epochs(until)
        before = range((until - 1) // self.every * self.every, 0, -self.every)
        return sorted([until, *before][: self.average_last])

    def _ends_of_epochs(self, until: int) -> list[int]:
        """Return the last ends of epochs, which are about as far apart: a gap is twice as wide."""
        ends = [saved.update for saved in self.list("weights") if saved.update <= until]
        last = sorted(ends[: self.average_last])
        whole = len(last) == self.average_last
        places = [*([] if whole else [0]), *last, until]
        gaps = [b - a for a, b in pairwise(places)]
        if not last or max(gaps) > 1.5 * min(gaps[:-1] or gaps):
            raise UserError(
                f"{self.folder}: weights of an epoch before update {until} are gone; delete"
                f" {self.folder} and train again"
            )
        return last

    def intact(self, updates: Iterable[int], remedy: str) -> list[SavedFile]:
        """Return the weights of some updates.

        Raises:
            ValueError: a file is missing or damaged.
        """
        there = {saved.update: saved for saved in self.list("weights")}
        for update in updates:
            if update not in there:
                raise UserError(f"{self.folder}: the weights of update {update} are gone; {remedy}")
            if not there[update].intact:
                raise UserError(f"{there[update].path} is damaged; {remedy}")
        return [there[update] for update in updates]

    def has_regular(self, update: int) -> bool:
        """Check if a run with more updates has a checkpoint at this one, too."""
        return not self.every or update % self.every == 0

    def clear(self) -> None:
        """Remove everything to start the run anew.

        Weights go first: without an older state they would be taken for weights of the new run.
        """
        for saved in self._scored() + self.list("state"):
            saved.path.unlink()

    def forget_after(self, update: int) -> None:
        """Remove weights of later updates, which will be repeated."""
        for saved in self._scored():
            if saved.update > update:
                saved.path.unlink()

    def _scored(self) -> list[SavedFile]:
        return [saved for kind in ("weights", "milestone", "best") for saved in self.list(kind)]

    def _save(self, kind: str, suffix: str, update: int, write: Callable[[Path], None]) -> str:
        if not self.folder.is_dir():
            gone = "the folder disappeared, perhaps with its file system; run again when it is back"
            raise FileNotFoundError(errno.ENOENT, gone, str(self.folder))
        unnamed = self.folder / f"{kind}{suffix}"
        with replacing(unnamed) as temporary:
            with explained(temporary):
                write(temporary)
            digest = sha256(temporary)[:8]
        named = unnamed.rename(self.folder / f"{kind}-{update:08d}-{digest}{suffix}")
        sync_folder(self.folder)
        return named.name

    def list(self, kind: str) -> list[SavedFile]:
        """List the files of one kind, newest first; files of users' own are left out."""
        name = re.compile(rf"{kind}-(\d+)-[0-9a-f]{{8}}\.(pt|safetensors)")
        named = ((name.fullmatch(path.name), path) for path in self.folder.glob(f"{kind}-*"))
        return sorted((SavedFile(int(n[1]), path) for n, path in named if n), reverse=True)

    def _prune(self, kind: str, keep: int) -> None:
        for saved in self.list(kind)[keep:]:
            saved.path.unlink()
