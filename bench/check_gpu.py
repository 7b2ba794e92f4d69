"""Check a GPU within minutes: right results, resumed runs, speed of training and of decoding.

It needs no network, and little of the environment: torch, numpy, pydantic and safetensors.
"""

import gc
import math
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import torch
from torch import cosine_similarity

from bench.adapters import ours
from bench.adapters.ours import STANDARD, VERSION, spec_of, tensors
from bench.gpu_profile import Result, profiled
from bench.worker import System, Task
from bench.workload import STEPS, Size, TrainingBatch, draw_sentences, draw_training, size
from deepmt.base.cli import run
from deepmt.base.files import write_json
from deepmt.data.batches import Batch
from deepmt.kernels.devices import Device
from deepmt.kernels.fast_form import plain_forms
from deepmt.machines.corpus_sizes import BatchShape
from deepmt.machines.cost import FORWARD_AND_BACKWARD
from deepmt.machines.model_work import ModelWork, work_of
from deepmt.model.transparent import TransparentOutput
from deepmt.train.execution import ExecutionConfig
from deepmt.train.history import hardware
from deepmt.train.passes import Share
from deepmt.train.stop import StopRequested
from deepmt.untrained.bare_trainer import BareTrainer
from deepmt.untrained.speed import clock
from tiny import spec_of as tiny_spec_of
from tiny_runs import apart, new_dataset, new_run, trained

Case = tuple[str, Callable[[], Result]]
"""A name, and the function that measures it."""
METHODS: Mapping[str, Mapping[str, str]] = {
    "post": STANDARD,
    "pre": {"method.norm": "pre"},
    "ds-init matt": {
        "method.initialisation": "ds_init",
        "method.decoder_self_attention": "saan",
        "method.decoder_layer": "merged",
    },
    "dlcl pre": {"method.norm": "pre", "method.layer_aggregation": "dlcl"},
    "transparent": {"method.norm": "lingvo", "method.encoder_output": "transparent"},
    "admin": {"method.residual": "omega", "method.initialisation": "admin"},
    "rnmt+": {"method.family": "rnmt+", "model.tie": "none"},
}
STILL = {"training.dropout": 0.0, "training.embedding_dropout": 0.0}
"""Dropout draws other random numbers on a GPU."""
TOLERANCES = {"float32": 1e-4, "bfloat16": 2e-2}
"""Largest relative errors of losses."""
LONG = 200
"""Tokens of the sentences of the first update, whose gradient is judged."""
GRADIENT_ERROR = 1e-4
"""Largest relative distance of that gradient in float32."""
COSINE = 0.99
"""Least cosine of that gradient in bfloat16 and the one in float32."""
RECURRENT = "rnmt+"
"""The method that amplifies rounding at every position and update: only its first update is
judged, on short sentences."""
SHORT = 8
RECURRENT_ERROR = 1e-3
JUDGED = 5
"""The update whose loss is judged besides the first one's."""
WIDE = {"d_model": 64, "feed_forward": 128, "heads": 4}
"""Sizes of the runs that stop."""
ROUNDS = 3
SEED = 1
SMALL = size("small", 2, 64, 128, 4, 1000)


@dataclass(frozen=True, kw_only=True)
class Effort:
    """Define how much to measure: what fills a GPU, or a rehearsal."""

    matrix: int
    """Rows and columns of the product whose rate others are compared with."""
    base: Size
    big: Size
    narrow: Size
    batches: Mapping[int, int]
    """Target positions of a training batch -> number of batches."""
    narrow_batches: Mapping[int, int]
    """The same for deep narrow models, whose updates are bound by launches."""
    updates: Mapping[str, int]
    """Precision -> updates whose losses are compared with the CPU's in float32."""
    sentences: Sequence[int]
    """Sentences of a batch to decode."""
    compared: int
    """Sentences whose translations are compared with the CPU's."""


EFFORTS = {
    "cuda": Effort(
        matrix=8192,
        base=size("base", 6, 512, 2048, 8, 32000),
        big=size("big", 6, 1024, 4096, 16, 32000),
        narrow=size("narrow", 12, 128, 512, 4, 8000),
        batches={4096: 12, 25000: 4, 50000: 3},
        narrow_batches={1000: 3},
        updates={"float32": 5, "bfloat16": 20},
        sentences=(64, 1024),
        compared=16,
    ),
    "cpu": Effort(
        matrix=256,
        base=SMALL,
        big=SMALL,
        narrow=SMALL,
        batches={100: 2},
        narrow_batches={100: 2},
        updates={"float32": 2, "bfloat16": 2},
        sentences=(3,),
        compared=2,
    ),
}


