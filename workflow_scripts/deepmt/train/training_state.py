"""Hold the state of a training between two updates, save it, and resume it."""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

import torch

from deepmt.base.printable import say
from deepmt.data.encoded import EncodedPair
from deepmt.model.weights import as_tensors, weights
from deepmt.train.checkpoint import Checkpoints
from deepmt.train.divergence import DivergenceDetector
from deepmt.train.history import History, peak_memory_mb
from deepmt.train.mean_weights import mean
from deepmt.train.milestones import ChosenWeights, choose_weights
from deepmt.train.outcome import Milestone
from deepmt.train.patience import Patience
from deepmt.train.saved_file import SavedFile
from deepmt.train.saved_state import (
    Progress,
    SavedState,
    check_tensors,
    parts_of,
    read_state,
)
from deepmt.train.update import Updater

NAMES = {"spec": "settings", "init": "initial weights"}
"""Words for the parts of a fingerprint whose key is not the word."""


@dataclass(kw_only=True)
class TrainingState:
    """Hold everything that the next update depends on; random numbers depend on seed and update."""

    updater: Updater
    detector: DivergenceDetector
    checkpoints: Checkpoints
    inputs: Mapping[str, Any]
    """Names settings, data, initial weights, seed and code of the training."""
    history: History
    dev: Callable[[], EncodedPair]
    """Opens the dev split."""
    progress: Progress = field(default_factory=Progress)
    milestones: dict[int, Milestone] = field(default_factory=dict)
    best: Milestone | None = None
    """The checkpoint with the lowest perplexity on dev, with `average: best`."""
    patience: Patience = field(default_factory=Patience)
    diverged: bool = False

    def __post_init__(self) -> None:
        updater = self.updater
        self.log, self.workers, self.recipe = updater.log, updater.workers, updater.spec.training
        self.keep_precision = updater.execution.precision == "auto"
        """Resume in the precision in which the run began, on any hardware."""

    @property
    def fingerprint(self) -> dict[str, Any]:
        """Return the settings, data, code and precision of a checkpoint."""
        precision = str(self.updater.dtype).removeprefix("torch.")
        return {**self.inputs, "precision": precision}

    @property
    def updates_left(self) -> int:
        """Return the number of remaining updates, at most: patience may end before them."""
        over = self.patience.over(self.recipe.patience)
        return 0 if over else self.recipe.updates - self.progress.update

    @property
    def last_weights(self) -> list[SavedFile]:
        """Return the weights of the last checkpoints."""
        return self.checkpoints.weights(until=self.progress.update)

    def chosen(self) -> ChosenWeights:
        """Return the weights that the run is scored by if it ends here."""
        return ChosenWeights.of_best(self.best, self.checkpoints) if self.best else self._latest()

    def _latest(self) -> ChosenWeights:
        return choose_weights(self.recipe, self.updater.model, self.dev, self.last_weights)

    def resume(self) -> None:
        """Resume from the newest intact checkpoint of these settings, if there is one.

        A checkpoint with other settings, data or initial weights is deleted, and so is one past a
        milestone that was not scored. One written by other code is used only if training had not
        ended; the log records the change.
        """
        newest, damaged = self.checkpoints.newest_state()
        saved = read_state(newest) if newest else None
        self.workers.wait()  # no worker may read a file that another removes
        for file in damaged:
            self.log.write("damaged", file=file.name)
            if self.log.writes:
                say(f"{file} is damaged and deleted: an older state is continued, if there is one")
            if self.workers.writes:
                file.unlink()  # or it would count among those kept
        if newest and saved:
            if differs := self._unusable(saved):
                self.log.write("anew", differs=differs)
                self._say_what_differs(saved, differs)
                if self.workers.writes:
                    self.checkpoints.clear()
                return
            check_tensors(newest, saved, self.updater.model, self.updater.optimiser)
            before = self._load(saved)
            changed = bool(self._differs(saved))
            self.log.write("resumed", code_changed=changed, **asdict(self.progress))
            self._say_what_changed(before, self._makers)
        if self.workers.writes:
            self.checkpoints.forget_after(self.progress.update)
            if self._is_milestone(self.progress.update):  # the end of a run that is continued
                self._score_milestone()
        self.workers.wait()

    @property
    def _makers(self) -> dict[str, Any]:
        """Return what the weights depend on besides the settings; of a hash, eight digits."""
        made = {"code": self.inputs["code"][:8], "micro_tokens": self.updater.micro_tokens}
        return self.history.hardware[-1] | made

    def _say_what_changed(self, before: dict[str, Any], now: dict[str, Any]) -> None:
        # States of before 0.6 do not name the library of their products.
        changed = {
            key: [before[key], now[key]] for key in now if key in before and before[key] != now[key]
        }
        if changed:
            self.log.write("hardware-changed", **changed)
            if self.log.writes:
                listed = ", ".join(f"{key} {old} -> {new}" for key, (old, new) in changed.items())
                say(
                    f"{self.log.path.parent}: resumed with {listed}: weights may differ from"
                    " those of an uninterrupted training"
                )

    def _say_what_differs(self, saved: SavedState, differs: list[str]) -> None:
        """Say why training begins again before anything is deleted."""
        before, now = dict(saved.fingerprint), self.fingerprint
        reasons = {  # of a hash, eight digits are enough
            key: f"{NAMES.get(key, key)} ({str(before.get(key))[:8]}, now {str(now[key])[:8]})"
            for key in now
        }
        lacking = ", ".join(map(str, self._lacking(saved)))
        reasons["milestones"] = f"milestones (the weights of {lacking} are not there)"
        if self.log.writes:
            say(
                f"{self.checkpoints.folder}: the state after update {saved.position.update}"
                f" differs in its {', '.join(reasons[key] for key in differs)}: training begins"
                " again, and all its checkpoints are deleted"
            )

    def _differs(self, saved: SavedState) -> list[str]:
        own, other = self.fingerprint, dict(saved.fingerprint)
        if self.keep_precision:
            own["precision"] = other["precision"]
        return [key for key, value in own.items() if other[key] != value]

    def _unusable(self, saved: SavedState) -> list[str]:
        """Return the reasons why a state cannot be resumed."""
        differs, recipe = self._differs(saved), self.recipe
        if self._lacking(saved):
            differs.append("milestones")
        # Also true of a run that stalled.
        ended = saved.diverged or saved.position.update == recipe.updates
        ended = ended or saved.patience.over(recipe.patience)
        return differs if ended or differs != ["code"] else []

    def _lacking(self, saved: SavedState) -> list[int]:
        """Return the updates that a state has scored, or should have, without their weights."""
        passed = [m for m in self.recipe.milestones if m < saved.position.update]
        needed = {m: saved.milestones.get(m) for m in passed}
        lacking = [update for update, one in needed.items() if not one or not self._holds(one)]
        if saved.best and not self._holds(saved.best):
            lacking.append(saved.best.update)
        return lacking

    def _holds(self, scored: Milestone) -> bool:
        return SavedFile(scored.update, self.checkpoints.folder / scored.file).intact

    def save(self, *, to_average: bool) -> None:
        """Write the state and, if they are to be averaged, the weights."""
        updater, update = self.updater, self.progress.update
        micro_tokens = self.workers.gather(updater.micro_tokens)
        if self.workers.writes:
            reached = History(peak_memory_mb=peak_memory_mb(updater.device))
            self.history = self.history.followed_by(reached)
            if to_average:
                self.checkpoints.save_weights(update, weights(updater.model))
                if self.recipe.average == "best" and self.checkpoints.has_regular(update):
                    self._note_best()
            if self._is_milestone(update):
                self._score_milestone()
            if updater.execution.resumable:
                self.checkpoints.save_state(update, self._saved(micro_tokens))
        self.workers.wait()
        loss = round(self.detector.recent_loss, 4) if self.detector.losses else None
        self.log.write("checkpoint", loss=loss, **asdict(self.progress))

    def _is_milestone(self, update: int) -> bool:
        new = update not in self.milestones
        return new and update in self.recipe.milestones and self.updates_left > 0

    def _note_best(self) -> None:
        """Keep the weights of this checkpoint if none before predicts dev as well."""
        latest = self._latest()
        if self.best is None or latest.perplexity < min(self.best.dev_perplexities.values()):
            self.best = self._kept("best", latest)

    def _score_milestone(self) -> None:
        """Save the weights that the run would be scored by if it ended here."""
        self.milestones[self.progress.update] = self._kept("milestone", self.chosen())

    def _kept(self, kind: Literal["best", "milestone"], chosen: ChosenWeights) -> Milestone:
        """Save weights under this update."""
        progress = self.progress
        tensors = as_tensors(mean([saved.path for saved in chosen.files]))
        self.log.write(kind, update=progress.update, ppl=chosen.on_dev)
        return Milestone(
            update=progress.update,
            target_tokens=progress.target_tokens,
            train_seconds=round(progress.seconds, 3),
            core_seconds=round(progress.core_seconds, 3),
            averaged_updates=chosen.updates,
            dev_perplexities=chosen.on_dev,
            file=self.checkpoints.save_scored(kind, progress.update, tensors),
        )

    def _saved(self, micro_tokens: list[int]) -> dict[str, Any]:
        """Return a saved state as plain values, which load without any of our code."""
        saved = SavedState(
            fingerprint=self.fingerprint,  # type: ignore[arg-type]
            position=self.progress,
            losses=list(self.detector.losses),
            micro_tokens=micro_tokens,
            diverged=self.diverged,
            patience=self.patience,
            milestones=self.milestones,
            best=self.best,
            history=self.history,
        )
        return asdict(saved) | {
            "model": self.updater.model.state_dict(),
            "optimiser": self.updater.optimiser.state_dict(),
        }

    def _load(self, saved: SavedState) -> dict[str, Any]:
        """Load a state that fits; return what made it."""
        updater = self.updater
        if self.keep_precision:
            updater.dtype = getattr(torch, saved.fingerprint["precision"])
        updater.model.load_state_dict(saved.model)
        for part, state in zip(parts_of(updater.optimiser), saved.optimiser, strict=True):
            # Options come from the settings, which are the same.
            part.load_state_dict(part.state_dict() | {"state": state})
        workers, known = self.workers, saved.micro_tokens
        own = known[workers.rank] if len(known) == workers.size else min(known)
        updater.micro_tokens = min(updater.micro_tokens, own)
        self.progress, self.patience, self.best = saved.position, saved.patience, saved.best
        self.detector.losses.extend(saved.losses)
        scored = saved.milestones
        self.milestones = {m: scored[m] for m in self.recipe.milestones if m in scored}
        earlier = saved.history
        if not earlier.attempts:
            starts = self.log.starts()[:-1]
            started = starts[0] if starts else self.history.started
            earlier = replace(earlier, started=started, attempts=max(1, len(starts)))
        # An attempt with no updates left does not count in the history.
        self.history = earlier.followed_by(self.history) if self.updates_left else earlier
        code = saved.fingerprint["code"][:8]
        return saved.history.hardware[-1] | {"code": code, "micro_tokens": own}
