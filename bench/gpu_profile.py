"""Count kernels, copies and synchronisations of some work, and where it spends its time."""

import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile

from bench.steps import Result
from deepmt.metrics.speed import clock

ROWS = 25
"""Lines of each table."""
CALLS = {
    "launches": ("cudaLaunchKernel", "cuLaunchKernel", "cudaGraphLaunch"),
    "copies": ("cudaMemcpy",),
    "synchronisations": ("cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize"),
}


def profiled(work: Callable[[], object], parts: int, device: str, path: Path, title: str) -> Result:
    """Profile `work`, append its operations by time to `path`, and count calls in each of `parts`.

    The device computes or copies for `kernel_ms` of `ms`, which is measured without the profiler.
    """
    on_gpu = device == "cuda"
    activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if on_gpu else [])]
    work()
    began = clock(device)
    work()
    ms = 1000 * (clock(device) - began) / parts
    with profile(activities=activities) as found:
        work()
        clock(device)
    events = found.key_averages()
    orders = (["self_cuda_time_total"] if on_gpu else []) + ["self_cpu_time_total"]
    tables = [
        events.table(sort_by=order, row_limit=ROWS, max_name_column_width=60) for order in orders
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        print(f"== {title}", *tables, sep="\n", file=file)
    kernels = [e for e in events if e.device_type == torch.autograd.DeviceType.CUDA]
    counts = {
        name: sum(e.count for e in events if e.key.startswith(prefixes)) / parts
        for name, prefixes in CALLS.items()
    }
    kernel_ms = sum(e.self_device_time_total for e in kernels) / 1000 / parts
    return {
        **counts,
        "ms": ms,
        "kernel_ms": kernel_ms,
        "busy": kernel_ms / ms,
        "waits": waits(work, parts) if on_gpu else {},
    }


def waits(work: Callable[[], object], parts: int) -> dict[str, float]:
    """Return the lines of code that make the CPU wait for the GPU, and how often in each part."""
    torch.cuda.set_sync_debug_mode("warn")
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            work()
    finally:
        torch.cuda.set_sync_debug_mode("default")
    places = Counter(f"{'/'.join(Path(w.filename).parts[-2:])}:{w.lineno}" for w in caught)
    return {place: count / parts for place, count in places.most_common()}
