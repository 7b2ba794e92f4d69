"""Time decoding and training steps of every row that prints a time or a speed."""

from pathlib import Path
from typing import Annotated, Literal

import torch

from deepmt.base.cli import run
from deepmt.settings.csv_lines import write_lines
from deepmt.settings.strict import Few, OneOrNone
from deepmt.train.execution import keep_memory
from deepmt.train.gpus import acquire_gpus
from deepmt.train.history import hardware
from deepmt.untrained.speed import EFFORTS, Machine
from deepmt.untrained.speed_lines import SpeedLine, lines
from deepmt.untrained.untrained_specs import at_full_size


def main(
    *,
    output: Path,
    root: Path = Path(),
    papers: Annotated[tuple[str, ...], "default: all"] = (),
    gpus: Annotated[OneOrNone, "1 = take a GPU"] = 0,
    precision: Annotated[Literal["float32", "bfloat16"], "the papers' own is float32"] = "float32",
    threads: Few = 2,
) -> None:
    """Write speed.csv, for models of the papers' sizes with random weights and forced lengths.

    Nothing else should run on the machine meanwhile.
    """
    torch.set_num_threads(threads)
    keep_memory()
    acquire_gpus(gpus)
    chosen = torch.device("cuda" if gpus else "cpu")
    name = hardware(chosen)["name"]
    machine = Machine(device=chosen.type, name=name, threads=threads, precision=precision)
    read, scale = at_full_size(root, papers)
    effort = EFFORTS[chosen.type]
    found = [
        line for paper in read if paper.vocabulary for line in lines(paper, scale, effort, machine)
    ]
    write_lines(SpeedLine, found, output)


if __name__ == "__main__":
    run(main)
