"""Several workers make the updates of one."""

import os
import subprocess
import sys
from pathlib import Path

from safetensors.torch import load_file

from deepmt.train.engine import Engine
from deepmt.train.run import Place, train
from places import SCRIPTS, events, place
from tiny import tiny_spec


def torchrun(where: Place, workers: int) -> None:
    flags = ["--spec", where.spec, "--encoding", where.encoding, "--init", where.init]
    flags += ["--seed", 1, "--output", where.folder / "outcome.json"]
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    command += ["--nproc-per-node", str(workers), str(SCRIPTS / "train.py"), *map(str, flags)]
    done = subprocess.run(
        command, env=os.environ | {"OMP_NUM_THREADS": "1"}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_two_workers_give_the_weights_of_one(tmp_path: Path, encoding: Path) -> None:
    changes = {"training__dropout": 0.0, "training__embedding_dropout": 0.0}
    # With a large epsilon Adam's step is linear in the gradient, so rounding stays rounding.
    spec = tiny_spec(**changes, training__loss_average="sentence", training__epsilon=1.0)
    alone, together = (place(tmp_path / name, encoding, spec) for name in ("alone", "together"))
    train(alone, seed=1, output=alone.folder / "outcome.json", engine=Engine(micro_tokens=30))
    torchrun(together, 2)
    ours, theirs = (
        load_file(max((where.folder / "resume").glob("weights-*"))) for where in (together, alone)
    )
    assert max((ours[name] - theirs[name]).abs().max() for name in ours) < 1e-6
    assert len(events(together, "start")) == len(events(together, "end")) == 1
    assert '"workers": 2' in (together.folder / "outcome.json").read_text()
