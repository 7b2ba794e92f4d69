"""Check a GPU within minutes: right results, resumed runs, speed of training and of decoding.

It needs no network, and little of the environment: torch, numpy, pydantic and safetensors.
"""

import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, partial
from pathlib import Path
from statistics import median
from typing import Any

import torch

from bench.adapters import ours
from bench.adapters.ours import MERGED, STANDARD, VERSION, spec_of, tensors
from bench.gpu_profile import profiled
from bench.steps import Case, Result, Step, run_steps
from bench.worker import System, Task
from bench.workload import STEPS, Size, TrainingBatch, draw_sentences, draw_training
from deepmt.cli import run
from deepmt.config.hardware import load_hardware
from deepmt.data.batches import Batch
from deepmt.estimate.corpus_sizes import WORDS, BatchShape, from_words
from deepmt.estimate.cost import FORWARD_AND_BACKWARD, Cost
from deepmt.estimate.model_work import ModelWork, work_of
from deepmt.files import write_json
from deepmt.kernels.fast_form import plain_forms
from deepmt.metrics.bare_trainer import BareTrainer
from deepmt.metrics.speed import clock
from deepmt.model.transparent import TransparentOutput
from deepmt.train.execution import ExecutionConfig
from deepmt.train.history import hardware
from deepmt.train.stop import StopRequested
from tiny import spec_of as tiny_spec_of
from tiny_runs import apart, new_dataset, new_run, trained

ROOT = Path(__file__).parents[1]
METHODS: Mapping[str, Mapping[str, str]] = {
    "post": STANDARD,
    "pre": {"method.norm": "pre"},
    "ds-init matt": {"method.initialisation": "ds_init", **MERGED},
    "dlcl pre": {"method.norm": "pre", "method.layer_aggregation": "dlcl"},
    "transparent": {"method.norm": "lingvo", "method.encoder_output": "transparent"},
    "admin": {"method.residual": "omega", "method.initialisation": "admin"},
    "rnmt+": {"method.family": "rnmt+", "model.tie": "none"},
}
STILL = {"training.dropout": 0.0, "training.embedding_dropout": 0.0}
"""Dropout draws other random numbers on a GPU."""
TOLERANCES = {"float32": 1e-4, "bfloat16": 2e-2}
"""Largest relative errors of losses."""
ROUNDS = 3
SEED = 1


def size(name: str, layers: int, d_model: int, feed_forward: int, heads: int, types: int) -> Size:
    """Return a size with as many layers in the encoder as in the decoder."""
    return Size(
        name=name,
        encoder_layers=layers,
        decoder_layers=layers,
        d_model=d_model,
        feed_forward=feed_forward,
        heads=heads,
        vocabulary=types,
    )


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
    narrow_tokens: int
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
        narrow_tokens=1000,
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
        narrow_tokens=100,
        updates={"float32": 2, "bfloat16": 2},
        sentences=(3,),
        compared=2,
    ),
}


@dataclass(frozen=True, kw_only=True)
class Args:
    """Run all steps or some, print each result, and write all as JSON beside the profiles."""

    device: str = "cuda"
    steps: tuple[str, ...] = ()
    budget: float = 330.0
    """Seconds after which the remaining steps are skipped."""
    output: Path = Path("results/bench/gpu.json")


