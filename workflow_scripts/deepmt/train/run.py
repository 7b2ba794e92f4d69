"""One seed of a run: lock its folder, pick up its checkpoints, train, write the outcome."""

import os
import platform
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch
from filelock import FileLock, Timeout
from safetensors.torch import load_file
from torch import nn

from deepmt.code_sums import training_code
from deepmt.config.spec import Spec, from_json
from deepmt.data.batches import TrainingBatches
from deepmt.data.encoded import EncodedPair
from deepmt.data.vocabulary import Vocabulary
from deepmt.files import commit, remove_leftovers, sha256, write_json
from deepmt.model.build import build
from deepmt.model.transformer import recompute_layers
from deepmt.model.weights import load_weights
from deepmt.train.checkpoint import Checkpoints
from deepmt.train.engine import Engine
from deepmt.train.evaluate import perplexity
from deepmt.train.gradient_norms import gradient_norms
from deepmt.train.history import History, hardware
from deepmt.train.layer_weights import layer_weights
from deepmt.train.loop import Position, Trainer
from deepmt.train.loss import SmoothedLoss
from deepmt.train.outcome import Divergence, Watch
from deepmt.train.output_gradients import OutputGradients
from deepmt.train.progress import Progress
from deepmt.train.sight import Log, Sight
from deepmt.train.unigram import unigram_counts, unigram_loss
from deepmt.train.workers import Workers, workers

FORM = "flat"
"""Of the optimiser's part of a checkpoint: one of another form cannot be gone on from."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where everything of this run lies."""

    spec: Path
    encoding: Path
    init: Path
    folder: Path

    def pair(self, spec: Spec, name: str) -> EncodedPair:
        """A set of the encoded corpus."""
        return EncodedPair(self.encoding / "ids", name, spec.data.source, spec.data.target)

    def vocabularies(self, spec: Spec) -> tuple[int, int]:
        """Number of source and target types."""
        sizes = [
            len(Vocabulary.load(self.encoding / f"vocab.{language}"))
            for language in (spec.data.source, spec.data.target)
        ]
        return sizes[0], sizes[1]

    def fingerprint(self, seed: int) -> dict[str, Any]:
        """What a checkpoint belongs to: settings, data, first weights, seed."""
        return {
            "spec": from_json(self.spec.read_text()).sha256,
            "data": sha256(self.encoding / "manifest.json"),
            "init": sha256(self.init),
            "seed": seed,
        }


@dataclass(frozen=True, kw_only=True)
class Looks:
    """What to look at while training, every so many updates; 0 = never."""

    dev: int = 0
    """Perplexity of the dev set; also at the end."""
    gradients: int = 0
    """Norms of the gradient of every layer's parameters (Zhang 2019, Figure 4) and of every encoder
    layer's output (Bapna 2018, r_t), and what was lost since the last look (Liu 2020, Figure 2)."""
    mixtures: int = 0
    """What is read of which layer (Bapna 2018, Figure 4; Wang 2019, Figure 5); also at the end."""
    board: bool = False
    """Whether numbers go to TensorBoard files too, in tensorboard/ beside the log."""


def train(
    place: Place,
    *,
    seed: int,
    output: Path,
    engine: Engine,
    looks: Looks | None = None,
    asked: Sequence[str] = (),
) -> None:
    """Train to the end and write the outcome to `output`; `asked` fills when a signal arrives.

    Raises:
        RuntimeError: another trainer holds this folder.
        StopAsked: a signal arrived; everything is saved.
    """
    spec = from_json(place.spec.read_text())
    looks = looks or Looks()
    with workers(engine.device) as group, only_trainer(place.folder, group):
        board = summary_writer(place.folder / "tensorboard") if looks.board else None
        log = Log(place.folder / "log.jsonl", board, writes=group.writes)
        log.write(
            "start",
            host=socket.gethostname(),
            device=engine.device,
            pid=os.getpid(),
            updates=spec.training.updates,
        )
        trainer = prepare(place, spec, seed, log, engine, group, looks)
        divergence = trainer.run(asked)
        if group.writes:
            outcome = describe(trainer, divergence)
            reason = {"reason": divergence.reason} if divergence else {}
            log.write("end", outcome=outcome["outcome"], update=outcome["updates"], **reason)
            write_json(output, outcome)
        group.wait()


