"""What an update of Liu 2020's deepest models needs: they trained on cards of 16 GB."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from rich.console import Console
from rich.table import Table

from bench.depth import processes
from bench.workers.on_torch import num_parameters, peak_memory_mb
from deepmt.cli import parse
from deepmt.config.corpora import load_corpora
from deepmt.config.papers import load
from deepmt.config.settings import load_scale
from deepmt.data.batches import Batch
from deepmt.data.vocabulary import EOS, SPECIALS
from deepmt.files import write_json
from deepmt.metrics.bare_trainer import bare_trainer, make_update
from deepmt.metrics.full_size import full_size
from deepmt.model.transformer import recompute_layers
from deepmt.train.engine import Engine
from deepmt.train.history import hardware

ROOT = Path(__file__).parents[2]
SENTENCES, LENGTH = 128, 28
"""A batch of 3,584 tokens, the paper's own for a card."""
UPDATES = 2
"""The second one has the optimiser's moments."""


@dataclass(frozen=True, kw_only=True)
class Args:
    """Peak memory of an update with 3,584 target tokens, with and without recomputed layers."""

    paper: str = "liu2020"
    systems: tuple[str, ...] = (
        "enfr-base-6l-6l-admin",
        "enfr-base-60l-12l-admin",
        "enfr-base-36l-36l-admin",
    )
    vocabulary: int = 40000
    threads: int = 2
    device: str = "cpu"
    precision: str = "auto"
    output: Path = Path("results/bench/memory.json")


def main(args: Args) -> None:
    """Measure each system in a process of its own; print and write."""
    with processes(args.threads) as pool:
        jobs = [
            pool.submit(measured, args, system, recompute)
            for system in args.systems
            for recompute in (False, True)
        ]
        lines = [job.result() for job in jobs]
    write_json(
        args.output,
        {
            "hardware": hardware(torch.device(args.device)),
            "batch": {"sentences": SENTENCES, "length": LENGTH, "vocabulary": args.vocabulary},
            "lines": lines,
        },
    )
    shown = Table("system", "parameters", "dtype", "layers", "peak MB", title="Memory of an update")
    for line in lines:
        layers = "recomputed" if line["recompute"] else "kept"
        size = f"{line['parameters'] / 1e6:.1f}M"
        shown.add_row(line["system"], size, line["dtype"], layers, f"{line['peak_memory_mb']:,}")
    Console(width=100).print(shown)


def measured(args: Args, system: str, recompute: bool) -> dict[str, Any]:
    """Peak memory of a few updates."""
    scale = load_scale(ROOT / "scales/paper.yaml", load_corpora(ROOT / "corpora.yaml"))
    spec = full_size(load(ROOT / "papers" / f"{args.paper}.yaml"), system, scale)
    engine = Engine(device=args.device, precision=args.precision)
    shape = (SENTENCES, LENGTH)
    tokens = torch.randint(len(SPECIALS), args.vocabulary, shape)
    tokens[:, -1] = EOS
    batch = Batch(tokens, tokens.clone())
    trainer = bare_trainer(spec, (args.vocabulary, args.vocabulary), batch, engine)
    if recompute:
        recompute_layers(trainer.model)
    for _ in range(UPDATES):
        make_update(trainer, batch)
    line = {
        "system": system,
        "parameters": num_parameters(trainer.model),
        "dtype": str(trainer.dtype).removeprefix("torch."),
        "recompute": recompute,
        "peak_memory_mb": round(peak_memory_mb(args.device)),
    }
    print(line, file=sys.stderr, flush=True)
    return line


if __name__ == "__main__":
    main(parse(Args))
