"""Saving a training between two updates, and resuming it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import torch

from deepmt.model.weights import weights
from deepmt.train.checkpoint import Checkpoints
from deepmt.train.divergence import DivergenceDetector
from deepmt.train.event_log import EventLog
from deepmt.train.history import History, peak_memory_mb
from deepmt.train.update import Updater

FORM = "flat"
"""The form of the optimiser's state: a checkpoint of another form cannot be resumed."""


@dataclass
class TrainerState:
    """How far training has come, between two updates."""

    update: int = 0
    epoch: int = 0
    batch: int = 0
    """Batches of this epoch already used."""
    target_tokens: int = 0
    seconds: float = 0.0


class Saver:
    """All that the next update depends on; random numbers come from seed and update."""

    def __init__(
        self,
        updater: Updater,
        detector: DivergenceDetector,
        checkpoints: Checkpoints,
        log: EventLog,
        *,
        fingerprint: Mapping[str, Any],
        history: History,
        keeps_precision: bool,
    ) -> None:
        """`fingerprint` names settings, data, first weights, seed and code.

        `keeps_precision`: resume in the precision that the run began in, whatever the hardware.
        """
        self.updater = updater
        self.detector = detector
        self.checkpoints = checkpoints
        self.log = log
        self.own = dict(fingerprint) | {"form": FORM}
        self.history = history
        self.keeps_precision = keeps_precision
        self.state = TrainerState()
        self.diverged = False

    @property
    def fingerprint(self) -> dict[str, Any]:
        """The settings, data, code and precision that a checkpoint belongs to."""
        return self.own | {"precision": str(self.updater.dtype).removeprefix("torch.")}

    @property
    def updates_left(self) -> int:
        """The number of updates still to be made."""
        return self.updater.spec.training.updates - self.state.update

    def resume(self) -> None:
        """Go on from the newest whole checkpoint that belongs to these settings, if there is one.

        A checkpoint of other settings, data or first weights is deleted; one of other code is
        used only if training had neither finished nor diverged: it goes on, and the log says so.
        """
        workers = self.updater.workers
        saved, damaged = self.checkpoints.load_state()
        workers.wait()  # none may read what another one removes
        for name in damaged:
            self.log.write("damaged", file=name)
        if workers.writes:
            self.checkpoints.remove(damaged)
        if saved is not None and self.keeps_precision:
            self.updater.dtype = getattr(torch, saved["fingerprint"]["precision"])
        if saved is not None and (differs := self._unusable(saved)):
            self.log.write("anew", differs=differs)
            if workers.writes:
                self.checkpoints.clear()
            return
        if saved is not None:
            self._load(saved)
        if workers.writes:
            self.checkpoints.forget_after(self.state.update)
        if saved is not None:
            changed = bool(self._differs(saved))
            self.log.write("resumed", code_changed=changed, **asdict(self.state))

    def _differs(self, saved: dict[str, Any]) -> list[str]:
        return [k for k, v in self.fingerprint.items() if saved["fingerprint"].get(k) != v]

    def _unusable(self, saved: dict[str, Any]) -> list[str]:
        """Return the reasons why a state cannot be resumed."""
        differs = self._differs(saved)
        updates = self.updater.spec.training.updates
        # Older states do not say whether training diverged.
        ended = saved.get("diverged", False) or saved["position"]["update"] == updates
        return differs if ended or differs != ["code"] else []

    def save(self, weights_of: int | None) -> None:
        """Write the state, and, after a whole number of intervals, weights to average."""
        updater = self.updater
        if updater.workers.writes:
            reached = History(peak_memory_mb=peak_memory_mb(updater.device))
            self.history = self.history.then(reached)
            if weights_of is not None:
                self.checkpoints.save_weights(weights_of, weights(updater.model))
            self.checkpoints.save_state(self.state.update, self._saved())
        updater.workers.wait()
        loss = round(self.detector.recent_loss, 4) if self.detector.losses else None
        self.log.write("checkpoint", loss=loss, **asdict(self.state))

    def _saved(self) -> dict[str, Any]:
        return {
            "fingerprint": self.fingerprint,
            "model": self.updater.model.state_dict(),
            "optimiser": self.updater.optimiser.state_dict(),
            "position": asdict(self.state),
            "losses": list(self.detector.losses),
            "micro_tokens": self.updater.micro_tokens,
            "diverged": self.diverged,
            "history": asdict(self.history),
        }

    def _load(self, saved: dict[str, Any]) -> None:
        self.updater.model.load_state_dict(saved["model"])
        self.updater.optimiser.load_state_dict(saved["optimiser"])
        self.updater.micro_tokens = min(self.updater.micro_tokens, saved["micro_tokens"])
        self.state = TrainerState(**saved["position"])
        self.detector.losses.extend(saved["losses"])
        earlier = History.of(saved)
        # An attempt that finds nothing left to do has no part in the history.
        self.history = earlier.then(self.history) if self.updates_left else earlier
