"""Measure untrained models at full size: error signals, variances, gradient norms, omegas."""

from dataclasses import dataclass
from pathlib import Path

import torch

from deepmt.cli import run
from deepmt.config.corpora import load_corpora
from deepmt.config.papers import load
from deepmt.config.settings import load_scale
from deepmt.files import replacing
from deepmt.metrics.probe_batch import zipf_batch
from deepmt.metrics.probes import KINDS, Literature
from deepmt.train.execution import keep_memory


@dataclass(frozen=True, kw_only=True)
class Args:
    """Write probes/<kind>.csv: table1, fig1, methods or admin."""

    kind: str
    output: Path
    root: Path = Path()
    seeds: tuple[int, ...] = (1, 2, 3)
    threads: int = 1


def main(args: Args) -> None:
    """Write mean and spread over seeds; every seed draws new weights and a new batch."""
    if args.kind not in KINDS:
        raise ValueError(f"--kind {args.kind} is not one of {', '.join(KINDS)}")
    torch.set_num_threads(args.threads)
    keep_memory()
    scale = load_scale(args.root / "scales/paper.yaml", load_corpora(args.root / "corpora.yaml"))
    papers = {
        key: load(args.root / f"papers/{key}.yaml") for key in ("zhang2019", "bapna2018", "liu2020")
    }
    lines = KINDS[args.kind](Literature(papers=papers, scale=scale), zipf_batch, args.seeds)
    with replacing(args.output) as temporary:
        lines.round(6).to_csv(temporary, index=False)


if __name__ == "__main__":
    run(main, Args)
