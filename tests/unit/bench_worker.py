"""A worker process of the benchmark with a made-up system."""

import sys
from pathlib import Path

from bench.comparison import variables
from bench.worker import Task, Worker
from bench.workload import Size

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
import sys
from bench.worker import System, Task, each, serve

def build(task):
    print("toolkits like to talk")
    {build}
    size = task.size.d_model
    return System(name="fake", version="1", parameters=size, run=each(lambda b: {result}))

task = Task.read(sys.argv[1])
serve(lambda: build(task), task)
"""


def started(folder: Path, *, work: str, result: str, build: str = "pass") -> Worker:
    """Start a worker that does `build` first and returns `result` for every batch `b`."""
    code = SERVE.format(build=build, result=result)
    command = [sys.executable, "-c", code, Task(work, TINY_SIZE).write()]
    return Worker(command, variables(1), folder / "log")
