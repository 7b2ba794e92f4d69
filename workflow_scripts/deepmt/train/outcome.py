"""Describe the outcome of a training for outcome.json."""

import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from math import isfinite
from typing import Any

import torch
from torch import nn

from deepmt.data.batches import TrainingBatches
from deepmt.data.encoded import EncodedPair
from deepmt.model.weights import load_weights
from deepmt.train.checkpoint import SavedFile
from deepmt.train.divergence import Failure
from deepmt.train.evaluate import perplexity
from deepmt.train.loop import Trainer
from deepmt.train.mean_weights import mean
from deepmt.train.saver import TrainerState


def outcome(
    trainer: Trainer, failure: Failure | None, dev: Callable[[], EncodedPair]
) -> dict[str, Any]:
    """Return the outcome of a training that ended or failed; `dev` opens the dev split."""
    saver, updater, detector = trainer.saver, trainer.updater, trainer.detector
    recipe = trainer.recipe
    state, history = saver.state, saver.history
    averaged = saver.checkpoints.weights(until=state.update)
    on_dev: dict[str, float] = {}
    if recipe.average == "better" and not failure:
        averaged, on_dev = better_weights(averaged, updater.model, dev(), recipe.max_length)
    failed = asdict(failure) if failure else None
    starts = attempts(trainer.log.events())
    return {
        "outcome": failed.pop("outcome") if failed else "finished",
        "failure": failed,
        "updates": state.update,
        "epochs": round(epochs(state, trainer.batches), 4),
        "target_tokens": state.target_tokens,
        "train_loss": detector.recent_loss if isfinite(detector.recent_loss) else None,
        "unigram_loss": detector.unigram_loss,
        "averaged": [saved.path.name for saved in averaged],
        "averaged_updates": [saved.update for saved in averaged],
        "dev_perplexities": on_dev,
        "parameters": sum(p.numel() for p in updater.model.parameters()),
        "train_seconds": round(state.seconds, 3),
        "target_tokens_per_s": round(state.target_tokens / max(state.seconds, 1e-9), 1),
        "peak_memory_mb": history.peak_memory_mb,
        "micro_tokens": updater.micro_tokens,
        "padding": round(trainer.batches.padding, 4),
        "hardware": history.machine | {"precision": saver.fingerprint["precision"]},
        "software": {"python": platform.python_version(), "torch": str(torch.__version__)},
        "code": " ".join(history.codes),
        "commit": " ".join(history.commits),
        "attempts": len(starts),
        "started": iso_time(starts[0]["time"]),
        "finished": iso_time(time.time()),
    }


def better_weights(
    saved: Sequence[SavedFile], model: nn.Module, dev: EncodedPair, max_length: int
) -> tuple[list[SavedFile], dict[str, float]]:
    """Return all checkpoints, or the last if it predicts dev better than their mean.

    Return both perplexities on dev as well. The model has the last weights evaluated afterwards.
    """
    choices = {"mean": list(saved), "last": list(saved[-1:])}
    found = {}
    for name, files in choices.items():
        weights = {key: torch.from_numpy(x) for key, x in mean([f.path for f in files]).items()}
        load_weights(model, weights)
        found[name] = perplexity(model, dev, max_length)
    return choices[min(found, key=found.__getitem__)], found


def epochs(state: TrainerState, batches: TrainingBatches) -> float:
    """Return the number of epochs: complete ones + batches used / batches per epoch."""
    return state.epoch + state.batch / len(batches.epoch(state.epoch))


def attempts(events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the start event of each attempt since the training last began anew."""
    first = max((event["attempt"] for event in events if event["event"] == "anew"), default=1)
    return [e for e in events if e["event"] == "start" and e["attempt"] >= first]


def iso_time(seconds: float) -> str:
    """Return a time as ISO 8601, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
