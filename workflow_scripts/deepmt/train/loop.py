"""Run the training loop over the seed's order of batches until the end or a failure."""

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

import numpy as np
import torch

from deepmt.data.batches import TrainingBatches
from deepmt.data.prefetch import prefetch
from deepmt.train.divergence import BatchIndex, Failure
from deepmt.train.evaluate import mean_loss
from deepmt.train.event_log import ProgressLine
from deepmt.train.measurements import Measurements, rounded
from deepmt.train.passes import Share
from deepmt.train.saver import Saver
from deepmt.train.stop import StopRequested


@dataclass
class Trainer:
    """Train the model of a spec with one seed, starting at the newest checkpoint."""

    name: str
    saver: Saver
    batches: TrainingBatches
    measurements: Measurements

    def __post_init__(self) -> None:
        self.updater, self.detector = self.saver.updater, self.saver.detector
        self.log = self.saver.log
        self.recipe = self.updater.spec.training
        self.line = ProgressLine(self.name, self.recipe.updates)
        if self.recipe.patience:
            self._check_epoch()

    def _check_epoch(self) -> None:
        """Check that weights are saved before the first score."""
        scored, epoch = min((*self.recipe.milestones, self.recipe.updates)), self.batches.epoch(0)
        if scored < len(epoch):
            raise ValueError(
                f"training.patience saves weights at the end of an epoch, after {len(epoch)} "
                f"updates, and update {scored} is to be scored: raise training.updates and "
                "milestones to an epoch at least, or set patience=0"
            )

    def run(self, signals: Sequence[str] = ()) -> Failure | None:
        """Train to the end; return the failure that ended training, or None if it finished.

        `signals` is filled by the handlers of SIGTERM and SIGINT.

        Raises:
            StopRequested: a signal arrived; everything is saved.
        """
        if not self.saver.updates_left:
            return None
        self.updater.model.train()
        state = self.saver.state
        # Closed in any case: the thread that prepares batches must not outlive an error.
        with closing(prefetch(self._batches_left())) as batches:
            for index, share in batches:
                began, cores = time.perf_counter(), time.process_time()
                failure, stop = self.update(share, index, bool(signals))
                state.seconds += time.perf_counter() - began
                state.core_seconds += time.process_time() - cores
                if failure:
                    self.saver.diverged = True
                    break
                if self.recipe.patience and index.ends_epoch:
                    self._end_epoch()
                self._report()
                if not self.saver.updates_left:
                    break
                self._save_if_due(index)
                if stop:
                    self.saver.save(to_average=False)
                    self.log.write("stopped", update=state.update, signal=list(signals[:1]))
                    raise StopRequested(*signals[:1])
        ended = index.ends_epoch and not failure
        self.saver.save(to_average=ended or not self.recipe.patience)
        return failure

    def _end_epoch(self) -> None:
        """Compare the loss on dev with that of the epochs before."""
        model, patience = self.updater.model, self.saver.patience
        dev, workers = self.measurements.dev(), self.updater.workers
        epsilon = self.updater.loss.epsilon
        loss = mean_loss(model, dev, self.recipe.max_length, workers, epsilon=epsilon)
        model.train()
        patience.note(loss)
        state = self.saver.state
        self.log.write(
            "epoch",
            update=state.update,
            epochs=state.epoch + 1,
            dev_loss=loss,
            waited=patience.waited,
        )

    def _save_if_due(self, index: BatchIndex) -> None:
        regular = self.saver.state.update % self.recipe.checkpoint_every == 0
        to_average = index.ends_epoch if self.recipe.patience else regular
        if regular or to_average:
            self.saver.save(to_average=to_average)

    def _batches_left(self) -> Iterator[tuple[BatchIndex, Share]]:
        """Yield this worker's share of every remaining update.

        Prefetching may run ahead of training, which finds the tokens counted.
        """
        state, left = self.saver.state, self.saver.updates_left
        workers, positions = self.updater.workers, self.updater.pass_positions
        epoch, start = state.epoch, state.batch
        while left > 0:
            updates = self.batches.epoch(epoch)
            for number, rows in islice(enumerate(updates), start, None):
                if left == 0:
                    return
                chosen = tuple(np.concatenate(rows).tolist())
                index = BatchIndex(epoch, number, chosen, ends_epoch=number + 1 == len(updates))
                yield index, Share.of(self.batches, rows, workers, positions)
                left -= 1
            epoch, start = epoch + 1, 0

    def update(
        self, share: Share, index: BatchIndex, stop_requested: bool
    ) -> tuple[Failure | None, bool]:
        """Take one optimiser step on the gradient of all shares, or none if training failed.

        Returns the failure, if any, and True if any worker was asked to stop.
        """
        state, updater = self.saver.state, self.updater
        number = state.update + 1
        loss, nll = updater.gradient(
            share, number, lambda: self.measurements.begin(updater.working, number)
        )
        sums = torch.stack([loss, torch.full_like(loss, stop_requested), nll])
        updater.workers.all_reduce([sums, updater.flat.gradient])
        norm = updater.flat.norm()
        # One copy from the device for all four.
        total, stops, total_nll, size = torch.cat([sums, norm.reshape(1)]).tolist()
        failure = self.detector.judge(number, total, size, index)
        if failure is None:
            self._log(self.measurements.before_step(updater.model, number), number)
            updater.step(number, norm)
            state.update = number
            state.epoch, state.batch = index.epoch, index.batch + 1
            state.target_tokens += share.target_tokens
            self.measurements.running.add(total, total_nll, share.target_tokens)
        return failure, stops > 0

    def _log(self, found: Iterator[tuple[str, dict[str, Any]]], update: int) -> None:
        for name, values in found:
            self.log.write(name, update=update, **rounded(values))
            self.updater.model.train()

    def _report(self) -> None:
        state, loss = self.saver.state, self.detector.recent_loss
        last = not self.saver.updates_left
        if self.updater.workers.writes and self.line.show(
            state.update, loss, state.target_tokens, last=last
        ):
            self.log.write("progress", loss=round(loss, 4), **asdict(state))
        model = self.updater.model
        found = self.measurements.after_step(model, state.update, at_end=last)
        self._log(found, state.update)
