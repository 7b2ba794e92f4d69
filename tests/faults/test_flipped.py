"""A flipped bit of any stored file is named before it costs anything, or changes nothing."""

import os
import random
import re
import shutil
from pathlib import Path

import pytest
import small_toy
from run_snakemake import run_snakemake

from deepmt.base.files import sha256
from projects import ROOT

pytestmark = pytest.mark.fault
DATA, RUN, SEED = "data/encoded/*", "results/toy/runs/*", "results/toy/runs/*/seed1"
READ_BY = {
    "corpora/toy.tar.xz": "data/raw/*/counts.json",
    f"{DATA}/manifest.json": f"{SEED}/init.safetensors",
    f"{DATA}/data.json": f"{SEED}/init.safetensors",
    "data/raw/*/train.en": f"{DATA}/manifest.json",
    "data/raw/*/test.de": f"{SEED}/scores.test.json",
    f"{DATA}/vocab.de": f"{SEED}/init.safetensors",
    f"{DATA}/codes.joint": f"{SEED}/hyp.test.txt",
    f"{DATA}/tok/test.de": f"{SEED}/scores.test.json",
    f"{DATA}/ids/train.en.ids.npy": f"{SEED}/outcome.json",
    f"{DATA}/ids/train.de.offsets.npy": f"{SEED}/outcome.json",
    f"{RUN}/spec.json": f"{SEED}/outcome.json",
    f"{SEED}/init.safetensors": f"{SEED}/outcome.json",
    f"{SEED}/resume/state-*8-*.pt": f"{SEED}/outcome.json",
    f"{SEED}/resume/weights-*8-*.safetensors": f"{SEED}/model.safetensors",
    f"{SEED}/outcome.json": f"{SEED}/model.safetensors",
    f"{SEED}/model.safetensors": f"{SEED}/hyp.test.txt",
    f"{SEED}/hyp.test.txt": f"{SEED}/scores.test.json",
    f"{SEED}/logprobs.test.csv": f"{SEED}/scores.test.json",
    f"{SEED}/decoding.test.json": f"{SEED}/scores.test.json",
    f"{SEED}/scores.test.json": f"{SEED}/record.json",
    f"{SEED}/record.json": "results/toy/cells.csv",
}
"""A file of each kind that has a sum, and what is made from it."""
CONFIG = ["--config", "papers=unified", f"rows={small_toy.ROW}", "seeds=1"]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toy scale of one row, with all its files."""
    root = small_toy.make(tmp_path_factory.mktemp("finished"))
    (root / "profiles").symlink_to(ROOT / "profiles")
    small_toy.snakemake(root, root / "results/toy/cells.csv")
    return root


def flip(path: Path, draw: random.Random) -> None:
    """Flip a bit as a disk does: the time of the file does not change."""
    content, times = bytearray(path.read_bytes()), path.stat()
    content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)
    path.write_bytes(content)
    os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def stored(root: Path) -> dict[str, str]:
    """The hashes of all files that jobs wrote for other jobs."""
    files = [path for folder in ("data", "results") for path in (root / folder).rglob("*")]
    kept = [path for path in files if path.is_file() and path.name not in ("log.jsonl", "lock")]
    return {str(path.relative_to(root)): sha256(path) for path in kept}


def content(path: Path) -> object:
    """Return the content of a file, without times."""
    return [*small_toy.leaves(small_toy.read(path))] if path.suffix == ".json" else sha256(path)


@pytest.mark.parametrize(("damaged", "made"), READ_BY.items())
def test_a_flipped_bit_is_named_or_changes_nothing(
    tmp_path: Path, finished: Path, damaged: str, made: str
) -> None:
    root = tmp_path / "project"
    shutil.copytree(finished, root, symlinks=True)
    [path], [target] = ([*root.glob(pattern)] for pattern in (damaged, made))
    before = stored(root)
    target.unlink()
    flip(path, random.Random(damaged))
    name = str(path.relative_to(root))
    found = run_snakemake(root, "--cores", "2", *CONFIG, "--", str(target.relative_to(root)))
    after = stored(root)
    said = found.stdout + found.stderr
    named = re.search(rf"^(refused: )?{re.escape(name)}", said, re.M)
    same = not found.returncode and content(target) == content(finished / target.relative_to(root))
    # Snakemake removes what a failed job was to make.
    outputs = re.findall(r"^    output: (.*)$", said, re.MULTILINE)
    others = before.keys() - {name, *", ".join(outputs).split(", ")}
    lost = [each for each in others if found.returncode and after.get(each) != before[each]]
    assert "Traceback" not in said
    assert named or same, said
    assert not lost, said
