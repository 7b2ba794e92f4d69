"""How fast a large made-up corpus becomes ids, and in how much memory, stage by stage."""

import json
import os
import platform
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rich.console import Console
from rich.table import Table

from deepmt.cli import parse
from deepmt.files import write_json

SCRIPTS = Path(__file__).parents[1]
SETTINGS: dict[str, Any] = {
    "corpus": "toy.en-de",
    "source": "en",
    "target": "de",
    "merges": 32_000,
    "joint": True,
    "shared_vocabulary": True,
    "max_tokens": 175,
    "max_ratio": 1.5,
}
KILOBYTES = 1 if platform.system() == "Linux" else 1024
"""What the system counts peak memory in."""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Run tokenise, segment and encode on made-up pairs; each is timed and its memory measured."""

    pairs: tuple[int, ...] = (100_000, 1_000_000)
    threads: int = 2
    merges: int = 32_000
    folder: Path | None = None
    """Where files lie while they are needed, about 0.3 GB a million pairs."""
    output: Path = Path("results/bench/text.json")


def main(args: Args) -> None:
    """Size by size; what a size has written is removed before the next."""
    lines = [line for pairs in args.pairs for line in measured(args, pairs)]
    settings = SETTINGS | {"merges": args.merges}
    machine = {"cores": os.cpu_count(), "machine": platform.machine()}
    report = {"hardware": machine, "threads": args.threads, "settings": settings, "lines": lines}
    write_json(args.output, report)
    Console(width=120).print(table(lines))


def measured(args: Args, pairs: int) -> list[dict[str, Any]]:
    """All stages at one size."""
    with TemporaryDirectory(dir=args.folder) as name:
        folder = Path(name)
        data, threads = folder / "data.json", ["--threads", args.threads]
        write_json(data, SETTINGS | {"merges": args.merges})
        raw, tok = folder / "raw", folder / "tok"
        write_json(raw / "counts.json", {"train": {"kept": pairs}})
        corpora = ["--corpora-file", SCRIPTS.parent / "corpora.yaml"]
        generator = ["-m", "bench.made_up_text", "--pairs", pairs, "--folder", raw]
        tokenise = [SCRIPTS / "tokenise.py", "--data", data, "--raw-dir", raw, "--output-dir", tok]
        segment = [SCRIPTS / "segment.py", "--data", data, "--tok-dir", tok]
        segment += ["--output-dir", folder]
        encode = [SCRIPTS / "encode.py", *corpora, "--data", data, "--folder", folder]
        found = [
            stage("generate", pairs, generator),
            stage("tokenise, clean", pairs, tokenise + threads),
            stage("learn, segment", pairs, segment + threads),
            stage("encode", pairs, encode + threads),
        ]
        sets = json.loads((folder / "manifest.json").read_text())["sets"]["train"]
        used = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
        shutil.rmtree(raw)
    return [line | {"disk_mb": used >> 20, "tokens": sets["tokens"]} for line in found]


def stage(name: str, pairs: int, command: list[object]) -> dict[str, Any]:
    """Run one stage in a process of its own.

    Raises RuntimeError if it fails.
    """
    environment = os.environ | {"PYTHONPATH": str(SCRIPTS)}
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, *map(str, command)], env=environment)
    # The peak is that of the largest single process among the stage and its helpers.
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - began
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{name} stopped with status {process.returncode}; see above")
    cpu = usage.ru_utime + usage.ru_stime
    line = {
        "stage": name,
        "pairs": pairs,
        "seconds": round(seconds, 1),
        "cpu_seconds": round(cpu, 1),
        "lines_per_second": round(2 * pairs / seconds),
        "lines_per_cpu_second": round(2 * pairs / cpu),
        "peak_mb": round(usage.ru_maxrss / 1024 / KILOBYTES),
    }
    print(line, file=sys.stderr, flush=True)
    return line


def table(lines: list[dict[str, Any]]) -> Table:
    """A line for each stage and size."""
    columns = ("stage", "pairs", "seconds", "cpu s", "lines/s", "lines/cpu s", "peak MB a process")
    shown = Table(*columns, title="From made-up text to ids")
    keys = (
        "pairs",
        "seconds",
        "cpu_seconds",
        "lines_per_second",
        "lines_per_cpu_second",
        "peak_mb",
    )
    for line in lines:
        shown.add_row(line["stage"], *(f"{line[key]:,}" for key in keys))
    return shown


if __name__ == "__main__":
    main(parse(Args))
