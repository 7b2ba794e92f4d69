"""Describe the outcome of a training that has ended."""

import platform
import time
from datetime import UTC, datetime
from math import isfinite

import torch

from deepmt.base.printable import say
from deepmt.data.batches import TrainingBatches
from deepmt.train.divergence import Failure
from deepmt.train.loop import Trainer
from deepmt.train.milestones import ChosenWeights
from deepmt.train.outcome import Outcome, RecordedFailure
from deepmt.train.training_state import Progress

A_YEAR = 366 * 86400


def outcome(trainer: Trainer, failure: Failure | None, made: float) -> Outcome:
    """Return the outcome of a training that ended or failed; `made` is when its weights were."""
    state, updater, detector = trainer.state, trainer.updater, trainer.state.detector
    progress, history = state.progress, state.history
    scored = ChosenWeights.of(state.last_weights) if failure else state.chosen()
    return Outcome(
        run=updater.spec.run,
        spec_sha256=updater.spec.sha256,
        seed=state.fingerprint["seed"],
        outcome=failure.outcome if failure else "finished",
        failure=_recorded(failure),
        updates=progress.update,
        epochs=round(epochs(progress, trainer.batches), 4),
        target_tokens=progress.target_tokens,
        train_loss=detector.recent_loss if isfinite(detector.recent_loss) else None,
        unigram_loss=detector.unigram_loss,
        averaged=tuple(saved.path.name for saved in scored.files),
        averaged_updates=scored.updates,
        dev_perplexities=scored.on_dev,
        milestones=tuple(state.milestones.values()),
        parameters=sum(p.numel() for p in updater.model.parameters()),
        train_seconds=round(progress.seconds, 3),
        core_seconds=round(progress.core_seconds, 3),
        target_tokens_per_s=round(progress.target_tokens / max(progress.seconds, 1e-9), 1),
        peak_memory_mb=history.peak_memory_mb,
        micro_tokens=updater.micro_tokens,
        padding=round(trainer.batches.padding, 4),
        hardware=history.machine | {"precision": state.fingerprint["precision"]},
        software={"python": platform.python_version(), "torch": str(torch.__version__)},
        code=" ".join(history.codes),
        commit=" ".join(history.commits),
        initial_weights=state.fingerprint["init"],
        attempts=history.attempts,
        started=iso_time(history.started),
        finished=iso_time(ended(history.started, made, trainer)),
    )


def _recorded(failure: Failure | None) -> RecordedFailure | None:
    if not failure:
        return None
    return RecordedFailure(update=failure.update, reason=failure.reason, rows=failure.rows)


def ended(started: float, made: float, trainer: Trainer) -> float:
    """Return the time, or that of the start if the clock went back since; say what cannot be."""
    now, folder = time.time(), trainer.log.path.parent
    if now < started:
        say(
            f"{folder}: the clock went back by {started - now:,.0f} s since the"
            " start, which the record takes for the end"
        )
    elif now - min(started, made) > A_YEAR:
        say(
            f"{folder}: the clock says {iso_time(now)}, more than a year after this run began: if"
            " that is in the future, no report takes the record; set the clock, delete"
            f" {trainer.log.path.with_name('outcome.json')} and run again"
        )
    return max(now, started)


def epochs(progress: Progress, batches: TrainingBatches) -> float:
    """Return the number of epochs: complete ones + batches used / batches per epoch."""
    return progress.epoch + progress.batch / len(batches.epoch(progress.epoch))


def iso_time(seconds: float) -> str:
    """Return a time as ISO 8601, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