@dataclass(frozen=True)
class Beginning:
    """Hold the gradient of the first update, and loss and gradient norm of the first updates."""

    gradient: torch.Tensor
    updates: Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Check:
    """Define what is measured on a device."""

    device: str

    @property
    def effort(self) -> Effort:
        """Return how much to measure on this device."""
        return EFFORTS[self.device]

    @property
    def steps(self) -> dict[str, Callable[[], Iterator[Case]]]:
        """Return the steps, the most valuable first."""
        return {
            "machine": self.machine,
            "equality": self.equality,
            "resume": self.resume,
            "training base": partial(self.training, self.effort.base, "bfloat16"),
            "decoding": self.decoding,
            "training big": partial(self.training, self.effort.big, "bfloat16"),
            "training base float32": partial(self.training, self.effort.base, "float32"),
            "narrow": self.narrow,
        }

    def machine(self) -> Iterator[Case]:
        """Describe the GPU, and measure its rate of matrix products."""
        yield "device", partial(describe, self.device)
        yield "bfloat16", partial(self.product, "bfloat16")
        yield "float32", partial(self.product, "float32")
        yield "TF32", partial(self.product, "float32", tf32=True)

    def product(self, precision: str, *, tf32: bool = False) -> Result:
        """Measure the rate of a large product of random matrices."""
        n = self.effort.matrix
        torch.backends.cuda.matmul.allow_tf32 = tf32
        a, b = torch.randn(2, n, n, device=self.device).to(getattr(torch, precision))
        seconds = times(lambda: [a @ b for _ in range(10)], self.device, rounds=5)
        torch.backends.cuda.matmul.allow_tf32 = False
        return {"tflops": 10 * 2 * n**3 / median(seconds) / 1e12}

    def equality(self) -> Iterator[Case]:
        """Compare the first updates of every method with the CPU's in float32."""
        for name, method in METHODS.items():
            batches = self.batches(SHORT if name == RECURRENT else LONG)
            expected = cache(partial(self.beginning, method, batches, "cpu", "float32"))
            for precision in self.effort.updates:
                yield (
                    f"{name} {precision}",
                    partial(self.errors, name, batches, precision, expected),
                )

    def batches(self, length: int) -> list[Batch]:
        """Draw the batches of all updates to compare; the first has sentences of this length."""
        count, tokens = max(self.effort.updates.values()), min(200, *self.effort.batches)
        drawn = [
            *draw_training(SMALL, 1, max_tokens=3 * LONG, lengths=(length, length)),
            *draw_training(SMALL, count - 1, max_tokens=tokens),
        ]
        return [tensors(batch) for batch in drawn]

    def beginning(
        self, method: Mapping[str, str], batches: Sequence[Batch], device: str, precision: str
    ) -> Beginning:
        """Return how a training begins, on the CPU by the plain equations."""
        with plain_forms():  # the weights of ADMIN depend on a forward pass on the CPU
            trainer = new_trainer(SMALL, {**method, **STILL}, batches[0], device, precision)
        updater = trainer.updater
        for module in updater.working.modules():
            if isinstance(module, TransparentOutput):
                module.dropout = 0.0  # not a setting: as in lingvo
        with plain_forms() if device == "cpu" else nullcontext():
            updater.gradient(Share.whole(batches[:1]), 1)
            gradient = updater.flat.gradient.double().cpu()
            updater.flat.zero_gradient()
            return Beginning(gradient, [trainer.loss_and_norm(batch) for batch in batches])

    def errors(
        self,
        name: str,
        batches: Sequence[Batch],
        precision: str,
        expected: Callable[[], Beginning],
    ) -> Result:
        """Return how far the first gradient, losses and norms are from the expected ones.

        The gradient is judged by its distance, or in bfloat16, which rounds each part, by its
        direction.
        """
        count, right = self.effort.updates[precision], expected()
        found = self.beginning(METHODS[name], batches[:count], self.device, precision)
        distance = ((found.gradient - right.gradient).norm() / right.gradient.norm()).item()
        cosine = cosine_similarity(found.gradient, right.gradient, 0).item()
        errors = [
            [abs(a / b - 1) for a, b in zip(*pair, strict=True)]
            for pair in zip(found.updates, right.updates, strict=False)
        ]
        losses, norms = zip(*errors, strict=True)
        most = RECURRENT_ERROR if name == RECURRENT else GRADIENT_ERROR
        close = distance < most if precision == "float32" else cosine > COSINE
        judged = losses[: 1 if name == RECURRENT else JUDGED]
        return {
            "gradient_error": distance,
            "gradient_cosine": cosine,
            "first_loss_error": judged[0],
            "first_norm_error": norms[0],
            "last_judged_loss_error": judged[-1],
            "loss_error": max(losses),
            "norm_error": max(norms),
            "passed": close and max(judged[0], judged[-1]) < TOLERANCES[precision],
        }

    def resume(self) -> Iterator[Case]:
        """Stop runs after each of their first updates, and compare with one that never stopped."""
        for name in ("post", "dlcl pre"):
            for precision in TOLERANCES:
                yield f"{name} {precision}", partial(self.stopped, METHODS[name], precision)
        for precision in TOLERANCES:
            yield f"base twice {precision}", partial(self.repeated, precision)

    def stopped(self, method: Mapping[str, str], precision: str) -> Result:
        """Train a tiny run three times: once, once again, and with three stops."""
        changes = {f"{s}__{k}": v for s in ("encoder", "decoder") for k, v in WIDE.items()}
        spec = tiny_spec_of(spec_of(SMALL, method).method, **changes)
        execution = ExecutionConfig(device=self.device, precision=precision)
        with tempfile.TemporaryDirectory() as folder:
            data = new_dataset(Path(folder) / "dataset")
            whole, again, parts = (new_run(Path(folder) / n, data, spec) for n in ("a", "b", "c"))
            outcome = trained(whole, execution)
            trained(again, execution)
            for _ in range(3):
                with suppress(StopRequested):
                    trained(parts, execution, signals=["SIGTERM"])
            trained(parts, execution)
            resumed, repeated = apart(whole, parts), apart(whole, again)
        return {
            "resumed_differs_by": resumed,
            "repeated_differs_by": repeated,
            "outcome": outcome["outcome"],
            "passed": resumed == 0,
        }

    def repeated(self, precision: str) -> Result:
        """Train the base model twice on the same batches."""
        tokens, count = next(iter(self.effort.batches.items()))
        batches = [tensors(b) for b in draw_training(self.effort.base, count, max_tokens=tokens)]

        def weights() -> torch.Tensor:
            trainer = new_trainer(self.effort.base, {}, batches[0], self.device, precision)
            for batch in batches:
                trainer.update(batch)
            return trainer.updater.flat.weights.detach()

        difference = (weights() - weights()).abs().max().item()
        return {"repeated_differs_by": difference, "passed": difference == 0}

    def training(
        self,
        size: Size,
        precision: str,
        name: str = "post",
        counts: Mapping[int, int] | None = None,
    ) -> Iterator[Case]:
        """Measure a method's updates at every batch size; `counts` are numbers of batches by it."""
        task = Task("train", size, device=self.device, precision=precision)
        system = cache(partial(ours.train, task, METHODS[name]))
        work = work_of(spec_of(size, METHODS[name]), (size.vocabulary,) * 2)
        for tokens, count in (counts or self.effort.batches).items():
            measured = partial(self.updates, system, work, size, tokens, count)
            yield f"{name} {precision}, {tokens} tokens", measured

    def updates(
        self, system: Callable[[], System], work: ModelWork, size: Size, tokens: int, count: int
    ) -> Result:
        """Measure speed, peak memory and FLOPs of updates, and profile them."""
        batches, built = draw_training(size, count, max_tokens=tokens), system()
        if self.device == "cuda":
            torch.cuda.reset_peak_memory_stats()
        seconds = times(lambda: built.run(batches), self.device)
        peak = torch.cuda.max_memory_allocated() / 2**20 if self.device == "cuda" else None
        flops = FORWARD_AND_BACKWARD * sum(work.flops(shape_of(batch)) for batch in batches)
        profile = profiled(lambda: built.run(batches[:2]), 2, self.device)
        return {
            "tokens_per_s": sum(batch.target_tokens for batch in batches) / median(seconds),
            "spread": max(seconds) / min(seconds) - 1,
            "tflops": flops / median(seconds) / 1e12,
            "peak_mb": peak,
            **profile,
        }

    def narrow(self) -> Iterator[Case]:
        """Measure deep narrow models, whose updates are bound by launches."""
        for name in ("post", "dlcl pre", "rnmt+"):
            for precision in TOLERANCES:
                counts = self.effort.narrow_batches
                yield from self.training(self.effort.narrow, precision, name, counts)

    def decoding(self) -> Iterator[Case]:
        """Measure beam search with the base model, and compare translations with the CPU's."""
        for count in self.effort.sentences:
            for precision in TOLERANCES:
                yield f"{count} {precision}", partial(self.search, precision, count)
        yield "equality", self.translations

    def search(self, precision: str, count: int) -> Result:
        """Measure target tokens per second of one batch, and profile a step."""
        system = ours.decode(self.decoding_task(precision, self.device))
        sentences = draw_sentences(self.effort.base, 1, sentences=count)
        seconds = times(lambda: system.run(sentences), self.device)
        return {
            "tokens_per_s": sentences[0].target_tokens / median(seconds),
            "spread": max(seconds) / min(seconds) - 1,
            **profiled(lambda: system.run(sentences), STEPS, self.device),
        }

    def translations(self) -> Result:
        """Count the sentences whose translation differs from the CPU's in float32."""
        sentences = draw_sentences(self.effort.base, 1, sentences=self.effort.compared)[0]
        with plain_forms():
            expected = ours.searching(self.decoding_task("float32", "cpu"))(sentences)
        differ = {}
        for precision in TOLERANCES:
            found = ours.searching(self.decoding_task(precision, self.device))(sentences)
            differ[precision] = sum(a != b for a, b in zip(found, expected, strict=True))
        return {"sentences": len(expected), "differ": differ, "passed": differ["float32"] == 0}

    def decoding_task(self, precision: str, device: str) -> Task:
        """Return the task to decode with the base model."""
        return Task("decode", self.effort.base, device=device, precision=precision)


