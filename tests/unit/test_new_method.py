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
"""DeepNorm's constant and ReZero's scalar."""
from typing import ClassVar, Literal
from pydantic.dataclasses import dataclass
from deepmt.config.methods import Options
from deepmt.config.strict import STRICT, Positive


@dataclass(frozen=True, kw_only=True, config=STRICT)
class DeepZero(Options):
    """DeepZero's residual connection."""

    choice: ClassVar = "residual"
    module: ClassVar = "deepmt.model.deepzero"
    name: Literal["deepzero"] = "deepzero"
    scale: Positive = 2.0
    start: Positive = 0.5
'''
MODULE = '''
"""alpha x + beta F(x): alpha = (scale N)^(1/4) (Wang 2022), beta is trained (Bachlechner 2020)."""
import torch
from torch import nn


class DeepZero(nn.Module):
    def __init__(self, alpha, beta):
        super().__init__()
        self.register_buffer("alpha", torch.tensor(alpha))
        self.beta = nn.Parameter(torch.tensor(beta))

    def forward(self, x, update):
        return self.alpha * x + self.beta * update


def residual(spec, index):
    options = spec.method.residual
    return DeepZero((options.scale * index.size.layers) ** 0.25, options.start)
'''


@pytest.fixture
def scripts(tmp_path: Path) -> Path:
    """A copy of the scripts with one method more."""
    scripts = shutil.copytree(SCRIPTS, tmp_path / "workflow_scripts")
    (scripts / "deepmt/config/methods/deepzero_options.py").write_text(OPTIONS)
    (scripts / "deepmt/model/deepzero.py").write_text(MODULE)
    return scripts


DRIVER = """
import json, runpy, sys
for sys.argv in json.load(sys.stdin):
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as ended:
        assert not ended.code, ended.code
"""


def run(scripts: Path, *commands: tuple[str, dict[str, object]]) -> None:
    """Run scripts as the rules do, in one process."""
    words = [
        [f"{script}.py", *(word for key, x in flags.items() for word in (f"--{key}", str(x)))]
        for script, flags in commands
    ]
    command = [sys.executable, "-c", DRIVER]
    subprocess.run(command, input=json.dumps(words), text=True, check=True, cwd=scripts)


def test_two_files_add_a_method(scripts: Path, dataset: Path, tmp_path: Path) -> None:
    settings = TINY | {"method.residual": "deepzero", "training.updates": 60}
    code = (
        "import json, sys; from deepmt.config.spec import make_spec;"
        "from deepmt.export.supported import unsupported_settings;"
        "spec = make_spec(json.load(sys.stdin));"
        "unsupported = unsupported_settings(spec, 'ctranslate2');"
        "print(json.dumps([spec.sections, spec.name, unsupported]))"
    )
    read = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(settings),
        capture_output=True,
        text=True,
        check=True,
        cwd=scripts,
    )
    sections, run_name, [unsupported] = json.loads(read.stdout)
    assert sections["method"] == {"residual": {"name": "deepzero"}}
    assert tiny_spec().sections["method"] == {}
    assert run_name == tiny_spec().name.replace("post-", "post-deepzero-")
    assert unsupported.startswith("method.residual=deepzero is not supported by other toolkits")
    assert unsupported.endswith("export a run with method.residual=identity or omega")
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps(sections))

    folder = tmp_path / "run"
    init, outcome, model = (folder / f for f in ("init.safetensors", "outcome.json", "model"))
    start = {"spec": spec, "dataset": dataset, "seed": 1}
    run(
        scripts,
        ("initialise", start | {"output": init, "profile": folder / "p"}),
        ("train", start | {"init": init, "output": outcome}),
        ("average", {"spec": spec, "outcome": outcome, "output": model}),
    )
    assert json.loads(outcome.read_text())["outcome"] == "finished"
    first, last = load_file(init), load_file(model)
    for part, value in (("alpha", 4**0.25), ("beta", 0.5)):
        names = [name for name in first if name.endswith(part)]
        assert len(names) == 2 * 2 + 2 * 3
        assert [first[name].item() for name in names] == pytest.approx([value] * len(names))
        assert {bool(last[name] == first[name]) for name in names} == {part == "alpha"}
