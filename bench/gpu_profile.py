"""Count kernels, copies and synchronisations of some work, and where it spends its time."""

import warnings
from collections import Counter
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile

from deepmt.untrained.speed import clock

Result = dict[str, Any]
SLOWEST = 25
"""Operations whose ms are listed."""
CALLS = {
    "launches": ("cudaLaunchKernel", "cuLaunchKernel", "cudaGraphLaunch"),
    "copies": ("cudaMemcpy",),
    "synchronisations": ("cudaStreamSynchronize", "cudaDeviceSynchronize", "cudaEventSynchronize"),
}


def profiled(work: Callable[[], object], parts: int, device: str) -> Result:
    """Profile `work`: its calls, its slowest operations and its waits, in each of `parts`.

    The device computes or copies for `kernel_ms` of `ms`, which is measured without the profiler.
    """
    on_gpu = device == "cuda"
    work()
    began = clock(device)
    work()
    ms = 1000 * (clock(device) - began) / parts
    activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if on_gpu else [])]
    with profile(activities=activities) as found:
        work()
        clock(device)
    events = found.key_averages()
    time = "self_device_time_total" if on_gpu else "self_cpu_time_total"
    by_time = sorted(events, key=attrgetter(time), reverse=True)
    counts = {
        name: sum(e.count for e in events if e.key.startswith(prefixes)) / parts
        for name, prefixes in CALLS.items()
    }
    kernels = [e for e in events if e.device_type == torch.autograd.DeviceType.CUDA]
    kernel_ms = sum(e.self_device_time_total for e in kernels) / 1000 / parts
    return {
        **counts,
        "ms": ms,
        "kernel_ms": kernel_ms,
        "busy": kernel_ms / ms,
        "operations": {e.key: getattr(e, time) / 1000 / parts for e in by_time[:SLOWEST]},
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
