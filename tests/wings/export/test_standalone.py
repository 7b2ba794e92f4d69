"""A folder translates by itself as the model in its place does, whatever the method."""

import ast
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import invented
import pytest
import torch
from torch import nn

from deepmt.base.files import write_hashed_json, write_text
from deepmt.decode.line_translation import shown
from deepmt.decode.sentence_translator import SentenceTranslator
from deepmt.model.build import build
from deepmt.model.weights import save_model
from deepmt.settings.corpora import load_corpora
from deepmt.settings.seed_folder import SeedFolder
from deepmt.settings.spec import Spec
from deepmt.study.papers import OWN_PAPER, find_table, load
from deepmt.study.resolve import resolve
from deepmt.study.scale import load_scale
from projects import ROOT
from tiny import tiny_spec
from wings.export import standalone
from wings.export.supported import left_out

LINES = ["w1 w2 w3", "", "w4", "w5 unheard w7 w8 w9 w10", "w2 w1"]
SMALL = tiny_spec(data__subword="none", training__max_length=6, decoding__max_length=12)
IN_TURN = """
import os, runpy, sys, torch
torch.set_num_threads(1)
for folder in sys.argv[1:]:
    if os.fork() == 0:
        os.dup2(os.open("mine", os.O_RDONLY), 0)
        os.dup2(os.open(f"{folder}/out", os.O_CREAT | os.O_WRONLY), 1)
        sys.path.insert(0, folder)
        sys.argv = [f"{folder}/translate.py", "--threads", "1", "--n-best", "2"]
        try:
            runpy.run_path(sys.argv[0], run_name="__main__")
        except SystemExit as end:
            ours = [module.__file__ for name, module in sys.modules.items() if name[:6] == "deepmt"]
            os._exit(end.code or not all(file.startswith(f"{folder}/") for file in ours))
        finally:
            os._exit(9)
    assert os.wait()[1] == 0, folder
"""
"""Run the programs of folders, each in a process of its own; torch is loaded once."""


def small_models() -> dict[str, Spec]:
    """A small model of each method of Tables 1 and 6, whatever its initialisation and depth."""
    unified = load(ROOT / f"papers/{OWN_PAPER}.yaml")
    corpora = load_corpora(ROOT / "corpora.yaml")
    toy = load_scale(ROOT / "scales/toy.yaml", corpora)
    rows = [row for table in (1, 6) for row in find_table(unified, f"unified.table{table}").rows]
    specs = [resolve(unified, str(row.system), toy, corpora) for row in rows]
    found = {}
    for spec in specs:
        assert isinstance(spec, Spec)
        plain = replace(spec.method, initialisation=SMALL.method.initialisation)
        model = replace(SMALL, method=spec.method, model=spec.model)
        found[str((plain, spec.model))] = model
    return {spec.name: spec for spec in found.values()}


SPECS = small_models()


def trained_seed(folder: Path, spec: Spec, dataset: Path, dev: float = 9.0) -> SeedFolder:
    """A seed with random weights: those that training starts from often write one word."""
    seed = SeedFolder.of(folder / "results/toy", spec.run, 1)
    torch.manual_seed(1)
    model = build(spec, 23, 23)
    for parameter in model.parameters():
        nn.init.normal_(parameter, std=0.3)
    seed.path.mkdir(parents=True)
    save_model(model, seed.model)
    write_text(seed.spec, json.dumps(spec.sections))
    scores = {"test": {"bleu": {"value": 3.0, "signature": "BLEU|case:mixed"}}}
    record = invented.record_of(spec, 1, scores=scores, perplexities={"dev": dev})
    write_hashed_json(seed.record, record)
    encoded = folder / "data/encoded" / spec.dataset
    if not encoded.exists():
        shutil.copytree(dataset, encoded)
    return seed


def exported(folder: Path, seeds: list[SeedFolder], name: str) -> Path:
    """The folder that the best of these seeds becomes."""
    output = folder / "away" / name
    paths = tuple(seed.path for seed in seeds)
    standalone.main(seeds=paths, encoded=folder / "data/encoded", output=output)
    return output


def clean_environment() -> dict[str, str]:
    """One with the packages of this Python, and without this repository.

    Without `site`, no .pth file is read, and it is one that leads here.
    """
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return kept | {"PYTHONPATH": sysconfig.get_path("purelib")}


