"""Train one seed of a run: lock its folder, resume from checkpoints, write the outcome."""

import os
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial

import torch
from torch import nn

from deepmt.base.code_sums import SCRIPTS, training_code
from deepmt.base.files import commit, remove_leftovers
from deepmt.base.locks import locked
from deepmt.base.printable import say
from deepmt.data.batches import TrainingBatches
from deepmt.kernels import compiled
from deepmt.model.build import build
from deepmt.model.weights import load_model_file
from deepmt.settings.method import defaults_of, modules_of
from deepmt.settings.seed_folder import SeedFolder
from deepmt.settings.spec import Spec, read_spec
from deepmt.train.checkpoint import Checkpoints
from deepmt.train.continuation import continue_finished
from deepmt.train.divergence import DivergenceDetector
from deepmt.train.ending import outcome
from deepmt.train.event_log import EventLog
from deepmt.train.execution import ExecutionConfig, be_deterministic, recompute_layers
from deepmt.train.history import History, hardware
from deepmt.train.loop import Trainer
from deepmt.train.measurements import LoggingIntervals
from deepmt.train.run_paths import RunPaths
from deepmt.train.training_state import TrainingState
from deepmt.train.unigram import unigram_counts, unigram_loss
from deepmt.train.update import Updater
from deepmt.train.workers import Workers, workers


def train(
    paths: RunPaths,
    *,
    seed: int,
    execution: ExecutionConfig,
    every: LoggingIntervals | None = None,
    signals: Sequence[str] = (),
) -> None:
    """Train to the end and write the outcome.

    `signals` is filled when a signal arrives.

    Raises:
        UserError: another trainer has locked this folder.
        StopRequested: a signal arrived; everything is saved.
    """
    spec = read_spec(paths.spec)
    with workers(execution.device) as group, folder_lock(paths.files, group):
        continued = continue_finished(paths, spec) if group.writes else ""
        group.wait()  # no worker may read what is being copied
        log = EventLog(paths.files.log, writes=group.writes)
        log.write(
            "start",
            run=spec.run,
            spec_sha256=spec.sha256,
            seed=seed,
            host=socket.gethostname(),
            device=execution.device,
            pid=os.getpid(),
            updates=spec.training.updates,
            **({"continues": continued} if continued else {}),
        )
        say_what_computes(execution.device, log)
        torch.manual_seed(seed)
        model = first_model(paths, spec, execution)
        updater = Updater(spec, model, execution, log, workers=group, seed=seed)
        trainer = prepare(paths, updater, every or LoggingIntervals())
        failure = trainer.run(signals)
        if group.writes:
            ended = outcome(trainer, failure, paths.init.stat().st_mtime)
            reason = {"reason": failure.reason} if failure else {}
            log.write("end", outcome=ended.outcome, update=ended.updates, **reason)
            ended.write(paths.output)
        group.wait()


def first_model(paths: RunPaths, spec: Spec, execution: ExecutionConfig) -> nn.Module:
    """Return the model with the weights that training starts from."""
    if execution.deterministic:
        be_deterministic()
    model = build(spec, *paths.vocabularies(spec))
    load_model_file(model, paths.init)
    model.to(execution.device)
    if execution.recompute:
        recompute_layers(model)
    return model


def prepare(paths: RunPaths, updater: Updater, every: LoggingIntervals) -> Trainer:
    """Return a trainer at the newest checkpoint, or at update 0."""
    spec, loss = updater.spec, updater.loss
    pair = paths.pair(spec, "train")
    code = training_code(modules_of(spec.method), defaults_of(spec.method))
    constant = unigram_loss(unigram_counts(pair, loss.vocabulary), loss.epsilon)
    machine = hardware(updater.device) | {"workers": updater.workers.size}
    state = TrainingState(
        updater=updater,
        detector=DivergenceDetector.of(spec.training, constant),
        checkpoints=Checkpoints.of(paths.folder, spec.training),
        inputs=paths.fingerprint(updater.seed) | {"code": code},
        history=History(
            codes=[code],
            commits=[known_commit(updater.log)],
            hardware=[machine],
            started=time.time(),
            attempts=1,
        ),
        dev=cache(partial(paths.pair, spec, "dev")),
    )
    state.resume()
    return Trainer(state, TrainingBatches.of(pair, spec.training, updater.seed), every)


def known_commit(log: EventLog) -> str:
    """Return the commit of the code, and say if it is unknown."""
    known = commit(SCRIPTS.parent)
    if known.startswith("unknown") and log.writes:
        say(f"{log.path.parent}: the commit is {known}: no record of this run leads to its code")
    return known


def say_what_computes(device: str, log: EventLog) -> None:
    """Say on the console and in the log if compiled operations are missing, and why."""
    if torch.device(device).type == "cpu" and (reason := compiled.hindrance()):
        log.write("uncompiled", reason=reason)
        if log.writes:
            say(
                f"{log.path.parent}: torch computes in place of compiled operations, more slowly "
                f"and with other rounding: {reason}"
            )


@contextmanager
def folder_lock(files: SeedFolder, group: Workers) -> Iterator[None]:
    """Lock the folder for all workers.

    Raises:
        UserError: another process has locked it, or the file system has no locks.
    """
    if not group.writes:
        yield
        return
    files.states.mkdir(parents=True, exist_ok=True)
    with locked(files.lock, "trains here"):
        for part in (files.path, files.states):
            remove_leftovers(part)
        yield