def shape_of(batch: TrainingBatch) -> BatchShape:
    """Return what the FLOPs of a batch depend on."""
    sentences, source = batch.source.shape
    return BatchShape(sentences, source, batch.target.shape[1], batch.target_tokens)


def new_trainer(
    size: Size, method: Mapping[str, Any], first: Batch, device: str, precision: str
) -> BareTrainer:
    """Return a trainer with the same weights every time."""
    torch.manual_seed(SEED)
    execution = ExecutionConfig(device=device, precision=precision)
    return BareTrainer(spec_of(size, method), (size.vocabulary,) * 2, first, execution)


def times(work: Callable[[], object], device: str, rounds: int = ROUNDS) -> list[float]:
    """Return the seconds of every round, after one to warm up."""
    work()
    found = []
    for _ in range(rounds):
        began = clock(device)
        work()
        found.append(clock(device) - began)
    return found


def describe(device: str) -> Result:
    """Describe the device and its software."""
    found: Result = hardware(torch.device(device)) | {"torch": str(torch.__version__)}
    if device == "cuda":
        query = ["nvidia-smi", "--query-gpu=driver_version,memory.total", "--format=csv,noheader"]
        asked = subprocess.run(query, capture_output=True, text=True, check=False)
        found |= {"driver": asked.stdout.strip(), "cuda": torch.version.cuda}
    return found


