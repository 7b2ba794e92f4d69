"""Measure untrained models at full size: error signals, variances, gradient norms."""

from pathlib import Path
from typing import Annotated

import torch

from deepmt.base.cli import run
from deepmt.base.files import replacing
from deepmt.settings.strict import Few, look_up
from deepmt.study.papers import Probe
from deepmt.train.execution import keep_memory
from deepmt.untrained.probe_batch import zipf_batch
from deepmt.untrained.probes import KINDS
from deepmt.untrained.untrained_specs import at_full_size


def main(
    *,
    kind: Annotated[str, f"one of {', '.join(KINDS)}"],
    paper: Annotated[str, "its key: `probes` of papers/<key>.yaml name systems and seeds"],
    output: Path,
    root: Path = Path(),
    threads: Few = 1,
) -> None:
    """Write probes/<kind>.csv: mean and spread over seeds.

    Every seed draws new weights and a new batch.

    Raises:
        UserError: the paper has no such probe.
    """
    [read], scale = at_full_size(root, [paper])
    probes: dict[str, Probe] = dict(read.probes.items())
    seeds = look_up("kind", kind, probes, f"{read.path}: probes: ").seeds
    torch.set_num_threads(threads)
    keep_memory()
    lines = KINDS[kind](read, scale, zipf_batch, seeds)
    with replacing(output) as temporary:
        lines.to_csv(temporary, index=False, float_format="%.6g")


if __name__ == "__main__":
    run(main)
