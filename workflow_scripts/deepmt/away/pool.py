"""Seeds side by side until the time is up: a machine that is lent is never idle, and never late."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import BinaryIO

from deepmt.away.commands import Seed
from deepmt.away.ready import SCRIPTS, VISIBLE

STOPPED = 75
"""Exit status of a training that was asked to stop and has saved."""
UNKNOWN = 1.0


@dataclass(kw_only=True)
class Pool:
    """Runs seeds, `at_once` of them, each on the next one of the GPUs."""

    at_once: int
    gpus: Sequence[str]
    """As CUDA_VISIBLE_DEVICES names them; none = compute on the CPU."""
    until: float
    """When to ask everything to stop, on the clock of time.monotonic."""
    predicted: Callable[[Seed], float]
    """Seconds of a seed that has the machine for itself; only ratios count."""
    done: Callable[[Seed], None]
    """Called after each record, by one thread at a time."""
    stopping: bool = False
    failed: list[str] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)
    """Real over predicted seconds of the seeds that ran from their beginning to their end."""
    running: set[subprocess.Popen[bytes]] = field(default_factory=set)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def run(self, seeds: Sequence[Seed]) -> list[Seed]:
        """Work off seeds in their order; return those without a record.

        One that would not end in time, by what others took, lets the next ones pass.
        """
        waiting = [seed for seed in seeds if not recorded(seed)]
        timer = threading.Timer(max(0.0, self.until - time.monotonic()), self.stop)
        timer.start()
        try:
            with ThreadPoolExecutor(self.at_once) as slots:
                list(slots.map(lambda slot: self._work(slot, waiting), range(self.at_once)))
        finally:
            timer.cancel()
        return [seed for seed in seeds if not recorded(seed)]

    def stop(self) -> None:
        """Ask everything that runs to save and end; start nothing more."""
        with self.lock:
            self.stopping = True
            for process in self.running:
                process.send_signal(signal.SIGTERM)

    def _work(self, slot: int, waiting: list[Seed]) -> None:
        while (seed := self._next(waiting)) is not None:
            began = time.monotonic()
            fresh = not seed.folder.exists()
            self._say(seed, "begins")
            if self._follow(seed, slot):
                with self.lock:
                    if fresh:
                        self.ratios.append((time.monotonic() - began) / self.predicted(seed))
                    self.done(seed)
                self._say(seed, f"is recorded after {time.monotonic() - began:.0f} s")

    def _next(self, waiting: list[Seed]) -> Seed | None:
        with self.lock:
            left = self.until - time.monotonic()
            ratio = median(self.ratios) if self.ratios else UNKNOWN
            for seed in () if self.stopping else waiting:
                if not self.ratios or ratio * self.predicted(seed) < left:
                    waiting.remove(seed)
                    return seed
            return None

    def _follow(self, seed: Seed, slot: int) -> bool:
        """Make every file of a seed that is missing; False if that was broken off."""
        log = Path("logs/away") / f"{seed.name}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        environment = dict(os.environ)
        if self.gpus:
            environment[VISIBLE] = self.gpus[slot % len(self.gpus)]
        for step in seed.steps():
            if step.output.exists():
                continue
            script = SCRIPTS / f"{step.script}.py"
            with log.open("ab") as said:
                status = self._call([sys.executable, str(script), *step.flags], environment, said)
            if self.stopping and status:
                self._say(seed, f"was stopped in {step.script}")
                return False
            if status:
                self._say(seed, f"failed in {step.script} with status {status}: see {log}")
                self.failed.append(seed.name)
                return False
        return True

    def _call(self, command: list[str], environment: dict[str, str], said: BinaryIO) -> int:
        with self.lock:
            if self.stopping:
                return STOPPED
            process = subprocess.Popen(command, env=environment, stdout=said, stderr=said)
            self.running.add(process)
        try:
            return process.wait()
        finally:
            with self.lock:
                self.running.discard(process)

    def _say(self, seed: Seed, what: str) -> None:
        left = self.until - time.monotonic()
        print(f"{left / 60:5.1f} min left: {seed.name} {what}", file=sys.stderr, flush=True)


def recorded(seed: Seed) -> bool:
    """Whether nothing is left to do."""
    return (seed.folder / "record.json").exists()