def by_themselves(folder: Path, folders: list[Path]) -> list[list[str]]:
    """The lines that each folder's program writes."""
    (folder / "mine").write_text("".join(f"{line}\n" for line in LINES))
    command = [sys.executable, "-S", "-c", IN_TURN, *map(str, folders)]
    done = subprocess.run(
        command, cwd=folder, env=clean_environment(), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return [(each / "out").read_text().splitlines() for each in folders]


def here(folder: Path, seed: SeedFolder, spec: Spec) -> Iterator[str]:
    """The lines that `./deepmt translate` writes."""
    dataset = folder / "data/encoded" / spec.dataset
    ours = SentenceTranslator(seed.spec, seed.model, dataset, precision="float32", n_best=2)
    for number, found in enumerate(ours.translate([ours.read(line) for line in LINES])):
        yield from shown(found, number, 2)


@pytest.mark.parametrize(
    "names", [[*SPECS][:3], pytest.param([*SPECS][3:], marks=pytest.mark.slow)], ids=["some", "all"]
)
def test_methods_of_tables_1_and_6_translate_by_themselves(
    names: list[str], tmp_path: Path, dataset: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Word for word, by the same operations: a folder compiles none."""
    monkeypatch.setattr("deepmt.kernels.compiled.take", lambda _: False)
    torch.set_num_threads(1)
    assert len(SPECS) > 15
    seeds = {name: trained_seed(tmp_path, SPECS[name], dataset) for name in names}
    folders = [exported(tmp_path, [seed], name) for name, seed in seeds.items()]
    (tmp_path / "data").rename(tmp_path / "elsewhere")
    (tmp_path / "results").rename(tmp_path / "gone")
    found = by_themselves(tmp_path, folders)
    (tmp_path / "elsewhere").rename(tmp_path / "data")
    (tmp_path / "gone").rename(tmp_path / "results")
    for (name, seed), theirs in zip(seeds.items(), found, strict=True):
        assert theirs == [*here(tmp_path, seed, SPECS[name])], name
        assert len(theirs) == 2 * (len(LINES) - 1) + 1
    assert len({*map(tuple, found)}) > len(found) // 2


PACKAGE_OF = {"yaml": "pyyaml", "subword_nmt": "subword-nmt"}
TEXT_STEPS = {"sentencepiece", "subword-nmt", "sacremoses", "jieba"}


def test_a_copied_module_imports_nothing_else(tmp_path: Path, dataset: Path) -> None:
    folder = exported(tmp_path, [trained_seed(tmp_path, SMALL, dataset)], "away")
    pinned = {line.partition("==")[0] for line in (folder / "requirements.txt").open()}
    assert {"torch", "safetensors", "pydantic", "sacremoses"} <= {one.lower() for one in pinned}
    known = {one.lower() for one in pinned} | TEXT_STEPS | sys.stdlib_module_names
    for file in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            modules = [one.name for one in node.names] if isinstance(node, ast.Import) else []
            modules += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            for module in modules:
                first = module.partition(".")[0]
                path = folder.joinpath(*module.split("."))
                there = path.with_suffix(".py").exists() or (path / "__init__.py").exists()
                assert there or PACKAGE_OF.get(first, first) in known, f"{file}: {module}"


def test_it_holds_the_best_of_several_and_says_how_good_it_is(
    tmp_path: Path, dataset: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (worse, best), dev = [*SPECS.items()][:2], (9.0, 4.0)
    seeds = [
        trained_seed(tmp_path, spec, dataset, one)
        for (_, spec), one in zip((worse, best), dev, strict=True)
    ]
    folder = exported(tmp_path, seeds, "best")
    assert (folder / "model/spec.json").read_text() == seeds[1].spec.read_text()
    card = (folder / "README.md").read_text()
    assert f"Model: `{best[1].run}`" in card
    assert "| BLEU | 3.0 |" in card
    assert "pip install -r requirements.txt" in card
    said = capsys.readouterr().out
    assert best[1].run in said
    assert f"{sum(path.is_file() for path in folder.rglob('*'))} files" in said
    assert " MB" in said


def test_nothing_to_export_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no run that is asked for is trained"):
        standalone.main(seeds=(), output=tmp_path / "away")
    assert not (tmp_path / "away").exists()


def test_what_toolkits_lack_is_said() -> None:
    dlcl = next(spec for spec in SPECS.values() if spec.name.startswith("pre-dlcl"))
    said = left_out([SMALL, dlcl])
    assert len(said) == 2
    assert all("method.layer_aggregation=dlcl is not supported" in line for line in said)
