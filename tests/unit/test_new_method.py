"""The method that CONTRIBUTING.md adds by two files trains, and its weights are averaged."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from safetensors.torch import load_file

import projects
from deepmt.settings.methods.rezero_options import ReZeroResidual
from deepmt.study import plan
from tiny import TINY, tiny_spec

DRIVER = """
import json, runpy, sys
from pathlib import Path
from deepmt.settings.spec import make_spec

settings, file, commands = json.load(sys.stdin)
spec = make_spec(settings)
Path(file).write_text(json.dumps(spec.sections))
print(json.dumps([spec.sections["method"], spec.name]))
sys.stdout.flush()
for sys.argv in commands:
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit as ended:
        assert not ended.code, ended.code
"""
"""Write a spec and run scripts as the rules do, in one process."""


def flags(script: str, given: dict[str, object]) -> list[str]:
    """The command line of a script."""
    return [
        f"jobs/{script}.py",
        *(word for key, x in given.items() for word in (f"--{key}", str(x))),
    ]


def test_two_files_add_a_method(dataset: Path, tmp_path: Path) -> None:
    # With __pycache__, which saves seconds.
    scripts = shutil.copytree(projects.ROOT / "workflow_scripts", tmp_path / "workflow_scripts")
    compiled = projects.ROOT / "data/code"
    compiled.mkdir(parents=True, exist_ok=True)
    (tmp_path / "data").mkdir()
    (tmp_path / "data/code").symlink_to(compiled)
    page = (projects.ROOT / "CONTRIBUTING.md").read_text()
    diff, *_ = re.findall(r"^```diff\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    apply = ["git", "apply", "--include=workflow_scripts/*", "-"]
    subprocess.run(apply, input=diff, text=True, cwd=tmp_path, check=True)
    settings = TINY | {"method.norm": "pre", "method.residual": "gpas", "training.updates": 60}
    files = ("spec.json", "init.safetensors", "outcome.json", "model")
    spec, init, outcome, model = (tmp_path / "run" / name for name in files)
    spec.parent.mkdir()
    start = {"spec": spec, "dataset": dataset, "seed": 1}
    commands = [
        flags("initialise", start | {"output": init}),
        flags("train", start | {"init": init, "output": outcome}),
        flags("average", {"spec": spec, "outcome": outcome, "output": model}),
    ]
    done = subprocess.run(
        [sys.executable, "-c", DRIVER],
        input=json.dumps([settings, str(spec), commands]),
        capture_output=True,
        text=True,
        cwd=scripts,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    method, name = json.loads(done.stdout.splitlines()[0])
    assert method == {"norm": {"name": "pre"}, "residual": {"name": "gpas"}}
    assert name == tiny_spec(method__norm="pre").name.replace("pre-", "pre-gpas-")
    assert json.loads(outcome.read_text())["outcome"] == "finished"
    first, last = load_file(init), load_file(model)
    gates = [key for key in first if key.endswith("gate")]
    assert len(gates) == 2 + 2
    assert all(first[key] == 0 != last[key] for key in gates)


SHARE = '__import__("typing").Annotated[float, __import__("pydantic").Field(gt=0, le=1)]'


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("", "", r"copied_options and .*: two options of residual have the name 'rezero'"),
        ('option_of("residual"', 'option_of("residul"', "copied_options: unknown choice 'residul'"),
        ("@option_of", "# @option_of", r"copied_options\.\w+: needs @option_of"),
        (' = "rezero"', "", r"copied_options\.\w+: give it its name in both places"),
        ('Literal["rezero"]', "str", r"copied_options\.\w+: give it its name in both places"),
        ('"rezero"\n', '"rezero"\n    power: float\n', "power needs a default"),
        ('"rezero"\n', f'"rezero"\n    power: {SHARE} = 5\n', "default of power: 5 should be less"),
        (
            '"rezero"\n',
            f'"rezero"\n    power: {SHARE} = 0\n    of: int = ""\n',
            "power: 0 .*; of: ''",
        ),
        ('"rezero"\n', '"rezero"\n    power = 0.5\n', "power needs its type: power: float = 0.5"),
    ],
)
def test_options_that_would_be_another_method_or_none_are_refused(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    own = projects.ROOT / "workflow_scripts/deepmt/settings/methods/rezero_options.py"
    (tmp_path / "copied_options.py").write_text(own.read_text().replace(old, new))
    code = (
        "import sys; from deepmt.settings import methods; methods.__path__.insert(0, sys.argv[1])\n"
        "import deepmt.settings.method"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=False
    )
    assert re.search(said, done.stderr)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, r"rezro\.py: is not there"),
        ("def residul(spec, index): ...\n", r"rezro\.py: has no function `residual`"),
        ("\ndef residual(spec, index: ...\n", r"rezro\.py:2: is not Python"),
    ],
)
def test_options_without_their_equation_are_refused_before_any_job(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, text: str | None, said: str
) -> None:
    if text:
        (tmp_path / "rezro.py").write_text(text)
    name, known = "deepmt.model.rezro", plan.path_of
    monkeypatch.setattr(ReZeroResidual, "module", name)
    found = {name: tmp_path / "rezro.py"}
    monkeypatch.setattr(plan, "path_of", lambda module: found.get(module) or known(module))
    with pytest.raises(ValueError, match=said):
        plan.load_plan(projects.ROOT, {"papers": "unified"})
