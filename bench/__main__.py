"""Run one system of a comparison: `python -m bench ADAPTER TASK`."""

import sys
from importlib import import_module

from bench.worker import Task, serve

if __name__ == "__main__":
    adapter, task = sys.argv[1], Task.read(sys.argv[2])
    serve(lambda: getattr(import_module(f"bench.adapters.{adapter}"), task.work)(task), task)
