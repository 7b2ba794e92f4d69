"""Run the training loop over the seed's order of batches until the end or a failure."""

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

import numpy as np
import torch

from deepmt.data.batches import Batch, TrainingBatches
from deepmt.data.prefetch import prefetch
from deepmt.train.divergence import BatchIndex, Failure
from deepmt.train.event_log import ProgressLine
from deepmt.train.measurements import Measurements, rounded
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
            for index, update in batches:
                began, cores = time.perf_counter(), time.process_time()
                failure, stop = self.update(update, index, bool(signals))
                state.seconds += time.perf_counter() - began
                state.core_seconds += time.process_time() - cores
                if failure:
                    self.saver.diverged = True
                    break
                self._report()
                if self.saver.updates_left and state.update % self.recipe.checkpoint_every == 0:
                    self.saver.save(state.update)
                if stop and self.saver.updates_left:
                    self.saver.save(None)
                    self.log.write("stopped", update=state.update, signal=list(signals[:1]))
                    raise StopRequested(*signals[:1])
        self.saver.save(state.update)
        return failure

    def _batches_left(self) -> Iterator[tuple[BatchIndex, list[Batch]]]:
        """Yield the batches of every remaining update; prefetching may run ahead of training."""
        state, left = self.saver.state, self.saver.updates_left
        epoch, start = state.epoch, state.batch
        while left > 0:
            for number, rows in islice(enumerate(self.batches.epoch(epoch)), start, None):
                if left == 0:
                    return
                index = BatchIndex(epoch, number, tuple(np.concatenate(rows).tolist()))
                yield index, list(map(self.batches.batch, rows))
                left -= 1
            epoch, start = epoch + 1, 0

    def update(
        self, batches: Sequence[Batch], index: BatchIndex, stop_requested: bool
    ) -> tuple[Failure | None, bool]:
        """Take one optimiser step on the gradient of these batches, or none if training failed.

        Returns the failure, if any, and True if any worker was asked to stop.
        """
        state, updater = self.saver.state, self.updater
        number = state.update + 1
        loss, nll = updater.gradient(
            batches, number, lambda: self.measurements.begin(updater.working, number)
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
            tokens = sum(batch.target_tokens for batch in batches)
            state.target_tokens += tokens
            self.measurements.running.add(total, total_nll, tokens)
        return failure, stops > 0

    def _log(self, found: Iterator[tuple[str, dict[str, Any]]], update: int) -> None:
        for name, values in found:
            self.log.write(name, update=update, **rounded(values))
            self.updater.model.train()

    def _report(self) -> None:
        state, loss = self.saver.state, self.detector.recent_loss
        last = state.update == self.recipe.updates
        if self.updater.workers.writes and self.line.show(
            state.update, loss, state.target_tokens, last=last
        ):
            self.log.write("progress", loss=round(loss, 4), **asdict(state))
        model = self.updater.model
        self._log(self.measurements.after_step(model, state.update), state.update)
