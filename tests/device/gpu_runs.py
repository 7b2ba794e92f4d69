"""Train and translate in the process with a pretended GPU."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
from pretend_gpu import calls, waits
from torch.nn.utils.rnn import pad_sequence

from deepmt.data.batches import Batch
from deepmt.decode.beam import Beams
from deepmt.decode.precision import prepare
from deepmt.decode.search import search
from deepmt.init.initialise import initialise_
from deepmt.kernels.fast_form import plain_forms
from deepmt.model.build import build
from deepmt.settings.spec import Spec
from deepmt.train.execution import ExecutionConfig
from deepmt.train.loop import Trainer
from deepmt.train.measurements import LoggingIntervals
from deepmt.train.stop import StopRequested
from deepmt.train.update import Updater
from deepmt.untrained.bare_trainer import BareTrainer
from tiny_runs import apart, new_dataset, new_run, trained

TYPES = 20
LENGTHS = (9, 8, 8, 7, 7, 6, 5, 4, 3, 3, 2, 1)
"""Tokens of the sentences to translate."""
PARTS = ("__init__", "step", "complete", "hypotheses", "keep")
"""Methods of `Beams` that a search of one batch calls."""
OFTEN = LoggingIntervals(dev_every=3, gradients_every=2, layer_weights_every=2)


def training(spec: Spec, precision: str, folder: Path) -> dict[str, Any]:
    """Train on CPU and GPU, and on the GPU with three stops; compare the last weights.

    What follows the last stop is deterministic on real GPUs, too.
    """
    data = new_dataset(folder / "dataset")
    cpu, whole, parts = (new_run(folder / name, data, spec) for name in ("cpu", "whole", "parts"))
    on_cpu, on_gpu = (ExecutionConfig(device=d, precision=precision) for d in ("cpu", "cuda"))
    # In buckets, too: dropout then draws the same.
    with plain_forms(), patch("deepmt.train.update.takes_buckets", return_value=True):
        trained(cpu, on_cpu)
    with each_call(Trainer, "update") as updates:
        trained(whole, on_gpu)
    for _ in range(3):
        with suppress(StopRequested):
            trained(parts, on_gpu, every=OFTEN, signals=["SIGTERM"])
    try:
        with each_call(Trainer, "update") as logged:
            outcome = trained(parts, replace(on_gpu, deterministic=True), every=OFTEN)
    finally:
        torch.use_deterministic_algorithms(False)
    return {
        "waits": updates,
        "waits for norms": Counter(
            {place: n for place, n in logged[0].items() if "layer_measures" in place}
        ),
        "apart from the CPU's": apart(cpu, whole),
        "apart when resumed": apart(whole, parts),
        "outcome": outcome["outcome"],
    }


def translation(spec: Spec, precision: str) -> dict[str, Any]:
    """Translate a batch on CPU and GPU; compare the translations."""
    torch.manual_seed(1)
    lines = [torch.randint(4, TYPES, (n,)) for n in LENGTHS]
    model = build(spec, TYPES, TYPES)
    batch = pad_sequence(lines, batch_first=True)
    initialise_(model, spec, lambda: (batch, batch))
    with plain_forms():
        expected = translations(model.eval(), lines, spec)
    model = prepare(model.to("cuda"), precision)
    with ExitStack() as stack:
        found = {name: stack.enter_context(each_call(Beams, name)) for name in PARTS}
        translated = translations(model, lines, spec)
    pairs = zip(translated, expected, strict=True)
    return {"waits": found, "differ": sum(a != b for a, b in pairs)}


def calls_of_update(spec: Spec, precision: str) -> tuple[int, int]:
    """Return how often the GPU is called in the second update on a batch, and outside its pass."""
    torch.manual_seed(1)
    batch = Batch(*torch.randint(4, TYPES, (2, 5, 6)))
    execution = ExecutionConfig(device="cuda", precision=precision)
    trainer = BareTrainer(spec, (TYPES, TYPES), batch, execution)
    trainer.update(batch)
    inside, compute = [0], Updater._pass

    def counted(*args: Any) -> Any:
        before = calls()
        sums = compute(*args)
        inside[0] += calls() - before
        return sums

    before = calls()
    with patch.object(Updater, "_pass", counted):
        trainer.update(batch)
    return calls() - before, calls() - before - inside[0]


def translations(model: torch.nn.Module, lines: list[torch.Tensor], spec: Spec) -> list[list[int]]:
    """Return the tokens of the best translations."""
    results = dict(search(model, lines, spec.decoding, batch_size=len(lines)))
    return [results[number][0].tokens for number in range(len(lines))]


@contextmanager
def each_call(owner: type, name: str) -> "Iterator[list[Counter[str]]]":
    """Yield a list of what makes the CPU wait in each call of a method."""
    method: Callable[..., Any] = getattr(owner, name)
    calls: list[Counter[str]] = []

    def counted(*args: Any) -> Any:
        with waits() as found:
            result = method(*args)
        calls.append(found)
        return result

    setattr(owner, name, counted)
    try:
        yield calls
    finally:
        setattr(owner, name, method)


def noted(file: Path) -> list[str]:
    """Return what is noted of a wait that the first line of a file brings about."""
    code = compile("float(torch.ones(3, device='cuda').sum())", str(file), "exec")
    with waits() as found:
        exec(code, {"torch": torch})
    return list(found)


def work(statement: str) -> tuple[int, int, str]:
    """Run a statement about tensors of both devices; return waits, calls of the GPU, the error."""
    names = {"torch": torch, "host": torch.ones(3, 4), "x": torch.ones(3, 4, device="cuda")}
    names["rows"] = torch.tensor([True, False, True], device="cuda")
    message, before = "", calls()
    with waits() as found:
        try:
            exec(statement, names)
        except RuntimeError as error:
            message = str(error)
        finally:
            torch.use_deterministic_algorithms(False)
    return found.total(), calls() - before, message
