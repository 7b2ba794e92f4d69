"""Profile updates of narrow models on one core: milliseconds of each group of operations."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import torch
from torch.profiler import ProfilerActivity, profile

from bench.adapters.ours import train
from bench.worker import Task
from bench.workload import SIZES, Size, draw_training
from deepmt.base.cli import run
from deepmt.base.files import commit, write_json
from deepmt.settings.strict import Count, one_of
from deepmt.train.history import hardware

ROOT = Path(__file__).parents[1]
GROUPS = {
    "products": "aten::mm aten::addmm aten::addmm_ aten::bmm mkldnn::_linear_pointwise",
    "attention": "OnePassAttention OnePassAttentionBackward",
    "biases of linear layers, and their calls": "TrainedLinear TrainedLinearBackward",
    "dropout": "HashedDropout HashedDropoutBackward",
    "layer normalisation": "aten::native_layer_norm aten::native_layer_norm_backward",
    "sums": "aten::add aten::add_",
    "loss": "OnePassCrossEntropy OnePassCrossEntropyBackward",
    "optimiser": "aten::_fused_adamw_ aten::linalg_vector_norm aten::fill_",
}
"""Operations of torch by what they compute."""
REST = "autograd, views, memory and all else"


def main(
    *,
    sizes: tuple[Annotated[str, one_of(SIZES)], ...] = ("toy", "narrow-deep"),
    updates: Count = 6,
    output: Path = Path("results/bench/update-profile.json"),
) -> None:
    """Profile each size, and write milliseconds an update by group."""
    torch.set_num_threads(1)
    spent = {size: profiled(SIZES[size], updates) for size in sizes}
    found = {
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit(ROOT),
        "hardware": hardware(torch.device("cpu")),
        "updates": updates,
        "sizes": spent,
    }
    write_json(output, found)
    for size, groups in spent.items():
        print(size, *(f"{name} {ms:.1f} ms" for name, ms in groups.items()), sep="\n  ")


def profiled(size: Size, updates: int) -> Mapping[str, float]:
    """Return the milliseconds of one update by group, the profiler's own time included."""
    batches = draw_training(size, updates)
    system = train(Task("train", size))
    for _ in range(3):  # until it has its memory
        system.run(batches)
    with profile(activities=[ProfilerActivity.CPU]) as seen:
        system.run(batches)
    group = {name: group for group, names in GROUPS.items() for name in names.split()}
    spent = dict.fromkeys((*GROUPS, REST), 0.0)
    for event in seen.key_averages():
        spent[group.get(event.key, REST)] += event.self_cpu_time_total / 1000 / updates
    return {name: round(ms, 2) for name, ms in spent.items()}


if __name__ == "__main__":
    run(main)
