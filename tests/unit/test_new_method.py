"""A method is added by two files, one with its options and one with its equation."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from safetensors.torch import load_file

from tiny import TINY, tiny_spec

SCRIPTS = Path(__file__).parents[2] / "workflow_scripts"
OPTIONS = '''
"""{title}"""
from typing import Literal
from deepmt.config.methods import Options, option_of
from deepmt.config.strict import Positive


@option_of("residual", module="deepmt.model.{name}")
class {title}(Options):
    """{title}'s residual connection."""

    name: Literal["{name}"] = "{name}"
    {option}: Positive = {default}
'''
REZERO = '''
"""x + alpha F(x) with one trained alpha (Bachlechner 2020)."""
import torch
from torch import nn


class ReZero(nn.Module):
    def __init__(self, start):
        super().__init__()
        self.alpha = nn.Parameter(torch.tensor(start))

    def forward(self, x, update):
        return x + self.alpha * update


def residual(spec, size):
    return ReZero(spec.method.residual.start)
'''
DEEP_NORM = '''
"""alpha x + F(x) with alpha = (scale N)^(1/4) (Wang 2022)."""
import torch
from torch import nn


class DeepNorm(nn.Module):
    def __init__(self, alpha):
        super().__init__()
        self.register_buffer("alpha", torch.tensor(alpha))

    def forward(self, x, update):
        return self.alpha * x + update


def residual(spec, size):
    return DeepNorm((spec.method.residual.scale * size.layers) ** 0.25)
'''
METHODS = {
    "rezero": (REZERO, {"title": "ReZero", "option": "start", "default": 0.5}),
    "deepnorm": (DEEP_NORM, {"title": "DeepNorm", "option": "scale", "default": 2.0}),
}


@pytest.fixture(params=["deepnorm", pytest.param("rezero", marks=pytest.mark.slow)])
def scripts(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of the scripts with one method more."""
    scripts = shutil.copytree(SCRIPTS, tmp_path / "workflow_scripts")
    module, words = METHODS[request.param]
    options = scripts / f"deepmt/config/methods/{request.param}_options.py"
    options.write_text(OPTIONS.format(name=request.param, **words))
    (scripts / f"deepmt/model/{request.param}.py").write_text(module)
    return scripts


def run(scripts: Path, script: str, **flags: object) -> None:
    """Run a script as the rules do."""
    words = [word for key, value in flags.items() for word in (f"--{key}", str(value))]
    subprocess.run([sys.executable, scripts / f"{script}.py", *words], check=True, cwd=scripts)


def test_two_files_add_a_method(scripts: Path, dataset: Path, tmp_path: Path) -> None:
    [options] = set((scripts / "deepmt/config/methods").iterdir()) - {
        scripts / "deepmt/config/methods" / path.name
        for path in (SCRIPTS / "deepmt/config/methods").iterdir()
    }
    name = options.name.removesuffix("_options.py")
    settings = TINY | {"method.residual": name, "training.updates": 60}
    code = (
        "import json, sys; from deepmt.config.spec import read;"
        "spec, problems = read(json.load(sys.stdin)); print(json.dumps([spec.sections, spec.name]))"
    )
    read = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(settings),
        capture_output=True,
        text=True,
        check=True,
        cwd=scripts,
    )
    sections, run_name = json.loads(read.stdout)
    assert sections["method"] == {"residual": {"name": name}}
    assert tiny_spec().sections["method"] == {}
    assert run_name == tiny_spec().name
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps(sections))

    folder = tmp_path / "run"
    init, outcome, model = (folder / f for f in ("init.safetensors", "outcome.json", "model"))
    run(
        scripts,
        "initialise",
        spec=spec,
        dataset=dataset,
        seed=1,
        output=init,
        profile=folder / "p",
    )
    run(scripts, "train", spec=spec, dataset=dataset, seed=1, init=init, output=outcome)
    run(scripts, "average", spec=spec, outcome=outcome, output=model)
    assert json.loads(outcome.read_text())["outcome"] == "finished"
    alphas = {
        key: (value.item(), load_file(init)[key].item())
        for key, value in load_file(model).items()
        if key.endswith("alpha")
    }
    assert len(alphas) == 2 * 2 + 2 * 3
    if name == "rezero":
        assert all(first == 0.5 and last != 0.5 for last, first in alphas.values())
    else:
        assert all(last == first == pytest.approx(4**0.25) for last, first in alphas.values())
