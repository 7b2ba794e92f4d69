"""The training loop: updates from the seed's order of batches until the end, or divergence."""

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import torch
from torch import Tensor, nn

from deepmt.data.batches import Batch, TrainingBatches
from deepmt.spec import Spec
from deepmt.train.checkpoint import Checkpoints
from deepmt.train.loss import SmoothedLoss
from deepmt.train.optimiser import optimiser
from deepmt.train.outcome import Divergence, Watch
from deepmt.train.schedule import learning_rate
from deepmt.train.sight import Log, ProgressLine


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
        micro_tokens: int = 0,
    ) -> None:
        self.spec = spec
        self.recipe = spec.training
        self.model = model
        self.batches = batches
        self.checkpoints = checkpoints
        self.watch = watch
        self.log = log
        self.fingerprint = fingerprint
        self.line = ProgressLine(name, self.recipe.updates)
        self.micro_tokens = micro_tokens or self.recipe.batch_tokens
        self.loss = SmoothedLoss.of(self.recipe, model.output.out_features)
        self.optimiser = optimiser(model, self.recipe)
        self.position = Position()
        self.device = next(model.parameters()).device
        self.trained = [p for p in model.parameters() if p.requires_grad]

    def resume(self) -> None:
        """Go on from the newest whole checkpoint that belongs to these settings, if there is one.

        A checkpoint of other settings, data or first weights is deleted; one of other code is
        used only if it is unfinished: then training goes on and the log says so.
        """
        state, damaged = self.checkpoints.load_state()
        for name in damaged:
            self.log.write("damaged", file=name)
        if state is None:
            return
        differs = [k for k, v in self.fingerprint.items() if state["fingerprint"][k] != v]
        unfinished = state["position"]["update"] < self.recipe.updates
        if differs and not (differs == ["code"] and unfinished):
            self.log.write("anew", differs=differs)
            self.checkpoints.clear()
            return
        self.load(state)
        self.log.write("resumed", code_changed=bool(differs), **asdict(self.position))

    def run(self) -> Divergence | None:
        """Train to the end; return why it diverged, or None if it finished.

        Raises:
            StopAsked: a signal arrived; everything is saved.
        """
        self.model.train()
        with stop_signals() as asked:
            for rows in self._remaining():
                began = time.perf_counter()
                divergence = self._update(self.batches.batch(rows))
                self.position.seconds += time.perf_counter() - began
                if divergence:
                    self.save(self.position.update)
                    return divergence
                self._report()
                if self._interval_ends():
                    self.save(self.position.update)
                if asked:
                    self.save(None)
                    self.log.write("stopped", update=self.position.update, signal=asked[0])
                    raise StopAsked(asked[0])
        self.save(self.position.update)
        return None

    def _interval_ends(self) -> bool:
        update = self.position.update
        return update % self.recipe.checkpoint_every == 0 and update < self.recipe.updates

    def _remaining(self) -> Iterator[Any]:
        """Batches from the present position on, epoch after epoch."""
        while self.position.update < self.recipe.updates:
            for rows in self.batches.epoch(self.position.epoch)[self.position.batch :]:
                if self.position.update == self.recipe.updates:
                    return
                self.position.batch += 1
                yield rows
            self.position.epoch += 1
            self.position.batch = 0

    def _update(self, batch: Batch) -> Divergence | None:
        """One optimiser step on the gradient of one batch; none if it diverged."""
        number = self.position.update + 1
        weight = self.loss.weight(batch.target)
        total = torch.zeros((), device=self.device)
        for part in self._parts(batch):
            part = part.to(self.device)
            states = self.model(part.source, part.target)
            loss = self.loss(self.model.output, states, part.target) / weight
            loss.backward()
            total += loss.detach()
        gradients = [p.grad for p in self.trained if p.grad is not None]
        norm = nn.utils.get_total_norm(gradients, foreach=True)
        divergence = self.watch.see(number, float(total), float(norm))
        if divergence is None:
            self._step(number, norm)
            self.position.update = number
            self.position.target_tokens += batch.target_tokens
        self.optimiser.zero_grad(set_to_none=True)
        return divergence

    def _parts(self, batch: Batch) -> Iterator[Batch]:
        """A batch in pieces of at most `micro_tokens`, whose gradients add up to the whole's."""
        longest = max(batch.source.size(1), batch.target.size(1))
        rows = max(1, self.micro_tokens // longest)
        for source, target in zip(batch.source.split(rows), batch.target.split(rows), strict=True):
            yield Batch(source, target)

    def _step(self, number: int, norm: Tensor) -> None:
        if self.recipe.clip:
            nn.utils.clip_grads_with_norm_(self.trained, self.recipe.clip, norm, foreach=True)
        for group in self.optimiser.param_groups:
            group["lr"] = learning_rate(self.spec, number)
        self.optimiser.step()

    def _report(self) -> None:
        position = self.position
        loss = self.watch.recent_loss
        last = position.update == self.recipe.updates
        if self.line.show(position.update, loss, position.target_tokens, last=last):
            self.log.write("progress", loss=round(loss, 4), **asdict(position))

    def save(self, weights_of: int | None) -> None:
        """Write the state, and, after a whole number of intervals, weights to average."""
        if weights_of is not None:
            self.checkpoints.save_weights(weights_of, weights(self.model))
        self.checkpoints.save_state(self.position.update, self.state())
        self.log.write("checkpoint", **asdict(self.position))

    def state(self) -> dict[str, Any]:
        """All that the next update depends on."""
        random = {"cpu": torch.get_rng_state()}
        if self.device.type == "cuda":
            random["cuda"] = torch.cuda.get_rng_state(self.device)
        return {
            "fingerprint": self.fingerprint,
            "model": self.model.state_dict(),
            "optimiser": self.optimiser.state_dict(),
            "position": asdict(self.position),
            "losses": list(self.watch.losses),
            "random": random,
        }

    def load(self, state: dict[str, Any]) -> None:
        """Go back to a saved state."""
        self.model.load_state_dict(state["model"])
        self.optimiser.load_state_dict(state["optimiser"])
        self.position = Position(**state["position"])
        self.watch.losses.extend(state["losses"])
        torch.set_rng_state(state["random"]["cpu"])
        if self.device.type == "cuda":
            torch.cuda.set_rng_state(state["random"]["cuda"], self.device)


def weights(model: nn.Module) -> dict[str, Tensor]:
    """Every distinct parameter once, by its first name, in float32 on the CPU."""
    return {
        name: parameter.detach().float().cpu().contiguous()
        for name, parameter in model.named_parameters()
    }


def load_weights(model: nn.Module, values: dict[str, Tensor]) -> None:
    """Fill the parameters of a model from `weights`.

    Raises:
        ValueError: names or shapes do not fit the model.
    """
    own = dict(model.named_parameters())
    if own.keys() != values.keys():
        strange = sorted(own.keys() ^ values.keys())[:3]
        raise ValueError(f"weights do not fit the model: {', '.join(strange)} on one side only")
    with torch.no_grad():
        for name, parameter in own.items():
            if parameter.shape != values[name].shape:
                raise ValueError(
                    f"weights do not fit the model: {name} is {tuple(values[name].shape)}, "
                    f"the model has {tuple(parameter.shape)}"
                )
            parameter.copy_(values[name])


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
