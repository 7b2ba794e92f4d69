"""Measure untrained models at full size: error signals, variances, gradient norms."""

from pathlib import Path
from typing import Annotated

import torch

from deepmt.cli import run
from deepmt.config.papers import load
from deepmt.config.scale import load_scale
from deepmt.errors import UserError
from deepmt.files import replacing
from deepmt.measure.probe_batch import zipf_batch
from deepmt.measure.probes import KINDS, Literature
from deepmt.spec.corpora import load_corpora
from deepmt.train.execution import keep_memory


def main(
    *,
    kind: Annotated[str, f"one of {', '.join(KINDS)}"],
    output: Path,
    root: Path = Path(),
    seeds: tuple[int, ...] = (1, 2, 3),
    threads: int = 1,
) -> None:
    """Write probes/<kind>.csv: mean and spread over seeds.

    Every seed draws new weights and a new batch.
    """
    if kind not in KINDS:
        raise UserError(f"--kind {kind} is not one of {', '.join(KINDS)}")
    torch.set_num_threads(threads)
    keep_memory()
    scale = load_scale(root / "scales/paper.yaml", load_corpora(root / "corpora.yaml"))
    papers = {key: load(root / f"papers/{key}.yaml") for key in ("zhang2019", "unified")}
    lines = KINDS[kind](Literature(papers=papers, scale=scale), zipf_batch, seeds)
    with replacing(output) as temporary:
        lines.to_csv(temporary, index=False, float_format="%.6g")


if __name__ == "__main__":
    run(main)
