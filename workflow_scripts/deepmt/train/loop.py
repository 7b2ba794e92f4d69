"""Run the training loop over the seed's order of batches until the end or a failure."""

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

import numpy as np
import torch

from deepmt.base.errors import UserError
from deepmt.data.batches import TrainingBatches
from deepmt.data.prefetch import prefetch
from deepmt.train.divergence import BatchIndex, Failure
from deepmt.train.evaluate import mean_loss
from deepmt.train.event_log import ProgressLine
from deepmt.train.measurements import LoggingIntervals, Measurements, rounded
from deepmt.train.passes import Share
from deepmt.train.stop import StopRequested
from deepmt.train.training_state import TrainingState


@dataclass
class Trainer:
    """Train the model of a spec with one seed, starting at the newest checkpoint."""

    state: TrainingState
    """As it was resumed."""
    batches: TrainingBatches
    every: LoggingIntervals

    def __post_init__(self) -> None:
        state, updater = self.state, self.state.updater
        self.updater, self.recipe, self.log = updater, state.recipe, state.log
        self.progress = state.progress
        self.measurements = Measurements(self.every, updater, state.dev)
        self.line = ProgressLine(f"{updater.spec.run} seed {updater.seed}", self.recipe.updates)
        if self.recipe.patience:
            self._check_epoch()

    def _check_epoch(self) -> None:
        """Check that weights are saved before the first score."""
        scored, epoch = min((*self.recipe.milestones, self.recipe.updates)), self.batches.epoch(0)
        if scored < len(epoch):
            raise UserError(
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
        if not self.state.updates_left:
            return None
        self.updater.model.train()
        # Closed in any case: the thread that prepares batches must not outlive an error.
        with closing(prefetch(self._batches_left())) as batches:
            for index, share in batches:
                began, cores = time.perf_counter(), time.process_time()
                failure, stop = self.update(share, index, bool(signals))
                self.progress.seconds += time.perf_counter() - began
                self.progress.core_seconds += time.process_time() - cores
                if failure:
                    self.state.diverged = True
                    break
                if self.recipe.patience and index.ends_epoch:
                    self._end_epoch()
                self._report()
                if not self.state.updates_left:
                    break
                self._save_if_due(index)
                if stop:
                    self.state.save(to_average=False)
                    self.log.write("stopped", update=self.progress.update, signal=list(signals[:1]))
                    raise StopRequested(*signals[:1])
        ended = index.ends_epoch and not failure
        # A training that ends within its first epoch has no end of one to be scored by.
        to_average = ended or not self.recipe.patience or not self.progress.epoch
        self.state.save(to_average=to_average)
        return failure

    def _end_epoch(self) -> None:
        """Compare the loss on dev with that of the epochs before."""
        model, epsilon = self.updater.model, self.updater.loss.epsilon
        dev, workers = self.state.dev(), self.state.workers
        loss = mean_loss(model, dev, self.recipe.max_length, workers, epsilon=epsilon)
        model.train()
        self.state.patience.note(loss)
        self.log.write(
            "epoch",
            update=self.progress.update,
            epochs=self.progress.epoch + 1,
            dev_loss=loss,
            waited=self.state.patience.waited,
        )

    def _save_if_due(self, index: BatchIndex) -> None:
        regular = self.progress.update % self.recipe.checkpoint_every == 0
        to_average = index.ends_epoch if self.recipe.patience else regular
        if regular or to_average:
            self.state.save(to_average=to_average)

    def _batches_left(self) -> Iterator[tuple[BatchIndex, Share]]:
        """Yield this worker's share of every remaining update.

        Prefetching may run ahead of training, which finds the tokens counted.
        """
        left = self.state.updates_left
        workers, positions = self.updater.workers, self.updater.pass_positions
        epoch, start = self.progress.epoch, self.progress.batch
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
        updater, number = self.updater, self.progress.update + 1
        loss, nll = updater.gradient(share, number, lambda: self.measurements.begin(number))
        sums = torch.stack([loss, torch.full_like(loss, stop_requested), nll])
        updater.workers.all_reduce([sums, updater.flat.gradient])
        norm = updater.flat.norm()
        # One copy from the device for all four.
        total, stops, total_nll, size = torch.cat([sums, norm.reshape(1)]).tolist()
        failure = self.state.detector.judge(number, total, size, index)
        if failure is None:
            self._log(self.measurements.before_step(number), number)
            updater.step(number, norm)
            self.progress.advance(index, share.target_tokens)
            self.measurements.running.add(total, total_nll, share.target_tokens)
        return failure, stops > 0

    def _log(self, found: Iterator[tuple[str, dict[str, Any]]], update: int) -> None:
        for name, values in found:
            self.log.write(name, update=update, **rounded(values))
            self.updater.model.train()

    def _report(self) -> None:
        progress, loss = self.progress, self.state.detector.recent_loss
        last = not self.state.updates_left
        if self.updater.workers.writes and self.line.show(
            progress.update, loss, progress.target_tokens, last=last
        ):
            self.log.write("progress", loss=round(loss, 4), **asdict(progress))
        found = self.measurements.after_step(progress.update, at_end=last)
        self._log(found, progress.update)