def outcome_of(measure: Callable[[], Result]) -> Result:
    """Return what a case measures, with its seconds, or how it failed: that leaves the others."""
    began = time.monotonic()
    try:
        found = measure()
    except Exception:
        found = {"passed": False, "error": traceback.format_exc()}
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()
    # JSON lacks NaN and infinity.
    odd = {k: str(v) for k, v in found.items() if isinstance(v, float) and not math.isfinite(v)}
    return {"seconds": round(time.monotonic() - began, 2), **found, **odd}


def main(
    *,
    device: Annotated[Device, "cuda, or cpu for a rehearsal"] = "cuda",
    steps: Annotated[tuple[str, ...], "default: all"] = (),
    output: Path = Path("results/bench/gpu.json"),
) -> int:
    """Run the steps, and write the results after each case; return 1 if one failed."""
    check = Check(device)
    if unknown := {*steps} - check.steps.keys():
        raise ValueError(f"no step is called {', '.join(unknown)}: {', '.join(check.steps)}")
    torch.set_num_threads(1)  # the models on the CPU are tiny, and its cores may be busy
    results: dict[str, dict[str, Result]] = {}
    report = {
        "commit": VERSION,
        "python": sys.version.split()[0],
        "began": datetime.now(UTC).isoformat(timespec="seconds"),
        "results": results,
    }
    for step in steps or check.steps:
        for case, measure in check.steps[step]():
            found = outcome_of(measure)
            results.setdefault(step, {})[case] = found
            write_json(output, report)
            shown = {k: v for k, v in found.items() if k not in ("error", "operations", "waits")}
            print(f"{step}: {case}: {found.get('error', shown)}", flush=True)
    failed = [
        f"{step}: {case}"
        for step, cases in results.items()
        for case, found in cases.items()
        if not found.get("passed", True)
    ]
    print(f"failed: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    run(main)