def prepare(
    place: Place, spec: Spec, seed: int, log: Log, engine: Engine, group: Workers, looks: Looks
) -> Trainer:
    """A trainer that stands where its checkpoints left it, or at update 0."""
    recipe = spec.training
    torch.manual_seed(seed)
    model = build(spec, *place.vocabularies(spec))
    load_weights(model, load_file(place.init))
    model.to(engine.device)
    if engine.recompute:
        recompute_layers(model)
    pair = place.pair(spec, "train")
    vocabulary = model.output.out_features
    share = SmoothedLoss.of(recipe, vocabulary).share
    constant = unigram_loss(unigram_counts(pair, vocabulary), share)
    progress = Progress()
    code = training_code()
    trainer = Trainer(
        spec,
        model,
        TrainingBatches(pair, recipe.batch_tokens, recipe.max_length, seed),
        Checkpoints(place.folder / "resume", recipe.average_last),
        Watch(recipe.updates, recipe.divergence_patience, constant),
        log,
        name=f"{spec.run} seed {seed}",
        fingerprint=place.fingerprint(seed) | {"code": code, "form": FORM},
        history=History(
            codes=[code],
            commits=[commit(Path(__file__).parent)],
            hardware=[hardware(torch.device(engine.device)) | {"workers": group.size}],
        ),
        seed=seed,
        engine=engine,
        workers=group,
        sights=list(sights(place, spec, model, looks, progress)),
        progress=progress,
    )
    trainer.resume()
    return trainer


def sights(
    place: Place, spec: Spec, model: nn.Module, looks: Looks, progress: Progress
) -> Iterator[Sight]:
    """What to look at."""
    last = spec.training.updates
    if looks.dev:
        dev = place.pair(spec, "dev")

        def of_dev(model: nn.Module) -> dict[str, float]:
            return {"ppl": perplexity(model, dev, spec.training.max_length)}

        yield Sight(name="dev", every=looks.dev, look=of_dev, at_last=last)
    if looks.gradients:
        every, signals = looks.gradients, OutputGradients()
        yield Sight(name="gradients", every=every, look=gradient_norms, of_gradients=True)
        yield Sight(
            name="signals",
            every=every,
            begin=signals.begin,
            look=signals.take,
            of_gradients=True,
        )
        yield Sight(name="training", every=every, look=lambda model: progress.take())
    if looks.mixtures and layer_weights(model):
        yield Sight(name="mixtures", every=looks.mixtures, look=layer_weights, at_last=last)


def summary_writer(folder: Path) -> Any:
    """TensorBoard's writer.

    Raises:
        ModuleNotFoundError: the package `tensorboard` is not installed.
    """
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            "--board needs TensorBoard: pip install tensorboard, or leave the flag out"
        ) from error
    return SummaryWriter(folder)


def describe(trainer: Trainer, divergence: Divergence | None) -> dict[str, Any]:
    """The outcome as it is written to disk."""
    position = trainer.position
    history = trainer.history
    averaged = trainer.checkpoints.weights(until=position.update)
    starts = attempts(trainer.log.events())
    return {
        "outcome": "diverged" if divergence else "finished",
        "diverged": asdict(divergence) if divergence else None,
        "updates": position.update,
        "epochs": round(epochs(position, trainer.batches), 4),
        "target_tokens": position.target_tokens,
        "train_loss": finite(trainer.watch.recent_loss),
        "unigram_loss": trainer.watch.unigram_loss,
        "averaged": [saved.path.name for saved in averaged],
        "averaged_updates": [saved.update for saved in averaged],
        "parameters": sum(p.numel() for p in trainer.model.parameters()),
        "train_seconds": round(position.seconds, 3),
        "target_tokens_per_s": round(position.target_tokens / max(position.seconds, 1e-9), 1),
        "peak_memory_mb": history.peak_memory_mb,
        "micro_tokens": trainer.micro_tokens,
        "padding": round(trainer.batches.padding, 4),
        "hardware": history.machine | {"precision": trainer.fingerprint["precision"]},
        "software": {"python": platform.python_version(), "torch": str(torch.__version__)},
        "code": " ".join(history.codes),
        "commit": " ".join(history.commits),
        "attempts": len(starts),
        "started": clock(starts[0]["time"]),
        "finished": clock(time.time()),
    }


def epochs(position: Position, batches: TrainingBatches) -> float:
    """How often the training set was gone through: whole epochs + batches used / batches."""
    return position.epoch + position.batch / len(batches.epoch(position.epoch))


def attempts(events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Where each attempt starts; those before the last `anew` were at another training."""
    first = max((event["attempt"] for event in events if event["event"] == "anew"), default=1)
    return [e for e in events if e["event"] == "start" and e["attempt"] >= first]


def clock(seconds: float) -> str:
    """A moment as ISO 8601, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def finite(value: float) -> float | None:
    """JSON has no NaN; what could not be measured is null."""
    return value if value == value and abs(value) != float("inf") else None


@contextmanager
def only_trainer(folder: Path, group: Workers) -> Iterator[None]:
    """Hold the folder for all workers; the operating system lets go however the process ends.

    Raises:
        RuntimeError: somebody else holds it.
    """
    if not group.writes:
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / "lock", fallback_to_soft=False)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise RuntimeError(
            f"{folder}: another process trains here; wait for it or stop it"
        ) from None
    for part in (folder, folder / "resume"):
        remove_leftovers(part)
    try:
        yield
    finally:
        lock.release()