@dataclass(frozen=True)
class Check:
    """Hold what all steps need."""

    device: str
    folder: Path
    """Where profiles go."""

    @property
    def effort(self) -> Effort:
        """Return how much to measure on this device."""
        return EFFORTS[self.device]

    @property
    def steps(self) -> dict[str, Step]:
        """Return the steps, the most valuable first."""
        base, big, huggingface = self.effort.base, self.effort.big, self.huggingface
        return {
            "machine": self.machine,
            "equality": self.equality,
            "resume": self.resume,
            "training base": partial(self.training, base, "bfloat16", ours.train),
            "decoding": self.decoding,
            "training big": partial(self.training, big, "bfloat16", ours.train),
            "huggingface base": partial(self.training, base, "bfloat16", huggingface("train")),
            "training base float32": partial(self.training, base, "float32", ours.train),
            "narrow": self.narrow,
            "huggingface decoding": self.huggingface_decoding,
            "huggingface big": partial(self.training, big, "bfloat16", huggingface("train")),
        }

    def machine(self) -> Iterator[Case]:
        """Describe the GPU, and measure its rate of matrix products."""
        yield "device", lambda: describe(self.device)
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
        torch.set_num_threads(1)  # models are tiny, and the cores may be busy
        count, tokens = max(self.effort.updates.values()), min(200, *self.effort.batches)
        batches = [tensors(b) for b in draw_training(SMALL, count, max_tokens=tokens)]
        for name, method in METHODS.items():
            expected = cache(partial(self.trajectory, method, batches, "cpu", "float32"))
            for precision in self.effort.updates:
                yield (
                    f"{name} {precision}",
                    partial(self.errors, method, batches, precision, expected),
                )

    def trajectory(
        self, method: Mapping[str, str], batches: Sequence[Batch], device: str, precision: str
    ) -> list[tuple[float, float]]:
        """Return loss and gradient norm of every update, on the CPU by the plain equations."""
        with plain_forms():  # the weights of ADMIN depend on a forward pass on the CPU
            trainer = self.trainer(SMALL, {**method, **STILL}, batches[0], device, precision)
        with plain_forms() if device == "cpu" else nullcontext():
            return [trainer.loss_and_norm(batch) for batch in batches]

    def trainer(
        self, size: Size, method: Mapping[str, Any], first: Batch, device: str, precision: str
    ) -> BareTrainer:
        """Return a trainer with the same weights every time."""
        torch.manual_seed(SEED)
        execution = ExecutionConfig(device=device, precision=precision)
        types = size.vocabulary, size.vocabulary
        trainer = BareTrainer(spec_of(size, method), types, first, execution)
        if STILL.items() <= method.items():
            for module in trainer.updater.working.modules():
                if isinstance(module, TransparentOutput):
                    module.dropout = 0.0  # not a setting: as in lingvo
        return trainer

    def errors(
        self,
        method: Mapping[str, str],
        batches: Sequence[Batch],
        precision: str,
        expected: Callable[[], list[tuple[float, float]]],
    ) -> Result:
        """Return the relative errors of loss and gradient norm: of the first update, and largest.

        The first decides, since some methods amplify rounding in later ones.
        """
        count = self.effort.updates[precision]
        found = self.trajectory(method, batches[:count], self.device, precision)
        pairs = list(zip(found, expected(), strict=False))
        errors = [[abs(a / b - 1) for a, b in zip(*pair, strict=True)] for pair in pairs]
        loss, norm = map(max, zip(*errors, strict=True))
        return {
            "first_loss_error": errors[0][0],
            "first_norm_error": errors[0][1],
            "loss_error": loss,
            "norm_error": norm,
            "passed": errors[0][0] < TOLERANCES[precision],
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
            trainer = self.trainer(self.effort.base, {}, batches[0], self.device, precision)
            for batch in batches:
                trainer.update(batch)
            return trainer.updater.flat.weights.detach()

        difference = (weights() - weights()).abs().max().item()
        return {"repeated_differs_by": difference, "passed": difference == 0}

    def training(
        self, size: Size, precision: str, adapter: Callable[[Task], System]
    ) -> Iterator[Case]:
        """Measure the speed of updates at every batch size, and profile those of the smallest."""
        task = Task("train", size, device=self.device, precision=precision)
        system = cache(partial(adapter, task))
        for tokens, count in self.effort.batches.items():
            batches = draw_training(size, count, max_tokens=tokens)
            yield f"{tokens} tokens", partial(self.speed, system, size, precision, batches, tokens)
        if adapter is ours.train:
            for tokens in self.effort.batches:
                batches = draw_training(size, 2, max_tokens=tokens)
                name = f"{size.name}-{precision}-{tokens}"
                yield f"{tokens} profile", partial(self.update_profile, system, batches, name)

    def speed(
        self,
        system: Callable[[], System],
        size: Size,
        precision: str,
        batches: Sequence[TrainingBatch],
        tokens: int,
    ) -> Result:
        """Measure updates, and put the estimate of their memory beside the measurement."""
        found = self.updates(system, batches)
        shape, work = shape_and_work(size, tokens)
        flops = FORWARD_AND_BACKWARD * work.flops(shape) / shape.predictions
        return {
            **found,
            "tflops": found["tokens_per_s"] * flops / 1e12,
            "estimated_mb": estimated_mb(size, precision, tokens),
            "precision": precision,
        }

    def updates(self, system: Callable[[], System], batches: Sequence[TrainingBatch]) -> Result:
        """Measure tokens per second and peak memory of updates."""
        built = system()
        if self.device == "cuda":
            torch.cuda.empty_cache()
            torch.cuda.reset_peak_memory_stats()
        seconds = times(lambda: built.run(batches), self.device)
        tokens = sum(batch.target_tokens for batch in batches)
        peak = torch.cuda.max_memory_allocated() / 2**20 if self.device == "cuda" else None
        return {
            "tokens_per_s": tokens / median(seconds),
            "ms": 1000 * median(seconds) / len(batches),
            "spread": max(seconds) / min(seconds) - 1,
            "peak_mb": peak,
        }

    def update_profile(
        self, system: Callable[[], System], batches: Sequence[TrainingBatch], name: str
    ) -> Result:
        """Profile updates on these batches; counts are those of one."""
        built = system()
        return self.profile(lambda: built.run(batches), len(batches), name)

    def profile(self, work: Callable[[], object], parts: int, name: str) -> Result:
        """Profile work of several equal parts."""
        return profiled(work, parts, self.device, self.folder / "profiles.txt", name)

    def narrow(self) -> Iterator[Case]:
        """Measure deep narrow models, whose updates are bound by launches."""
        size, tokens = self.effort.narrow, self.effort.narrow_tokens
        for name, count in {"post": 4, "dlcl pre": 4, "rnmt+": 1}.items():
            batches = draw_training(size, count, max_tokens=tokens)
            for precision in TOLERANCES:
                task = Task("train", size, device=self.device, precision=precision)
                system = cache(partial(ours.train, task, METHODS[name]))
                yield f"{name} {precision}", partial(self.updates, system, batches)
            yield f"{name} profile", partial(self.update_profile, system, batches[:1], name)

    def decoding(self) -> Iterator[Case]:
        """Measure beam search with the base model, and compare translations with the CPU's."""
        for count in self.effort.sentences:
            for precision in ("float32", "bfloat16"):
                yield f"{count} {precision}", partial(self.searches, ours.decode, precision, count)
        few = self.effort.sentences[0]
        yield "profile", partial(self.search_profile, "float32", few)
        yield "equality", self.translations

    def searches(self, adapter: Callable[[Task], System], precision: str, count: int) -> Result:
        """Measure target tokens per second of one batch."""
        system = adapter(self.decoding_task(precision))
        sentences = draw_sentences(self.effort.base, 1, sentences=count)
        seconds = times(lambda: system.run(sentences), self.device)
        return {
            "tokens_per_s": sentences[0].target_tokens / median(seconds),
            "step_ms": 1000 * median(seconds) / STEPS,
            "spread": max(seconds) / min(seconds) - 1,
        }

    def decoding_task(self, precision: str, device: str | None = None) -> Task:
        """Return the task to decode with the base model."""
        return Task("decode", self.effort.base, device=device or self.device, precision=precision)

    def search_profile(self, precision: str, count: int) -> Result:
        """Profile one search; counts are those of a step."""
        system = ours.decode(self.decoding_task(precision))
        sentences = draw_sentences(self.effort.base, 1, sentences=count)
        return self.profile(lambda: system.run(sentences), STEPS, f"decoding-{precision}")

    def translations(self) -> Result:
        """Count the sentences whose translation differs from the CPU's in float32."""
        sentences = draw_sentences(self.effort.base, 1, sentences=self.effort.compared)[0]
        with plain_forms():
            expected = ours.searching(self.decoding_task("float32", "cpu"))(sentences)
        differ = {}
        for precision in TOLERANCES:
            pairs = zip(self.found(precision, sentences), expected, strict=True)
            differ[precision] = sum(a != b for a, b in pairs)
        return {"sentences": len(expected), "differ": differ, "passed": differ["float32"] == 0}

    def found(self, precision: str, sentences: Any) -> list[list[int]]:
        """Return the translations of this device."""
        return ours.searching(self.decoding_task(precision))(sentences)

    def huggingface_decoding(self) -> Iterator[Case]:
        """Measure HuggingFace's beam search on the same batches."""
        for count in self.effort.sentences:
            for precision in ("float32", "bfloat16"):
                yield (
                    f"{count} {precision}",
                    partial(self.searches, self.huggingface("decode"), precision, count),
                )

    @staticmethod
    def huggingface(work: str) -> Callable[[Task], System]:
        """Return a function of HuggingFace's adapter; it may not be installed."""

        def build(task: Task) -> System:
            from bench.adapters import huggingface

            torch.manual_seed(SEED)
            return getattr(huggingface, work)(task)

        return build


WIDE = {"d_model": 64, "feed_forward": 128, "heads": 4}
"""Sizes of the runs that stop."""


def times(work: Callable[[], object], device: str, rounds: int = ROUNDS) -> list[float]:
    """Return the seconds of every round, after one to warm up."""
    work()
    found = []
    for _ in range(rounds):
        began = clock(device)
        work()
        found.append(clock(device) - began)
    return found


@dataclass(frozen=True, kw_only=True)
class OneBatch(Cost):
    """Estimate an update on one batch, without a corpus."""

    work: ModelWork
    batch: BatchShape


def shape_and_work(size: Size, tokens: int) -> tuple[BatchShape, ModelWork]:
    """Return the work of an update on a batch of this many target positions."""
    batch = draw_training(size, 1, max_tokens=tokens)[0]
    (sentences, source), target = batch.source.shape, batch.target.shape[1]
    shape = BatchShape(sentences, source, target, batch.target_tokens)
    return shape, work_of(spec_of(size), (size.vocabulary,) * 2)


def estimated_mb(size: Size, precision: str, tokens: int) -> float:
    """Return our estimate of the peak memory of an update on an H100."""
    shape, work = shape_and_work(size, tokens)
    machine = load_hardware(ROOT / "hardware.yaml")["h100"]
    if precision == "float32":
        machine = replace(machine, bfloat16=0.0)
    types = (size.vocabulary, size.vocabulary)
    return OneBatch(
        spec=spec_of(size),
        size=from_words(1, WORDS, types),
        work=work,
        batch=shape,
        hardware=machine,
    ).update_memory_mb


def describe(device: str) -> Result:
    """Describe the device and its software."""
    found: Result = hardware(torch.device(device)) | {"torch": str(torch.__version__)}
    if device == "cuda":
        query = ["nvidia-smi", "--query-gpu=driver_version,memory.total", "--format=csv,noheader"]
        asked = subprocess.run(query, capture_output=True, text=True, check=False)
        found |= {
            "driver": asked.stdout.strip(),
            "cuda": torch.version.cuda,
            "memory_mb": torch.cuda.get_device_properties(0).total_memory // 2**20,
        }
    return found


def line(step: str, case: str, seconds: float, result: Result) -> str:
    """Return one result as a line."""
    shown = {key: value for key, value in result.items() if key not in ("traceback", "waits")}
    values = ", ".join(
        f"{key} {value:.4g}" if isinstance(value, float) else f"{key} {value}"
        for key, value in shown.items()
    )
    return f"{step:21s} {case:22s} {seconds:6.1f} s  {values}"


def main(args: Args) -> int:
    """Run the steps; return 1 if one failed."""
    check = Check(args.device, args.output.parent)
    chosen = {k: step for k, step in check.steps.items() if not args.steps or k in args.steps}
    report: Result = {
        "commit": VERSION,
        "python": sys.version.split()[0],
        "began": datetime.now(UTC).isoformat(timespec="seconds"),
        "results": {},
    }
    rates: dict[str, float] = {}
    failed: list[str] = []
    began = time.monotonic()

    def note(step: str, case: str, seconds: float, result: Result) -> None:
        for key, value in result.items():  # JSON lacks NaN and infinity
            if isinstance(value, float) and not math.isfinite(value):
                result[key] = str(value)
        if step == "machine" and "tflops" in result:
            rates[case] = result["tflops"]
        elif "tflops" in result and (rate := rates.get(result["precision"])):
            result["share_of_matrix_rate"] = result["tflops"] / rate
        if "error" in result or not result.get("passed", True):
            failed.append(f"{step}: {case}")
        results = report["results"].setdefault(step, {})
        results[case or "whole step"] = {"seconds": round(seconds, 2), **result}
        write_json(args.output, {**report, "seconds": round(time.monotonic() - began, 1)})
        print(line(step, case, seconds, result), flush=True)
        if "traceback" in result:
            print(result["traceback"][-1500:], flush=True)

    run_steps(chosen, args.budget, note)
    print(f"{time.monotonic() - began:.0f} s; failed: {', '.join(failed) or 'none'}")
    return 1 if failed else 0


if __name__ == "__main__":
    run(main)
