"""Prepare a user's own text: clean and split it, and choose models that fit the hours."""

import os
import shlex
import sys
from pathlib import Path
from typing import Annotated

from deepmt.base.cli import run
from deepmt.base.printable import printable
from deepmt.machines.hardware import AUTO, load_hardware, parse
from deepmt.study.papers import OWN_PAPER
from wings.text.hours import shared
from wings.text.messages import say
from wings.text.pace import Pace
from wings.text.prepare import prepare
from wings.text.project import Project
from wings.text.request import request
from wings.text.scratch import OF_TEXT, scratch_folder
from wings.text.text_settings import EXPORTS


def main(
    *,
    text: Annotated[str, "a folder with train.en and train.de, for example, or one .tsv file"],
    direction: Annotated[str, "two languages, source first, e.g. en-de"],
    methods: Annotated[
        str, "systems to train, with commas between; default: those of before, or four"
    ] = "",
    hours: Annotated[str, "time that all runs together may take; +2 = that much more"] = "2",
    name: Annotated[str, "name of the results; default: that of the folder"] = "",
    hardware: Annotated[str, "a name of hardware.yaml and a count; auto = this machine"] = AUTO,
    run: Annotated[bool, "train and render at once"] = True,
    root: Path = Path(),
) -> None:
    """Prepare your text: write its corpus and a scale, say what was decided and why, and run it.

    If the scale is there, its sizes and updates stay; more hours add updates to them.
    """
    asked = request(text, direction, methods=methods, hours=hours, name=name)
    processor, count = parse(hardware, load_hardware(root / "hardware.yaml"), 0)
    project = Project(root=root, asked=asked)
    machines = shared(processor, count, len(project.rows))
    pace = Pace(machines=machines, timed=hardware == AUTO, results=project.results)
    with scratch_folder(root / "corpora", OF_TEXT) as folder:
        prepare(project, pace, folder)
    if not EXPORTS:
        say("export", "wings/export is not there: no model is written that leaves this project")
    cores = "all" if processor.cuda else str(count)
    targets = ["all", "translator"] if EXPORTS else []
    words = [*targets, "--cores", cores, "--config", f"scale={asked.scale}"]
    words += [f"papers={OWN_PAPER}", f"rows={','.join(project.rows)}"]
    say("progress", f"./deepmt status --scale {asked.scale} --watch 10, in another terminal")
    print(printable(shlex.join(["./deepmt", "run", *words])), flush=True)
    if run:
        os.execv(sys.executable, [sys.executable, "-m", "snakemake", *words])


if __name__ == "__main__":
    run(main)
