"""A worker process of the benchmark with a made-up system."""

import sys
from pathlib import Path

from bench.comparison import variables
from bench.protocol import Worker
from bench.workload import Size, Workload

TINY_SIZE = Size(
    name="tiny",
    encoder_layers=2,
    decoder_layers=3,
    d_model=8,
    feed_forward=16,
    heads=2,
    vocabulary=20,
)
SERVE = """
from bench.protocol import System, each, serve

def build(size, task):
    print("toolkits like to talk")
    {build}
    return System(name="fake", version="1", parameters=size.d_model, run=each(lambda b: {result}))

serve({work}=build)
"""


def started(
    folder: Path, workload: Workload, *, work: str, result: str, build: str = "pass"
) -> Worker:
    """Start a worker that does `build` first and returns `result` for every batch `b`."""
    workload.save(folder / "w.npz")
    code = SERVE.format(build=build, result=result, work=work)
    flags = [f"--work={work}", f"--workload={folder / 'w.npz'}", "--threads=1", "--device=cpu"]
    command = [sys.executable, "-c", code, *flags, "--precision=float32"]
    return Worker(command, variables(1), folder / "log")
