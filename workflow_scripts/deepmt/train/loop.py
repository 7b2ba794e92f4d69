"""Run the training loop over the seed's order of batches until the end or a failure."""

import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from itertools import islice

import numpy as np
import torch

from deepmt.data.batches import Batch, TrainingBatches
from deepmt.data.prefetch import prefetch
from deepmt.train.divergence import BatchIndex, Failure
from deepmt.train.event_log import ProgressLine
from deepmt.train.hooks import Hook, RunningLoss, rounded
from deepmt.train.saver import Saver
from deepmt.train.stop import StopRequested


@dataclass
class Trainer:
    """Train the model of a spec with one seed, starting at the newest checkpoint."""

    name: str
    saver: Saver
    batches: TrainingBatches
    hooks: Sequence[Hook]
    running: RunningLoss

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
        loss, nll = updater.gradient(batches, number, partial(self._begin_hooks, number))
        sums = torch.stack([loss, torch.full_like(loss, stop_requested), nll])
        updater.workers.all_reduce([sums, updater.flat.gradient])
        norm = updater.flat.norm()
        # One copy from the device for all four.
        total, stops, total_nll, size = torch.cat([sums, norm.reshape(1)]).tolist()
        failure = self.detector.judge(number, total, size, index)
        if failure is None:
            self._evaluate_hooks(number, before_step=True)
            updater.step(number, norm)
            state.update = number
            state.epoch, state.batch = index.epoch, index.batch + 1
            tokens = sum(batch.target_tokens for batch in batches)
            state.target_tokens += tokens
            self.running.add(total, total_nll, tokens)
        return failure, stops > 0

    def _begin_hooks(self, update: int) -> None:
        for hook in self._due(update):
            if hook.begin is not None:
                hook.begin(self.updater.working)

    def _evaluate_hooks(self, update: int, *, before_step: bool) -> None:
        model = self.updater.model
        for hook in self._due(update):
            if hook.before_step == before_step:
                self.log.write(hook.name, update=update, **rounded(hook.evaluate(model)))
                model.train()

    def _due(self, update: int) -> list[Hook]:
        writes = self.updater.workers.writes
        return [h for h in self.hooks if (writes or h.shared) and h.due(update)]

    def _report(self) -> None:
        state, loss = self.saver.state, self.detector.recent_loss
        last = state.update == self.recipe.updates
        if self.updater.workers.writes and self.line.show(
            state.update, loss, state.target_tokens, last=last
        ):
            self.log.write("progress", loss=round(loss, 4), **asdict(state))
        self._evaluate_hooks(state.update, before_step=False)
