"""The training loop: updates from the seed's order of batches until the end, or divergence."""

import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from deepmt.config.spec import Spec
from deepmt.data.batches import Batch, TrainingBatches
from deepmt.data.prefetch import prefetch
from deepmt.kernels.flat_parameters import FlatParameters
from deepmt.model.weights import weights
from deepmt.train.checkpoint import Checkpoints
from deepmt.train.engine import Engine
from deepmt.train.history import History, peak_memory_mb
from deepmt.train.loss import SmoothedLoss
from deepmt.train.optimiser import optimiser
from deepmt.train.outcome import Divergence, Turn, Watch
from deepmt.train.progress import Progress
from deepmt.train.schedule import learning_rate
from deepmt.train.sight import Log, ProgressLine, Sight, rounded
from deepmt.train.workers import Workers

SIGNS_OF_FULL_MEMORY = ("can't allocate memory", "CUBLAS_STATUS_ALLOC_FAILED")


class StopAsked(Exception):
    """SIGTERM or SIGINT arrived; the state is saved."""


@dataclass
class Position:
    """Where training stands, between two updates."""

    update: int = 0
    epoch: int = 0
    batch: int = 0
    """Batches of this epoch already used."""
    target_tokens: int = 0
    seconds: float = 0.0


class Trainer:
    """Trains one model of one spec with one seed, from wherever its checkpoints stand."""

    def __init__(
        self,
        spec: Spec,
        model: nn.Module,
        batches: TrainingBatches,
        checkpoints: Checkpoints,
        watch: Watch,
        log: Log,
        *,
        name: str,
        fingerprint: dict[str, Any],
        history: History | None = None,
        seed: int = 0,
        engine: Engine | None = None,
        workers: Workers | None = None,
        sights: Sequence[Sight] = (),
        progress: Progress | None = None,
    ) -> None:
        self.spec = spec
        self.recipe = spec.training
        self.model = model
        self.batches = batches
        self.checkpoints = checkpoints
        self.watch = watch
        self.log = log
        self.seed = seed
        self.engine = engine or Engine()
        self.workers = workers or Workers()
        self.sights = sights
        self.progress = progress or Progress()
        self.fingerprint = fingerprint
        self.history = history or History()
        self._compute_in(str(self.engine.dtype(spec)).removeprefix("torch."))
        self.micro_tokens = self.engine.micro_tokens or self.recipe.batch_tokens
        self.line = ProgressLine(name, self.recipe.updates)
        self.loss = SmoothedLoss.of(self.recipe, model.output.out_features)
        self.flat = FlatParameters(model.parameters())
        self.optimiser = optimiser([self.flat.weights], self.recipe)
        self.position = Position()
        self.diverged = False
        self.device = self.flat.weights.device

    def resume(self) -> None:
        """Go on from the newest whole checkpoint that belongs to these settings, if there is one.

        A checkpoint of other settings, data or first weights is deleted; one of other code is
        used only if training had neither finished nor diverged: it goes on, and the log says so.
        """
        state, damaged = self.checkpoints.load_state()
        self.workers.wait()  # none may read what another one removes
        for name in damaged:
            self.log.write("damaged", file=name)
        if self.workers.writes:
            self.checkpoints.remove(damaged)
        if state is None:
            self._keep_checkpoints_until(0)
            return
        if self.engine.precision == "auto":
            self._compute_in(state["fingerprint"]["precision"])
        differs = [k for k, v in self.fingerprint.items() if state["fingerprint"].get(k) != v]
        # Older states do not say whether training diverged.
        ended = state.get("diverged", False) or state["position"]["update"] == self.recipe.updates
        if differs and (ended or differs != ["code"]):
            self.log.write("anew", differs=differs)
            if self.workers.writes:
                self.checkpoints.clear()
            return
        self.load(state)
        self._keep_checkpoints_until(self.position.update)
        self.log.write("resumed", code_changed=bool(differs), **asdict(self.position))

    def _compute_in(self, precision: str) -> None:
        # A run keeps the precision that it began in, on whatever hardware it goes on.
        self.dtype = getattr(torch, precision)
        self.fingerprint = self.fingerprint | {"precision": precision}

    def _keep_checkpoints_until(self, update: int) -> None:
        if self.workers.writes:
            self.checkpoints.forget_after(update)

    def run(self, asked: Sequence[str] = ()) -> Divergence | None:
        """Train to the end; return why it diverged, or None if it finished.

        `asked` fills when a signal asks to stop.

        Raises:
            StopAsked: it did; everything is saved.
        """
        if not self._updates_left():
            return None
        self.model.train()
        # Closed at once, whatever happens: the thread of a batch must not outlive an error.
        with closing(prefetch(self._remaining())) as updates:
            for turn, batch in updates:
                began = time.perf_counter()
                divergence, stop = self.update(batch, turn, bool(asked))
                self.position.seconds += time.perf_counter() - began
                if divergence:
                    self.diverged = True
                    self.save(self.position.update)
                    return divergence
                self._report()
                if self._interval_ends():
                    self.save(self.position.update)
                if stop and self._updates_left():
                    self.save(None)
                    self.log.write("stopped", update=self.position.update, signal=list(asked[:1]))
                    raise StopAsked(*asked[:1])
        self.save(self.position.update)
        return None

    def _interval_ends(self) -> bool:
        update = self.position.update
        return update % self.recipe.checkpoint_every == 0 and update < self.recipe.updates

    def _remaining(self) -> Iterator[tuple[Turn, Batch]]:
        """Every update to come; it may run ahead of training."""
        epoch, start, left = self.position.epoch, self.position.batch, self._updates_left()
        while left > 0:
            for number, rows in islice(enumerate(self.batches.epoch(epoch)), start, None):
                if left == 0:
                    return
                yield Turn(epoch, number, tuple(rows.tolist())), self.batches.batch(rows)
                left -= 1
            epoch, start = epoch + 1, 0

    def _updates_left(self) -> int:
        return self.recipe.updates - self.position.update

    def update(self, batch: Batch, turn: Turn, asked: bool) -> tuple[Divergence | None, bool]:
        """One optimiser step on the gradient of one batch, or none if it diverged.

        Returns the divergence, and whether any worker was asked to stop.
        """
        number = self.position.update + 1
        loss, nll = self._gradient(batch, number)
        told = torch.stack([loss, loss.new_tensor(asked), nll])
        self.workers.add_up([told, self.flat.gradient])
        norm = self.flat.norm()
        # All in one copy from the device.
        total, stops, nll_sum, size = torch.cat([told, norm.reshape(1)]).tolist()
        divergence = self.watch.see(number, total, size, turn)
        if divergence is None:
            self._look(number, of_gradients=True)
            self._step(number, norm)
            self.position.update = number
            self.position.epoch, self.position.batch = turn.epoch, turn.batch + 1
            self.position.target_tokens += batch.target_tokens
            self.progress.add(total, nll_sum, batch.target_tokens)
        self.flat.zero_gradient()
        return divergence, stops > 0

    def _gradient(self, batch: Batch, number: int) -> tuple[Tensor, Tensor]:
        """Leave the gradient of this worker's share of an update in .grad; return loss and NLL.

        When memory does not suffice, the share is taken again in parts of half the size: the sum
        over parts is the same.
        """
        while True:
            self._begin_to_look(number)
            try:
                return self._gradient_by_parts(batch, number)
            except (torch.OutOfMemoryError, RuntimeError) as error:
                longest = max(batch.source.size(1), batch.target.size(1))
                if not out_of_memory(error) or self.micro_tokens <= longest:
                    raise
            self.flat.zero_gradient()
            if self.device.type == "cuda":
                torch.cuda.empty_cache()
            self.micro_tokens = max(longest, self.micro_tokens // 2)
            self.log.write("halved", update=number, micro_tokens=self.micro_tokens)

    def _gradient_by_parts(self, batch: Batch, number: int) -> tuple[Tensor, Tensor]:
        weight = self.loss.weight(batch.target)
        total, total_nll = torch.zeros(2, device=self.device)
        for first, part in self._parts(batch):
            torch.manual_seed(seed_of(self.seed, number, first))
            moved = part.to(self.device)
            with self._precision():
                states = self.model(moved.source, moved.target)
            loss, nll = self.loss.backward(self._logits, states, moved.target, weight)
            total, total_nll = total + loss, total_nll + nll
        return total, total_nll

    def _logits(self, states: Tensor) -> Tensor:
        with self._precision():
            return self.model.output(states)

    def _precision(self) -> torch.autocast:
        reduced = self.dtype == torch.bfloat16
        return torch.autocast(self.device.type, torch.bfloat16, enabled=reduced)

    def _parts(self, batch: Batch) -> Iterator[tuple[int, Batch]]:
        """This worker's rows in parts of at most `micro_tokens`, each with its first row's number.

        Their gradients add up to the whole's, whatever the number of workers and parts.
        """
        own = self.workers.share(len(batch.source))
        longest = max(batch.source.size(1), batch.target.size(1))
        rows = max(1, self.micro_tokens // longest)
        for first in range(own.start, own.stop, rows):
            part = slice(first, min(first + rows, own.stop))
            yield first, Batch(batch.source[part], batch.target[part])

    def _step(self, number: int, norm: Tensor) -> None:
        if self.recipe.clip:
            nn.utils.clip_grads_with_norm_([self.flat.weights], self.recipe.clip, norm)
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate(self.spec, number)
        self.optimiser.step()

    def _begin_to_look(self, update: int) -> None:
        for sight in self._due(update):
            if sight.begin is not None:
                sight.begin(self.model)

    def _look(self, update: int, *, of_gradients: bool) -> None:
        for sight in self._due(update):
            if sight.of_gradients == of_gradients:
                self.log.write(sight.name, update=update, **rounded(sight.look(self.model)))
                self.model.train()

    def _due(self, update: int) -> list[Sight]:
        return [s for s in self.sights if self.workers.writes and s.due(update)]

    def _report(self) -> None:
        position = self.position
        loss = self.watch.recent_loss
        last = position.update == self.recipe.updates
        if self.workers.writes and self.line.show(
            position.update, loss, position.target_tokens, last=last
        ):
            self.log.write("progress", loss=round(loss, 4), **asdict(position))
        self._look(position.update, of_gradients=False)

    def save(self, weights_of: int | None) -> None:
        """Write the state, and, after a whole number of intervals, weights to average."""
        if self.workers.writes:
            reached = History(peak_memory_mb=peak_memory_mb(self.device))
            self.history = self.history.then(reached)
            if weights_of is not None:
                self.checkpoints.save_weights(weights_of, weights(self.model))
            self.checkpoints.save_state(self.position.update, self.state())
        self.workers.wait()
        loss = round(self.watch.recent_loss, 4) if self.watch.losses else None
        self.log.write("checkpoint", loss=loss, **asdict(self.position))

    def state(self) -> dict[str, Any]:
        """All that the next update depends on; its random numbers come from seed and update."""
        return {
            "fingerprint": self.fingerprint,
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "position": asdict(self.position),
            "losses": list(self.watch.losses),
            "micro_tokens": self.micro_tokens,
            "diverged": self.diverged,
            "history": asdict(self.history),
        }

    def load(self, state: dict[str, Any]) -> None:
        """Go back to a saved state."""
        self.model.load_state_dict(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.position = Position(**state["position"])
        self.watch.losses.extend(state["losses"])
        self.micro_tokens = min(self.micro_tokens, state["micro_tokens"])
        earlier = History.of(state)
        # Who finds nothing left to do has no part in it.
        self.history = earlier.then(self.history) if self._updates_left() else earlier


def seed_of(*numbers: int) -> int:
    """One number drawn from several: dropout of a row depends on seed, update and row alone."""
    return int(np.random.SeedSequence(numbers).generate_state(1, np.uint64)[0])


def out_of_memory(error: RuntimeError) -> bool:
    """torch's own error on a GPU; libraries and the CPU's allocator raise a plain RuntimeError."""
    known = isinstance(error, torch.OutOfMemoryError)
    return known or any(sign in str(error) for sign in SIGNS_OF_FULL_MEMORY)


@contextmanager
def stop_signals() -> Iterator[list[str]]:
    """A list that fills when SIGTERM or SIGINT arrives, so that an update is never cut short."""
    asked: list[str] = []

    def note(number: int, frame: Any) -> None:
        asked.append(signal.Signals(number).name)

    before = {s: signal.signal(s, note) for s in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield asked
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
